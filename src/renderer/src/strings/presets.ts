import type { LinkKind } from '../../../shared/api/names.ts';
import { PRESET_NAME_RULE, type PresetContent } from '../../../shared/api/presets.ts';
import { countedAll } from './link-kinds.ts';
import { list, many, number } from './words.ts';

/** How many agents a preset's entry is added to, replaced in, and so on. */
interface Changes {
  readonly added: number;
  readonly replaced: number;
  readonly linked: number;
  readonly kept: number;
}

/** How many names a sentence lists. */
const MOST_NAMES = 5;

/** Lists names, or only the first few if there are many. */
const some = (names: readonly string[]): string =>
  names.length > MOST_NAMES
    ? list.format([...names.slice(0, MOST_NAMES), many(names.length - MOST_NAMES, 'other', 'others')])
    : list.format(names);

/** Strings for presets: named sets of shared entries. */
export const presets = {
  open: 'Presets…',
  title: 'Presets',
  description: 'Sets of shared entries and MCP servers that you can give to agents.',
  listLabel: 'Presets of this root',
  none: 'No presets yet',
  noneHint: 'Select an agent or some columns in the matrix, then choose “Save as preset”.',
  /** Lists a preset's names, or only the first few if there are many. */
  names: some,
  content: (preset: Pick<PresetContent, LinkKind>, servers = 0): string =>
    [countedAll(preset), servers > 0 ? many(servers, 'MCP server', 'MCP servers') : '']
      .filter(Boolean)
      .join(', ') || 'Empty',
  alsoServers: (count: number): string => `Also save its ${many(count, 'MCP server', 'MCP servers')}`,
  server: (name: string): string => `${name} (MCP)`,
  serverChanges: (added: number, kept: number, all: number): string => {
    if (all === 1) return added > 0 ? 'New' : 'Agent keeps its own';
    const parts = [
      added > 0 ? `${number.format(added)} new` : '',
      kept > 0 ? (kept === 1 ? '1 agent keeps its own' : `${number.format(kept)} agents keep their own`) : '',
    ];
    return parts.filter(Boolean).join(', ');
  },
  addsServers: (count: number): string => `Adds ${many(count, 'MCP server', 'MCP servers')}.`,
  addedServers: (count: number): string => `Added ${many(count, 'MCP server', 'MCP servers')}`,
  serversFailed: (count: number): string => `${many(count, 'MCP server', 'MCP servers')} not added`,
  missing: (names: readonly string[]): string => `Not in the catalog: ${some(names)}`,
  rename: 'Rename',
  renameLabel: (name: string): string => `Rename ${name}`,
  newName: (name: string): string => `New name for ${name}`,
  renamed: (name: string): string => `Renamed to ${name}`,
  delete: 'Delete',
  deleteLabel: (name: string): string => `Delete ${name}`,
  deleted: (name: string): string => `Deleted the preset ${name}`,
  deleteFailed: (name: string): string => `The preset ${name} wasn’t deleted`,
  done: 'Done',
  preset: 'Preset',
  noPreset: 'None',
  applyOpen: 'Apply preset…',
  applyTitle: (agents: number): string => `Apply a preset to ${many(agents, 'agent', 'agents')}`,
  unlinkOthers: 'Unlink everything else',
  apply: 'Apply',
  applying: 'Applying…',
  applyFailed: 'The preset wasn’t applied',
  previewLabel: 'Preview of the changes',
  notInCatalog: 'Not in the catalog',
  /** Describes what happens to one entry in `all` agents. */
  changes: ({ added, replaced, linked, kept }: Changes, all: number): string => {
    if (all === 1) {
      if (replaced > 0) return 'Replaces a broken link';
      if (kept > 0) return 'Agent keeps its own';
      return linked > 0 ? 'Already linked' : 'New';
    }
    const parts = [
      added > 0 ? `${number.format(added)} new` : '',
      replaced > 0 ? many(replaced, 'broken link replaced', 'broken links replaced') : '',
      linked > 0 ? `${number.format(linked)} already linked` : '',
      kept > 0 ? (kept === 1 ? '1 agent keeps its own' : `${number.format(kept)} agents keep their own`) : '',
    ];
    return parts.filter(Boolean).join(', ');
  },
  removes: (agents: number, all: number): string =>
    all === 1 ? 'Will be removed' : `Will be removed from ${many(agents, 'agent', 'agents')}`,
  summary: (links: number, unlinks: number): string => {
    if (links + unlinks === 0) return 'Nothing to change.';
    const adds = `Adds ${many(links, 'link', 'links')}`;
    if (unlinks === 0) return `${adds}.`;
    const removed = many(unlinks, 'link', 'links');
    return links === 0 ? `Removes ${removed}.` : `${adds} and removes ${removed}.`;
  },
  unread: (agents: number): string => `dot-mi can’t read the links of ${many(agents, 'agent', 'agents')}.`,
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
  createdWith: (id: string, preset: string): string => `Created ${id} with the preset ${preset}`,
  notAllLinked: (id: string): string => `Some links for ${id} weren’t created`,
} as const;
