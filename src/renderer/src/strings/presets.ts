import { PRESET_NAME_RULE } from '../../../shared/api/presets.ts';
import { list, many } from './words.ts';

/** The most names that a sentence lists. */
const MOST_NAMES = 5;

/** Lists names, the first few of many. */
const some = (names: readonly string[]): string =>
  names.length > MOST_NAMES
    ? list.format([...names.slice(0, MOST_NAMES), many(names.length - MOST_NAMES, 'other', 'others')])
    : list.format(names);

/** Texts of presets: named sets of skills and extensions. */
export const presets = {
  open: 'Presets…',
  title: 'Presets',
  description: 'Named sets of skills and extensions, to give to many agents at once.',
  listLabel: 'Presets of this root',
  none: 'No presets yet',
  noneHint: 'Select an agent or some columns in the matrix, then choose “Save as preset”.',
  content: (skills: number, extensions: number): string =>
    skills + extensions === 0
      ? 'Empty'
      : list.format(
          [
            skills > 0 ? many(skills, 'skill', 'skills') : '',
            extensions > 0 ? many(extensions, 'extension', 'extensions') : '',
          ].filter(Boolean),
        ),
  missing: (names: readonly string[]): string => `Not in the catalog: ${some(names)}`,
  rename: 'Rename',
  renameLabel: (name: string): string => `Rename ${name}`,
  newName: (name: string): string => `New name for ${name}`,
  renamed: (name: string): string => `Renamed to ${name}`,
  delete: 'Delete',
  deleteLabel: (name: string): string => `Delete ${name}`,
  deleted: (name: string): string => `Deleted the preset ${name}`,
  deleteFailed: (name: string): string => `The preset ${name} was not deleted`,
  restored: (name: string): string => `Restored the preset ${name}`,
  restoreFailed: (name: string): string => `The preset ${name} was not restored`,
  done: 'Done',
  preset: 'Preset',
  noPreset: 'None',
  applyOpen: 'Apply preset…',
  applyTitle: (agents: number): string => `Apply a preset to ${many(agents, 'agent', 'agents')}`,
  applyHint: 'Links its skills and extensions. Links that exist stay, and you can undo it.',
  unlinkOthers: 'Unlink everything else',
  unlinkOthersHint: 'Removes links to skills and extensions that the preset doesn’t name.',
  apply: 'Apply',
  applying: 'Applying…',
  applyFailed: 'The preset was not applied',
  saveOpen: 'Save as preset…',
  saveTitle: 'Save as preset',
  saveAgent: (id: string): string => `Saves what ${id} links to.`,
  saveColumns: (content: string): string => `Saves the selected columns: ${content}.`,
  name: 'Name',
  nameRule: PRESET_NAME_RULE,
  replaces: 'A preset with this name exists. Saving replaces it.',
  save: 'Save preset',
  replace: 'Replace preset',
  saved: (name: string): string => `Saved the preset ${name}`,
  newAgentHint: 'The new agent gets its skills and extensions.',
  createdWith: (id: string, preset: string): string => `Created ${id} with the preset ${preset}`,
  notAllLinked: (id: string): string => `${id} didn’t get everything`,
} as const;
