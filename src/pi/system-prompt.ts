import { SECTION_NAMES, type SectionName } from '../shared/api/prompt.ts';
import { ofVersion, type PiVersion } from './flags.ts';
import texts from './pi-texts.json' with { type: 'json' };
import type { SeenSkill } from './skills-seen-by-pi.ts';
import { toolTexts } from './tools.ts';

/** The parts from which pi builds its prompt. Strings are as in their files, without a byte order mark. */
interface PromptParts {
  /** The text that replaces pi's own prompt. If it is empty, pi uses its own. */
  readonly custom: string | undefined;
  readonly addendum: string;
  readonly contextFiles: readonly { readonly path: string; readonly text: string }[];
  /** Every skill that pi loads. */
  readonly skills: readonly SeenSkill[];
  readonly tools: readonly string[];
  /** The tools that only scripts can call. The prompt doesn't mention them. */
  readonly hiddenTools: readonly string[];
  /** The working directory. */
  readonly cwd: string;
  /** The text that agent-prompt.ts adds from AGENT.md. Empty if there is none. */
  readonly agentText: string;
  /** The list of MCP servers. Empty if there is none. */
  readonly mcpText: string;
  /** The directory of pi's package, which pi's own prompt names. */
  readonly piDirectory: string;
  /** The day of the run, such as `2026-11-22`. Only 0.73 writes it. */
  readonly date: string;
}

/** A section of a prompt, with its tags and without the separator that follows. */
interface SystemPromptSection {
  readonly name: SectionName;
  readonly text: string;
}

/** A prompt and its sections. */
interface BuiltPrompt {
  readonly text: string;
  readonly sections: readonly SystemPromptSection[];
}

/** Replaces the directory of pi's package while it is unknown. */
export const UNKNOWN_PI_DIRECTORY = '<directory of pi>';

const rulesText = (tools: readonly string[], version: PiVersion): string => {
  const has = (...names: string[]) => names.some((name) => tools.includes(name));
  const explores = has('grep', 'find', 'ls');
  const rules = [
    ...(has('bash') && !explores ? [texts.rules.explore] : []),
    ...(has('bash') && explores && version === '0.73' ? [texts.rules.exploreWithTools] : []),
    ...tools.flatMap((name) => toolTexts(name, version)?.rules ?? []),
    ...texts.rules.always,
  ];
  return [...new Set(rules)].map((rule) => `- ${rule}`).join('\n');
};

/** The parts of pi's own prompt, which pi uses without a SYSTEM.md. They have no tags. */
const defaultPrompt = (tools: readonly string[], version: PiVersion, piDirectory: string) => {
  const lines = tools.flatMap((name) => {
    const snippet = toolTexts(name, version)?.snippet;
    return snippet === undefined ? [] : [`- ${name}: ${snippet}`];
  });
  return {
    preamble: ofVersion(texts.preamble, version),
    tools: `${lines.length > 0 ? lines.join('\n') : '(none)'}\n\n${ofVersion(texts.moreTools, version)}`,
    rules: rulesText(tools, version),
    docs: ofVersion(texts.docs, version)
      .map((line) => line.replace('{pi}', () => piDirectory))
      .join('\n'),
  };
};

const escapeXml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&apos;');

/** One skill of `<available_skills>`, as every version writes it. */
export const skillText = ({ name, description, path }: SeenSkill): string =>
  [
    '  <skill>',
    `    <name>${escapeXml(name)}</name>`,
    `    <description>${escapeXml(description)}</description>`,
    `    <location>${escapeXml(path)}</location>`,
    '  </skill>',
  ].join('\n');

/** How the model reads skills: with its own tool, or with one that only scripts can call. */
type SkillReader = 'read' | 'bash' | 'hidden';

const skillsText = (skills: readonly SeenSkill[], reader: SkillReader, version: PiVersion): string =>
  [
    texts.skills.title,
    texts.skills[reader],
    ofVersion(texts.skills.paths, version),
    '',
    '<available_skills>',
    ...skills.map(skillText),
    '</available_skills>',
  ].join('\n');

/** How the model reads skills. Undefined: it can't, and pi doesn't mention skills. */
export const skillReader = (
  { tools, hiddenTools }: Pick<PromptParts, 'tools' | 'hiddenTools'>,
  version: PiVersion,
): SkillReader | undefined => {
  const readers = version === '0.73' ? (['read'] as const) : (['read', 'bash'] as const);
  const reader = readers.find((tool) => tools.includes(tool));
  return reader ?? (readers.some((tool) => hiddenTools.includes(tool)) ? 'hidden' : undefined);
};

const shownSkills = (parts: PromptParts, version: PiVersion): string => {
  const { skills } = parts;
  const reader = skillReader(parts, version);
  const shown = skills.filter(({ inPrompt }) => inPrompt);
  return reader === undefined || shown.length === 0 ? '' : skillsText(shown, reader, version);
};

const CONTEXT_TITLE = texts.context;

/** The prompt of pi 0.87 and later: sections in tags, joined by blank lines. */
const taggedPrompt = (parts: PromptParts, version: PiVersion): BuiltPrompt => {
  const { custom, addendum, contextFiles, tools, cwd, agentText } = parts;
  const own = custom ? { preamble: custom } : defaultPrompt(tools, version, parts.piDirectory);
  const context = contextFiles.map(
    ({ path, text }) => `<project_instructions path="${path}">\n${text}\n</project_instructions>`,
  );
  const contents: Partial<Record<SectionName, string>> = {
    ...own,
    ...(addendum ? { addendum } : {}),
    ...(context.length > 0 ? { project_context: [CONTEXT_TITLE, ...context].join('\n\n') } : {}),
    skills: shownSkills(parts, version),
    cwd: cwd.replaceAll('\\', '/'),
    agent: agentText,
    mcp_servers: parts.mcpText,
  };
  const sections = SECTION_NAMES.flatMap((name): SystemPromptSection[] => {
    const content = contents[name];
    if (!content) return [];
    return [{ name, text: name === 'preamble' ? content : `<${name}>\n${content}\n</${name}>` }];
  });
  return { text: sections.map(({ text }) => text).join('\n\n'), sections };
};

/** The prompt of pi 0.73, which has no sections. Its skills follow the context without a blank line. */
const plainPrompt = (parts: PromptParts): BuiltPrompt => {
  const { custom, addendum, contextFiles, tools, cwd, date, agentText } = parts;
  const own = defaultPrompt(tools, '0.73', parts.piDirectory);
  const context = contextFiles.map(({ path, text }) => `## ${path}\n\n${text}\n\n`).join('');
  const skills = shownSkills(parts, '0.73');
  const pieces: readonly (readonly [name: SectionName, before: string, text: string, after: string])[] = [
    ['preamble', '', custom || own.preamble, ''],
    ...(custom
      ? []
      : ([
          ['tools', '\n\n', `Available tools:\n${own.tools}`, ''],
          ['rules', '\n\n', `Guidelines:\n${own.rules}`, ''],
          ['docs', '\n\n', own.docs, ''],
        ] as const)),
    ['addendum', '\n\n', addendum, ''],
    [
      'project_context',
      '\n\n',
      context && `# Project Context\n\n${CONTEXT_TITLE}\n\n${context.slice(0, -2)}`,
      '\n\n',
    ],
    ['skills', '\n\n', skills, ''],
    ['cwd', '\n', `Current date: ${date}\nCurrent working directory: ${cwd.replaceAll('\\', '/')}`, ''],
    ['agent', '\n\n', agentText, ''],
  ];
  const written = pieces.filter(([, , text]) => text !== '');
  return {
    text: written.map(([, before, text, after]) => `${before}${text}${after}`).join(''),
    sections: written.map(([name, , text]) => ({ name, text })),
  };
};

/** Builds the prompt that a version of pi sends, byte for byte. Extensions can still change it. */
export const buildPrompt = (parts: PromptParts, version: PiVersion): BuiltPrompt =>
  version === '0.73' ? plainPrompt(parts) : taggedPrompt(parts, version);
