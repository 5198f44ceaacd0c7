import { TRASH_DAYS } from '../../../shared/api/trash.ts';
import { many } from './words.ts';

/** Texts of the trash. */
export const trash = {
  heading: 'Trash',
  description: `Deleted agents are kept for ${TRASH_DAYS} days, exactly as they were.`,
  listLabel: 'Deleted agents',
  none: 'The trash is empty',
  noneHint: `Agents you delete wait here for ${TRASH_DAYS} days.`,
  deleted: 'Deleted',
  goesIn: (days: number): string => (days <= 0 ? 'goes today' : `${many(days, 'day', 'days')} left`),
  restore: 'Restore',
  restoreLabel: (id: string): string => `Restore ${id}`,
  remove: 'Remove for good',
  removeLabel: (id: string): string => `Remove for good: ${id}`,
  confirmTitle: (id: string): string => `Remove ${id} for good?`,
  confirmBody: 'Its files are deleted from disk. This cannot be undone.',
  removed: (id: string): string => `Removed ${id} for good`,
  open: 'Open',
} as const;
