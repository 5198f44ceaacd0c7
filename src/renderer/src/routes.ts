import { EDITABLE_FILES, type EditableFile, LINK_KINDS, type LinkKind } from '../../shared/api/names.ts';

/** The part of an agent that is shown. */
export type AgentSection =
  | { readonly kind: 'files'; readonly file: EditableFile }
  | { readonly kind: LinkKind | 'checks' }
  | { readonly kind: 'mcp' }
  /** All entries in the agent's directory. */
  | { readonly kind: 'entries' }
  /** The providers and models that the agent adds to pi's own. */
  | { readonly kind: 'models' }
  /** The pi settings in the agent's settings.json. */
  | { readonly kind: 'settings' }
  /** The prompt that pi will send. */
  | { readonly kind: 'prompt' }
  /** All sessions, or one of them. */
  | { readonly kind: 'sessions'; readonly session: string | null }
  /** The agent's earnings and spending. */
  | { readonly kind: 'activity' }
  /** The agent's versions. */
  | { readonly kind: 'history' }
  /** The service that customers pay for. */
  | { readonly kind: 'sell' };

/** The settings sections, in their navigation's order. */
export const SETTINGS_SECTIONS = [
  'general',
  'appearance',
  'wallet',
  'pricing',
  'server',
  'keys',
  'desktop',
  'about',
] as const;

export type SettingsSection = (typeof SETTINGS_SECTIONS)[number];

/** The columns of the matrix: shared entries of a kind, or MCP servers. */
export type MatrixKind = LinkKind | 'mcp';

/** The page for a path. An agent's path without a section shows {@link DEFAULT_SECTION}. */
export type PageRoute =
  | { readonly name: 'overview' }
  | { readonly name: 'agents' }
  | { readonly name: 'agent'; readonly id: string; readonly section: AgentSection }
  | { readonly name: 'catalog'; readonly kind: LinkKind; readonly entry: string | null }
  | { readonly name: 'matrix'; readonly kind: MatrixKind }
  | { readonly name: 'wallet' }
  | { readonly name: 'pricing' }
  /** `route` is the opened route's id, or null. */
  | { readonly name: 'api'; readonly route: string | null }
  | { readonly name: 'trash' }
  | { readonly name: 'settings'; readonly section: SettingsSection | null }
  | { readonly name: 'unknown' };

/** The section that opens by default: the file that people usually want. */
export const DEFAULT_SECTION: AgentSection = { kind: 'files', file: 'SYSTEM.md' };

/** The paths of the page. */
export const paths = {
  overview: '/',
  agents: '/agents',
  catalog: '/catalog',
  wallet: '/wallet',
  pricing: '/pricing',
  /** Can't be `/api`, which belongs to the server's routes. */
  api: '/connect',
  apiRoute: (id: string): string => `/connect/routes/${encodeURIComponent(id)}`,
  trash: '/trash',
  settings: '/settings',
  catalogEntry: (kind: LinkKind, name: string | null): string =>
    name === null ? `/catalog/${kind}` : `/catalog/${kind}/${encodeURIComponent(name)}`,
  matrix: (kind: MatrixKind): string => `/matrix/${kind}`,
  settingsOf: (section: SettingsSection): string => `/settings/${section}`,
  agent: (id: string, section: AgentSection = DEFAULT_SECTION): string =>
    section.kind === 'files' ? `/agents/${id}/files/${section.file}` : `/agents/${id}/${section.kind}`,
  session: (agent: string, id: string): string => `/agents/${agent}/sessions/${encodeURIComponent(id)}`,
} as const;

/** Returns a path's segment without percent-encoding. The router has already decoded part of it. */
const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};

/** Parses a path from the address bar. */
export const parsePath = (path: string): PageRoute => {
  const [first, id, section, file, ...rest] = path.split('/').slice(1);
  if (first === '' && id === undefined) return { name: 'overview' };
  if (first === 'agents' && !id && section === undefined) return { name: 'agents' };
  if (first === 'catalog') {
    const kind = id === undefined ? 'skills' : LINK_KINDS.find((name) => name === id);
    const entry = section ?? null;
    return kind && file === undefined
      ? { name: 'catalog', kind, entry: entry && decoded(entry) }
      : { name: 'unknown' };
  }
  if (first === 'matrix' && section === undefined) {
    const kind = ([...LINK_KINDS, 'mcp'] as const).find((name) => name === id);
    return kind ? { name: 'matrix', kind } : { name: 'unknown' };
  }
  if (first === 'wallet' && id === undefined) return { name: 'wallet' };
  if (first === 'pricing' && id === undefined) return { name: 'pricing' };
  if (first === 'connect' && file === undefined) {
    if (id !== undefined && id !== 'routes') return { name: 'unknown' };
    return { name: 'api', route: section ? decoded(section) : null };
  }
  if (first === 'trash' && id === undefined) return { name: 'trash' };
  if (first === 'settings' && section === undefined) {
    if (id === undefined) return { name: 'settings', section: null };
    const shown = SETTINGS_SECTIONS.find((name) => name === id);
    return shown ? { name: 'settings', section: shown } : { name: 'unknown' };
  }
  if (first !== 'agents' || !id || rest.length > 0) return { name: 'unknown' };
  if (section === undefined) return { name: 'agent', id, section: DEFAULT_SECTION };
  const kind = (
    [...LINK_KINDS, 'mcp', 'models', 'prompt', 'checks', 'entries', 'history', 'sell', 'settings'] as const
  ).find((one) => one === section);
  if (kind && file === undefined) return { name: 'agent', id, section: { kind } };
  if (section === 'activity' && file === undefined)
    return { name: 'agent', id, section: { kind: 'activity' } };
  if (section === 'sessions') {
    const session = file === undefined || file === '' ? null : decoded(file);
    return { name: 'agent', id, section: { kind: 'sessions', session } };
  }
  const known = EDITABLE_FILES.find((name) => name === file);
  if (section === 'files' && known) return { name: 'agent', id, section: { kind: 'files', file: known } };
  return { name: 'unknown' };
};

/** Returns a page's agent, if any. */
export const agentOf = (page: PageRoute): string | null => (page.name === 'agent' ? page.id : null);
