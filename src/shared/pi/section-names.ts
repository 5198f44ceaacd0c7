/** The names of the parts of a prompt, in their order. `agent` comes from AGENT.md, `mcp_servers` from mcp.json. */
export const SECTION_NAMES = [
  'preamble',
  'tools',
  'rules',
  'docs',
  'addendum',
  'project_context',
  'skills',
  'cwd',
  'agent',
  'mcp_servers',
] as const;

/** One of {@link SECTION_NAMES}. */
export type SectionName = (typeof SECTION_NAMES)[number];
