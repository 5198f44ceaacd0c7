import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../shared/json-object.ts';
import { parseShallowJson } from '../shared/shallow-json.ts';
import piTexts from './pi-texts.json' with { type: 'json' };

/** How the model can reach an MCP server's tools. */
const EXPOSURES = ['codemode', 'deferred', 'direct', 'hidden'] as const;

type McpExposure = (typeof EXPOSURES)[number];

/** A server that pi 1.5 reads from an mcp.json, without anything that could be a secret. */
export interface McpServer {
  readonly name: string;
  /** The ways in which the model can reach its tools. Empty if the server is switched off. */
  readonly exposures: ReadonlySet<McpExposure>;
  /** The first line of its description. If it's empty, pi gets a description from the running server. */
  readonly summary: string;
}

/** The content of a run's mcp.json files. */
export interface McpConfig {
  readonly servers: readonly McpServer[];
  /** True if pi switches on the tool `codemode` when a server needs it. */
  readonly autoEnableCodemode: boolean;
  /** True if pi ignores one of the files. */
  readonly hasBrokenFile: boolean;
  /** The entries that pi leaves out, by name. */
  readonly refused: ReadonlyMap<string, McpProblem>;
}

/** The content of one mcp.json. */
export interface McpFile {
  readonly text: string;
  /** True if it belongs to the project, which limits what it can do. */
  readonly isProject: boolean;
}

const text = z.string();
const texts = z.record(text, text);

const exposure = z
  .enum([...EXPOSURES, 'codemode-deferred'])
  .transform((name) => (name === 'codemode-deferred' ? 'codemode' : name));

const isLoopback = ({ hostname }: URL): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(hostname);

/** Checks the URL of a field first, so that the check of the whole entry can rely on valid URLs. */
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
    // pi's own client document lists only these addresses.
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

const isType = (type: unknown, ...names: string[]): boolean =>
  type === undefined || (typeof type === 'string' && names.includes(type));

/** Why pi leaves out an entry. It never repeats a value, because that can be a secret. */
export interface McpProblem {
  readonly kind: 'name' | 'transport' | 'value';
  /** The path to the problem within the server. Empty if the problem is the whole server. */
  readonly path: readonly (string | number)[];
  /** A sentence for people. */
  readonly message: string;
}

/** The values that pi accepts in each field, as the end of a sentence. */
const ACCEPTED: Readonly<Record<string, string>> = {
  enabled: 'must be true or false',
  timeout: 'must be a number of seconds above 0',
  description: 'must be text in quotes',
  exposure: 'must be "codemode", "deferred", "direct" or "hidden"',
  toolExposure: 'must give "codemode", "deferred", "direct" or "hidden" to the names of tools',
  args: 'must be a list of strings',
  env: 'must be an object with a text for each name',
  cwd: 'must be text in quotes',
  url: 'must be an http or https address',
  headers: 'must be an object with a text for each name',
  oauth: 'has a value that pi refuses',
  auth: 'needs the name of a provider in "provider", and an https address in "url"',
};

const valueProblem = (error: z.ZodError): McpProblem => {
  const path = (error.issues[0]?.path ?? []).map((step) => (typeof step === 'number' ? step : String(step)));
  // An entry as a whole has only one check, and it's about `auth`.
  const [field = 'auth'] = path;
  return {
    kind: 'value',
    path: path.length === 0 ? [field] : path,
    message: `"${field}" ${ACCEPTED[field] ?? 'has a wrong value'}.`,
  };
};

const transportProblem = (path: readonly string[], message: string): { readonly problem: McpProblem } => ({
  problem: { kind: 'transport', path, message },
});

/** Returns the entry as pi validates it, or why pi refuses it. */
const parseEntry = (
  name: string,
  value: unknown,
): { readonly entry: Entry } | { readonly problem: McpProblem } => {
  if (!/^[A-Za-z0-9_-]+$/.test(name))
    return {
      problem: {
        kind: 'name',
        path: [],
        message: 'The name of an MCP server can contain only letters, digits, "_" and "-".',
      },
    };
  if (!isJsonObject(value))
    return transportProblem([], 'A server must be an object with a "command" or a "url".');
  const { type, url, command } = value;
  if (type === 'sse')
    return transportProblem(['type'], 'pi doesn’t support SSE. Use the server’s streamable HTTP address.');
  if (!isType(type, 'stdio', 'http', 'streamable-http'))
    return transportProblem(['type'], '"type" must be "stdio", "http" or "streamable-http".');
  const isWebsite = typeof url === 'string' && type !== 'stdio';
  if (!isWebsite && !(typeof command === 'string' && isType(type, 'stdio')))
    return transportProblem(
      [],
      type === undefined
        ? 'A server needs a "command" or a "url".'
        : `A server of this type needs a "${type === 'stdio' ? 'command' : 'url'}".`,
    );
  const { data, error } = (isWebsite ? website : program).safeParse(value);
  return data ? { entry: data } : { problem: valueProblem(error) };
};

/** Returns a server's name in the prompt. Two servers can't have the same one. */
const mcpNamespace = (server: string): string => `mcp__${server.replaceAll('-', '_')}`;

const OVERRIDES = new Set(['enabled', 'exposure', 'toolExposure']);

const PROJECT_PROBLEM: { readonly problem: McpProblem } = {
  problem: { kind: 'value', path: [], message: 'A project can change less of a server.' },
};

/** Returns an agent's server with a project's fields, if a project can change them. */
const withOverride = (
  name: string,
  base: Entry | undefined,
  value: JsonObject,
): ReturnType<typeof parseEntry> =>
  base && Object.keys(value).every((key) => OVERRIDES.has(key))
    ? parseEntry(name, { ...base, ...value })
    : PROJECT_PROBLEM;

const toServer = (name: string, { enabled, exposure, toolExposure, description }: Entry): McpServer => ({
  name,
  exposures: new Set(enabled === false ? [] : [exposure ?? 'codemode', ...Object.values(toolExposure ?? {})]),
  summary: description?.trim().split('\n', 1)[0]?.trim() ?? '',
});

/** Returns the object in an mcp.json and its servers. Undefined if pi ignores the file. */
export const parseMcpFile = (text: string): { value: JsonObject; servers: JsonObject } | undefined => {
  try {
    const value: unknown = parseShallowJson(text.replace(/^\uFEFF/, ''));
    if (!isJsonObject(value)) return undefined;
    const { mcpServers: servers = {} } = value;
    return isJsonObject(servers) ? { value, servers } : undefined;
  } catch {
    return undefined;
  }
};

/** Reads a run's mcp.json files as pi 1.5 does. The agent's file comes first. */
export const readMcpConfig = (files: readonly McpFile[]): McpConfig => {
  const known = new Map<string, Entry>();
  const byNamespace = new Map<string, string>();
  const refused = new Map<string, McpProblem>();
  let autoEnableCodemode = true;
  let hasBrokenFile = false;

  const parse = (name: string, value: unknown, isProject: boolean): ReturnType<typeof parseEntry> => {
    if (
      isProject &&
      isJsonObject(value) &&
      ['command', 'url', 'type'].every((key) => value[key] === undefined)
    )
      return withOverride(name, known.get(name), value);
    const parsed = parseEntry(name, value);
    if ('problem' in parsed) return parsed;
    const holder = byNamespace.get(mcpNamespace(name)) ?? name;
    if (holder !== name)
      return {
        problem: {
          kind: 'name',
          path: [],
          message: `pi treats "-" and "_" as the same, so it confuses this name with "${holder}".`,
        },
      };
    // A project can't choose where a sign-in goes.
    const sendsLogin = isProject && 'url' in parsed.entry && Boolean(parsed.entry.auth);
    return sendsLogin ? PROJECT_PROBLEM : parsed;
  };

  for (const file of files) {
    const parsed = parseMcpFile(file.text);
    if (!parsed) {
      hasBrokenFile = true;
      continue;
    }
    if (typeof parsed.value.autoEnableCodemode === 'boolean')
      autoEnableCodemode = parsed.value.autoEnableCodemode;
    for (const [name, value] of Object.entries(parsed.servers)) {
      const next = parse(name, value, file.isProject);
      if ('problem' in next) {
        refused.set(name, next.problem);
        continue;
      }
      known.set(name, next.entry);
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
/** The section's length limit, in UTF-16 code units. */
const MAX_SECTION = 4096;

/** Returns the servers that the section lists: those with tools that aren't declared to the model. */
export const listedServers = ({ servers }: McpConfig): McpServer[] =>
  servers
    .filter(({ exposures }) => exposures.has('codemode') || exposures.has('deferred'))
    .sort((a, b) => a.name.localeCompare(b.name));

/** Returns the tools that MCP switches on, so that the model can reach tools that aren't declared. */
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

/** Returns the parts of the section `mcp_servers`: the start, a line for each server that fits, and how many don't. */
const sectionParts = (config: McpConfig) => {
  const listed = listedServers(config);
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

  // The summaries share the remaining space. Each follows a colon and a space.
  const room = kept === 0 ? 0 : Math.min(MAX_SUMMARY, Math.floor((MAX_SECTION - size()) / kept) - 2);
  const lines = listed.slice(0, kept).map(({ name, summary }, index) => {
    const shown = room > 0 ? shortened(summary, room) : '';
    return { name, text: shown === '' ? (heads[index] ?? '') : `${heads[index]}: ${shown}` };
  });
  return { intro, lines, leftOut: heads.length - kept };
};

/** Returns the text of the section `mcp_servers`, without its tags. Empty if it lists no servers. */
export const mcpSection = (config: McpConfig): string => {
  const { intro, lines, leftOut } = sectionParts(config);
  if (lines.length === 0 && leftOut === 0) return '';
  return `${intro}${lines.map(({ text }) => text).join('')}${leftOutLine(leftOut)}`;
};

/** A server's share of the prompt. */
interface McpShare {
  readonly name: string;
  /** Its line in the section `mcp_servers`, with the line break before it. Empty if it has none. */
  readonly text: string;
  /** False if the share is incomplete, because pi adds a description or tools that only the running server knows. */
  readonly isKnown: boolean;
}

/** Returns what each server adds to the prompt, if it's on. */
export const mcpShares = (config: McpConfig): McpShare[] => {
  const lines = new Map(sectionParts(config).lines.map(({ name, text }) => [name, text]));
  const listed = new Set(listedServers(config));
  return config.servers
    .filter(({ exposures }) => exposures.size > 0)
    .map((server) => ({
      name: server.name,
      text: lines.get(server.name) ?? '',
      isKnown: !server.exposures.has('direct') && (server.summary !== '' || !listed.has(server)),
    }));
};
