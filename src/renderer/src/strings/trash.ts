import { TRASH_DAYS } from '../../../shared/api/trash.ts';
import { many } from './words.ts';

/** Strings for the trash. */
export const trash = {
  heading: 'Trash',
  description: `Deleted agents, sessions and presets stay here for ${TRASH_DAYS} days.`,
  listLabel: 'Deleted agents, sessions and presets',
  search: 'Search the trash',
  noMatch: (query: string): string => `Nothing in the trash matches “${query}”`,
  none: 'The trash is empty',
  deleted: 'Deleted',
  goesIn: (days: number): string => (days <= 0 ? 'last day' : `${many(days, 'day', 'days')} left`),
  restore: 'Restore',
  restoreLabel: (id: string): string => `Restore ${id}`,
  restoreAs: (name: string): string => `Restore as ${name}`,
  remove: 'Delete permanently',
  removeLabel: (id: string): string => `Delete permanently: ${id}`,
  confirmTitle: (id: string): string => `Delete ${id} permanently?`,
  /** Names a deleted session, by its id if it has no name. */
  session: (id: string, name: string | null): string => `Session ${name ?? id.slice(0, 8)}`,
  preset: (name: string): string => `Preset ${name}`,
  ofAgent: (id: string): string => `of ${id}`,
  confirmBody: 'This deletes the files from disk. You can’t undo it.',
  removed: (id: string): string => `Deleted ${id} permanently`,
  open: 'Open',
} as const;
