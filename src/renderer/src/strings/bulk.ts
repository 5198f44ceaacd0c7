import { TRASH_DAYS } from '../../../shared/api/trash.ts';
import { many, number } from './words.ts';

/** Strings for the actions on several agents. */
export const bulk = {
  actions: 'Actions on the selected agents',
  chosen: (count: number): string => `${number.format(count)} selected`,
  clear: 'Clear selection',
  link: 'Link…',
  preset: 'Preset…',
  model: 'Set model…',
  fix: 'Fix…',
  matrix: 'Matrix',
  linkTitle: (count: number): string => `Link to ${many(count, 'agent', 'agents')}`,
  linkBody: 'Existing entries with the same name stay.',
  linkAll: (names: number, agents: number): string =>
    names === 0 ? 'Link' : `Link ${number.format(names)} to ${many(agents, 'agent', 'agents')}`,
  linking: (links: number): string => `Creating ${many(links, 'link', 'links')}…`,
  taken: (count: number): string => `${number.format(count)} already existed`,
  linkFailed: 'No link was created',
  more: (count: number): string => `and ${number.format(count)} more`,
  delete: 'Delete…',
  deleteTitle: (count: number): string => `Delete ${many(count, 'agent', 'agents')}?`,
  deleteBody: `You can restore them from the trash for ${TRASH_DAYS} days. Their keys are revoked for good.`,
  deleteUnsaved: (count: number): string =>
    `If you restore them, the unsaved changes of ${many(count, 'agent', 'agents')} come with them.`,
  deleteAll: (count: number): string => `Delete ${many(count, 'agent', 'agents')}`,
  deleting: (count: number): string => `Deleting ${many(count, 'agent', 'agents')}…`,
  deleted: (count: number): string => `Deleted ${many(count, 'agent', 'agents')}`,
  deleteFailed: (count: number): string => `${many(count, 'agent was', 'agents were')} not deleted`,
} as const;
