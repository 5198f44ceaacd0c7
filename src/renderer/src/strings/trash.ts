import { TRASH_DAYS } from '../../../shared/api/trash.ts';
import { many } from './words.ts';

/** Texts of the trash. */
export const trash = {
  heading: 'Trash',
  description: `Deleted agents are kept for ${TRASH_DAYS} days, exactly as they were.`,
  listLabel: 'Deleted agents',
  search: 'Search the trash',
  noMatch: (query: string): string => `No deleted agent matches “${query}”`,
  none: 'The trash is empty',
  noneHint: `Agents you delete stay here for ${TRASH_DAYS} days.`,
  deleted: 'Deleted',
  goesIn: (days: number): string => (days <= 0 ? 'last day' : `${many(days, 'day', 'days')} left`),
  restore: 'Restore',
  restoreLabel: (id: string): string => `Restore ${id}`,
  restoreAs: (name: string): string => `Restore as ${name}`,
  remove: 'Delete permanently',
  removeLabel: (id: string): string => `Delete permanently: ${id}`,
  confirmTitle: (id: string): string => `Delete ${id} permanently?`,
  confirmBody: 'dot-mi deletes its files from disk. You can’t undo this.',
  removed: (id: string): string => `Deleted ${id} permanently`,
  open: 'Open',
} as const;
