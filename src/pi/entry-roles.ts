import { EDITABLE_FILES, LINK_KINDS } from '../shared/api/names.ts';

/**
 * The purpose of an entry in an agent's directory. `editable`: one of the files that dot-mi writes. `links`: the
 * directories of its links. `unknown`: pi doesn't read it, or dot-mi doesn't know it.
 */
export const ENTRY_ROLES = [
  'editable',
  'model_settings',
  'providers',
  'mcp_servers',
  'context_file',
  'links',
  'sessions',
  'secret',
  'log',
  'unknown',
] as const;

type EntryRole = (typeof ENTRY_ROLES)[number];

const byName = (role: EntryRole, names: readonly string[]): [string, EntryRole][] =>
  names.map((name) => [name, role]);

/** The entries that pi or dot-mi uses, by name. */
const KNOWN = new Map<string, EntryRole>([
  ...byName('editable', EDITABLE_FILES),
  ...byName('links', LINK_KINDS),
  ...byName('model_settings', ['settings.json']),
  ...byName('providers', ['models.json']),
  ...byName('mcp_servers', ['mcp.json']),
  ...byName('context_file', ['AGENTS.override.md', 'AGENTS.md', 'AGENTS.MD', 'CLAUDE.md', 'CLAUDE.MD']),
  ...byName('sessions', ['sessions']),
  ...byName('secret', ['auth.json', 'mcp-auth.json', '.env']),
  ...byName('log', ['crashes.json']),
]);

/** Files with keys or sign-ins. Some systems ignore case, so this pattern does too. */
const SECRET = /^(mcp-)?auth\.json$|^\.env(\.|$)|\.(pem|key|p12)$/i;

/** pi moves a full mcp.log to mcp.log.1. */
const LOG = /\.log(\.\d+)?$/;

/** Returns an entry's role, by its name in the agent's directory. */
export const entryRole = (name: string): EntryRole => {
  const known = KNOWN.get(name);
  if (known) return known;
  if (SECRET.test(name)) return 'secret';
  return LOG.test(name) ? 'log' : 'unknown';
};

/**
 * The names with a role other than `unknown`. A shortened list includes them, so that a full directory can't hide
 * them.
 */
export const KNOWN_ENTRIES: readonly string[] = [...KNOWN.keys()];

/**
 * Returns whether the system's program for a file only shows its text. SECURITY: an agent can write to its own
 * directory, and opening a script or a shortcut would run it.
 */
export const opensAsText = (name: string): boolean =>
  entryRole(name) !== 'secret' && /\.(md|txt|json|jsonl|log|ya?ml|toml|csv)$/i.test(name);
