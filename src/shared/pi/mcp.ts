import { z } from 'zod';
import { parseShallowJson } from '../shallow-json.ts';
import piTexts from './pi-texts.json' with { type: 'json' };

/** How the model reaches the tools of an MCP server. */
const EXPOSURES = ['codemode', 'deferred', 'direct', 'hidden'] as const;

/** One of `codemode`, `deferred`, `direct` and `hidden`. */
type McpExposure = (typeof EXPOSURES)[number];

/** A server that pi 1.5 knows from an mcp.json. It holds nothing that could be a secret. */
export interface McpServer {
  readonly name: string;
  /** The exposures that its tools can have. None for a server that is switched off. */
  readonly exposures: ReadonlySet<McpExposure>;
  /** The first line of its description. Empty without one: pi then asks the running server. */
  readonly summary: string;
}

/** What the mcp.json files of a run say. */
export interface McpConfig {
  readonly servers: readonly McpServer[];
  /** Whether pi turns on the tool `codemode` when a server needs it. */
  readonly autoEnableCodemode: boolean;
  /** Whether pi ignores one of the files. */
  readonly hasBrokenFile: boolean;
  /** The names of the entries that pi leaves out. */
  readonly refused: readonly string[];
}

/** An mcp.json. */
export interface McpFile {
  readonly text: string;
  /** Whether it belongs to the project, and may do less. */
  readonly isProject: boolean;
}

const text = z.string();
const texts = z.record(text, text);

const exposure = z
  .enum([...EXPOSURES, 'codemode-deferred'])
  .transform((name) => (name === 'codemode-deferred' ? 'codemode' : name));

const isLoopback = ({ hostname }: URL): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(hostname);

/** The checks of a whole entry may rely on its addresses. */
const address = (isValid: (url: URL) => boolean) =>
  text.refine((value) => URL.canParse(value) && isValid(new URL(value)), { abort: true });

const isEncryptedOrNear = (url: URL): boolean =>
  url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url));

const oauth = z
  .looseObject({
    clientId: text.optional(),
    clientSecret: text.optional(),
    callbackPort: z.int().min(1).max(65_535).optional(),
    callbackUrl: address(
      (url) => url.protocol === 'http:' && isLoopback(url) && url.search === '' && url.hash === '',
    ).optional(),
    scope: text.optional(),
    clientName: text.refine((name) => name.trim() !== '').optional(),
    clientRegistration: z.enum(['auto', 'dcr', 'cimd']).optional(),
    authServerMetadataUrl: address(isEncryptedOrNear).optional(),
  })
  .refine(({ callbackUrl, callbackPort, clientRegistration, clientId, clientName }) => {
    const url = callbackUrl === undefined ? undefined : new URL(callbackUrl);
    if (url?.port && callbackPort !== undefined && Number(url.port) !== callbackPort) return false;
    // pi's own client document lists these addresses only.
    const isListed = url === undefined || (url.hostname !== '[::1]' && url.pathname === '/callback');
    return clientRegistration !== 'cimd' || (isListed && clientId === undefined && clientName === undefined);
  });

const fields = {
  enabled: z.boolean().optional(),
  timeout: z.number().positive().optional(),
  description: text.optional(),
  exposure: exposure.optional(),
  toolExposure: z.record(text, exposure).optional(),
};

const program = z.looseObject({
  ...fields,
  command: text,
  args: z.array(text).optional(),
  env: texts.optional(),
  cwd: text.optional(),
});

const website = z
  .looseObject({
    ...fields,
    url: address(({ protocol }) => /^https?:$/.test(protocol)),
    headers: texts.optional(),
    oauth: oauth.optional(),
    auth: z.looseObject({ provider: text.min(1) }).optional(),
  })
  .refine(({ auth, url }) => auth === undefined || isEncryptedOrNear(new URL(url)));

type Entry = z.infer<typeof program> | z.infer<typeof website>;

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isType = (type: unknown, ...names: string[]): boolean =>
  type === undefined || (typeof type === 'string' && names.includes(type));

/** The entry as pi validates it. Undefined if pi refuses it. */
const parseEntry = (name: string, value: unknown): Entry | undefined => {
  if (!/^[A-Za-z0-9_-]+$/.test(name) || !isObject(value)) return undefined;
  const { type, url, command } = value;
  if (typeof url === 'string' && isType(type, 'http', 'streamable-http'))
    return website.safeParse(value).data;
  return typeof command === 'string' && isType(type, 'stdio') ? program.safeParse(value).data : undefined;
};

/** The name of a server in the prompt. Servers with the same one can't both exist. */
const mcpNamespace = (server: string): string => `mcp__${server.replaceAll('-', '_')}`;

const OVERRIDES = new Set(['enabled', 'exposure', 'toolExposure']);

/** What a project may change of a server of the agent. Undefined if it asks for more. */
const withOverride = (name: string, base: Entry | undefined, value: Fields): Entry | undefined =>
  base && Object.keys(value).every((key) => OVERRIDES.has(key))
    ? parseEntry(name, { ...base, ...value })
    : undefined;

const toServer = (name: string, { enabled, exposure, toolExposure, description }: Entry): McpServer => ({
  name,
  exposures: new Set(enabled === false ? [] : [exposure ?? 'codemode', ...Object.values(toolExposure ?? {})]),
  summary: description?.trim().split('\n', 1)[0]?.trim() ?? '',
});

/** The object in an mcp.json, and its servers. Undefined if pi ignores the file. */
const parseFile = ({ text }: McpFile): { value: Fields; servers: Fields } | undefined => {
  try {
    const value: unknown = parseShallowJson(text.replace(/^\uFEFF/, ''));
    if (!isObject(value)) return undefined;
    const { mcpServers: servers = {} } = value;
    return isObject(servers) ? { value, servers } : undefined;
  } catch {
    return undefined;
  }
};

/** Reads the mcp.json files of a run, that of the agent first, as pi 1.5 does. */
export const readMcpConfig = (files: readonly McpFile[]): McpConfig => {
  const known = new Map<string, Entry>();
  const byNamespace = new Map<string, string>();
  const refused: string[] = [];
  let autoEnableCodemode = true;
  let hasBrokenFile = false;

  const knownOf = (name: string, value: unknown, isProject: boolean): Entry | undefined => {
    if (isProject && isObject(value) && ['command', 'url', 'type'].every((key) => value[key] === undefined))
      return withOverride(name, known.get(name), value);
    const entry = parseEntry(name, value);
    const holder = byNamespace.get(mcpNamespace(name)) ?? name;
    // A project may not choose where a login goes.
    const sendsLogin = isProject && entry !== undefined && 'url' in entry && Boolean(entry.auth);
    return holder === name && !sendsLogin ? entry : undefined;
  };

  for (const file of files) {
    const parsed = parseFile(file);
    if (!parsed) {
      hasBrokenFile = true;
      continue;
    }
    if (typeof parsed.value.autoEnableCodemode === 'boolean')
      autoEnableCodemode = parsed.value.autoEnableCodemode;
    for (const [name, value] of Object.entries(parsed.servers)) {
      const next = knownOf(name, value, file.isProject);
      if (!next) {
        refused.push(name);
        continue;
      }
      known.set(name, next);
      byNamespace.set(mcpNamespace(name), name);
    }
  }
  return {
    servers: Array.from(known, ([name, server]) => toServer(name, server)),
    autoEnableCodemode,
    hasBrokenFile,
    refused,
  };
};

const MAX_SUMMARY = 250;
/** The longest section, in UTF-16 code units. */
const MAX_SECTION = 4096;

/** The servers in the section: those with tools that aren't declared to the model. */
export const listedServers = ({ servers }: McpConfig): McpServer[] =>
  servers
    .filter(({ exposures }) => exposures.has('codemode') || exposures.has('deferred'))
    .sort((a, b) => a.name.localeCompare(b.name));

/** The tools that MCP switches on, with which the model reaches tools that aren't declared. */
export const mcpTools = ({ servers, autoEnableCodemode }: McpConfig): string[] => {
  const isUsed = (exposure: 'codemode' | 'deferred') =>
    servers.some(({ exposures }) => exposures.has(exposure));
  return [
    ...(autoEnableCodemode && isUsed('codemode') ? ['codemode'] : []),
    ...(isUsed('deferred') ? ['tool_search'] : []),
  ];
};

const shortened = (text: string, max: number): string => {
  if (text.length <= max) return text;
  if (max <= 1) return '';
  const isPair = /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(max - 2, max));
  return `${text.slice(0, isPair ? max - 2 : max - 1).trimEnd()}…`;
};

const leftOutLine = (count: number): string =>
  count === 0
    ? ''
    : `\n- … ${count} more server${count === 1 ? '' : 's'}; find their tools with searchTools()`;

/** The section `mcp_servers`, without its tags. Empty if it has no servers. */
export const mcpSection = (config: McpConfig): string => {
  const listed = listedServers(config);
  if (listed.length === 0) return '';
  const reachOf = ({ exposures }: McpServer) => (exposures.has('codemode') ? 'codemode' : 'tool_search');
  const reaches = new Set(listed.map(reachOf));
  const { title, codemode, tool_search: toolSearch } = piTexts.mcp;
  const intro = [
    title,
    ...(reaches.has('codemode') ? [codemode] : []),
    ...(reaches.has('tool_search') ? [toolSearch] : []),
  ].join(' ');
  const heads = listed.map((server) => `\n- ${mcpNamespace(server.name)} (${reachOf(server)})`);

  let kept = heads.length;
  let length = heads.reduce((sum, head) => sum + head.length, intro.length);
  const size = () => length + leftOutLine(heads.length - kept).length;
  while (kept > 0 && size() > MAX_SECTION) length -= heads[--kept]?.length ?? 0;

  // The summaries share what is left. Each follows a colon and a space.
  const room = kept === 0 ? 0 : Math.min(MAX_SUMMARY, Math.floor((MAX_SECTION - size()) / kept) - 2);
  const lines = heads.slice(0, kept).map((head, index) => {
    const summary = room > 0 ? shortened(listed[index]?.summary ?? '', room) : '';
    return summary === '' ? head : `${head}: ${summary}`;
  });
  return `${intro}${lines.join('')}${leftOutLine(heads.length - kept)}`;
};
