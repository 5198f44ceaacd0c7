import { type McpConfig, type McpServer, mcpNamespace } from './mcp-config.ts';
import texts from './pi-texts.json' with { type: 'json' };

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
  const { title, codemode, tool_search: toolSearch } = texts.mcp;
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
