import type { AgentEntry } from '../../../shared/api/entries.ts';
import { number } from './words.ts';

const UNITS = ['kB', 'MB', 'GB', 'TB'] as const;

const short = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

/** Formats a size with readable units: 1,000 bytes are 1 kB. */
const size = (bytes: number): string => {
  if (bytes < 1_000) return `${number.format(bytes)} B`;
  const power = Math.min(UNITS.length, Math.floor(Math.log10(bytes) / 3));
  return `${short.format(bytes / 1_000 ** power)} ${UNITS[power - 1]}`;
};

/** Strings for an agent's directory. */
export const entries = {
  label: (id: string): string => `Everything in ${id}’s folder`,
  editable: 'Editable',
  others: 'Everything else',
  columns: { name: 'Name', role: 'Used for', size: 'Size', modified: 'Changed', actions: 'Actions' },
  role: {
    editable: 'Prompt and arguments',
    model_settings: 'Model settings',
    providers: 'Model providers',
    mcp_servers: 'MCP servers',
    context_file: 'Context file',
    links: 'Links',
    sessions: 'Sessions',
    secret: 'Secret',
    log: 'Log',
    unknown: '',
  } satisfies Record<AgentEntry['role'], string>,
  kind: { file: 'File', directory: 'Folder', symlink: 'Link', other: 'Not a regular file' } satisfies Record<
    AgentEntry['kind'],
    string
  >,
  secretHint: 'dot-mi never reads this file.',
  pointsTo: 'Points to',
  targetNotFound: 'Target not found:',
  outside: 'Points outside the root',
  missing: 'Not created yet',
  size,
  none: 'Nothing else is in this folder.',
  truncated: (count: number): string =>
    `This folder has more entries than dot-mi lists. Here are ${number.format(count)} of them.`,
  open: 'Open',
  openLabel: (name: string): string => `Open ${name} in its default program`,
  reveal: 'Reveal',
  revealLabel: (name: string): string => `Reveal ${name} in its folder`,
  json: 'Show JSON',
  jsonLabel: (name: string): string => `Show JSON of ${name}`,
  jsonText: (name: string): string => `Text of ${name}`,
  jsonHidden: 'dot-mi shows ••• for API keys, comments and other text that may be secret.',
  jsonMissing: (name: string): string => `${name} doesn’t exist yet.`,
  copyPath: 'Copy path',
  copyPathLabel: (name: string): string => `Copy path of ${name}`,
} as const;
