/** The content of an AGENT.md, as the starter root's extension agent-prompt.ts reads it. */
export interface AgentMd {
  readonly tools?: readonly string[];
  readonly model?: { readonly provider: string; readonly id: string };
  /** The text that goes into the prompt, trimmed. Empty if there's none. */
  readonly body: string;
}

/** The extensions in `extensions/` that read AGENT.md: the starter root's and dot-pi's. pi itself doesn't read it. */
export const AGENT_PROMPT_EXTENSIONS: readonly (readonly string[])[] = [
  ['agent-prompt.ts'],
  ['agent-prompt', 'index.ts'],
];

const unquoted = (text: string): string => text.trim().replace(/^(["'])(.*)\1$/, '$2');

/** Reads an AGENT.md. Leaves out keys that the extension can't use. */
export const parseAgentFile = (text: string): AgentMd => {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (lines[0]?.trimEnd() !== '---') return { body: lines.join('\n').trim() };
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === '---');
  if (end === -1) return { body: '' };
  let file: AgentMd = {
    body: lines
      .slice(end + 1)
      .join('\n')
      .trim(),
  };
  for (const line of lines.slice(1, end)) {
    const [, key, raw = ''] = /^(tools|model)\s*:(.*)$/.exec(line) ?? [];
    if (key === undefined) continue;
    const comment = raw.search(/\s#/);
    const value = unquoted(comment === -1 ? raw : raw.slice(0, comment));
    if (key === 'tools') {
      const list = value.startsWith('[') && value.endsWith(']') ? value.slice(1, -1) : value;
      const tools = list
        .split(',')
        .map(unquoted)
        .filter((name) => name !== '');
      if (tools.length > 0) file = { ...file, tools };
    } else {
      const [, provider, id] = /^([^/\s]+)\/(\S+)$/.exec(value) ?? [];
      if (provider !== undefined && id !== undefined) file = { ...file, model: { provider, id } };
    }
  }
  return file;
};
