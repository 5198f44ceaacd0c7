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

/** Returns the parts of an AGENT.md. The head is its frontmatter, or undefined if it has none. */
const partsOf = (text: string): { readonly head: string | undefined; readonly body: string } => {
  const whole = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  if (!/^---[^\S\n]*(?=\n|$)/.test(whole)) return { head: undefined, body: whole };
  const end = /\n---[^\S\n]*(?=\n|$)/.exec(whole);
  return end
    ? { head: whole.slice(0, end.index), body: whole.slice(end.index + end[0].length) }
    : { head: '', body: '' };
};

/** The limit for the frontmatter of an AGENT.md that dot-mi interprets, in UTF-16 code units. */
const MOST_FRONTMATTER = 64 * 1024;

/** Returns whether the frontmatter of an AGENT.md is too long to interpret. */
export const hasLongFrontmatter = (text: string): boolean =>
  text.length > MOST_FRONTMATTER && (partsOf(text).head?.length ?? 0) > MOST_FRONTMATTER;

/** Reads an AGENT.md. Leaves out keys that the extension can't use. */
export const parseAgentFile = (text: string): AgentMd => {
  const { head = '', body } = partsOf(text);
  let file: AgentMd = { body: body.trim() };
  for (const [, key, raw = ''] of head.matchAll(/\n(tools|model)[^\S\n]*:(.*)(?=\n|$)/g)) {
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

/**
 * Returns the text of an AGENT.md with another model, and changes nothing else. Undefined if it names no model that the
 * extension uses, or if the new name has no provider.
 */
export const withAgentFileModel = (text: string, name: string): string | undefined => {
  if (!/^[^/\s#"']+\/[^\s#"']+$/.test(name) || !parseAgentFile(text).model) return undefined;
  const end = /\n---[^\S\n]*(?=\r?\n|$)/.exec(text)?.index ?? text.length;
  // The last valid line counts.
  const line = [...text.slice(0, end).matchAll(/\nmodel[^\S\n]*:[^\S\n]*(["']?)[^\s"'#/]+\/[^\s"'#]+\1/g)].at(
    -1,
  );
  if (!line) return undefined;
  const [whole, quote] = line;
  const value = whole.search(/:/) + 1;
  const head = /^[^\S\n]*/.exec(whole.slice(value))?.[0] ?? '';
  const start = line.index + value + head.length;
  const changed = `${text.slice(0, start)}${quote}${name}${quote}${text.slice(line.index + whole.length)}`;
  const { model } = parseAgentFile(changed);
  return model && `${model.provider}/${model.id}` === name ? changed : undefined;
};
