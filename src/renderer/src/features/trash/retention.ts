// Separate from the trash page, so that its tests need no browser.
import { TRASH_DAYS } from '../../../../shared/api/trash.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Days until a deleted agent is removed, rounded up. 0 when it is due. */
export const daysLeft = (deletedAt: string, nowMs: number): number =>
  Math.max(0, Math.ceil((Date.parse(deletedAt) + TRASH_DAYS * DAY_MS - nowMs) / DAY_MS));
