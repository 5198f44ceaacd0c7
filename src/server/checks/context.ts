import type { Diagnostic } from '../../shared/api/catalog.ts';
import { type PiArgsLine, type PiArgUse, piArgsLines, usesOf } from '../../shared/pi/pi-args.ts';
import { type PlacedFrontmatter, placeFrontmatter } from '../catalog/frontmatter.ts';
import { checkSkill } from '../catalog/skill-rules.ts';
import { type CheckedText, toCheckedText } from './checked-text.ts';
import { type JsonDocument, parseJson } from './json-document.ts';
import type { AgentSnapshot, CheckedFile, CheckFacts, FileState, SkillSnapshot } from './snapshot.ts';

/** What the rules about an agent know. Every part is made once, when the first rule asks for it. */
export interface AgentContext {
  readonly agent: AgentSnapshot;
  readonly facts: CheckFacts;
  /** Undefined if the file is missing or refused. `agent.files` says which. */
  text(file: CheckedFile): CheckedText | undefined;
  json(file: 'settings.json' | 'models.json'): JsonDocument | undefined;
  /** The frontmatter of AGENT.md. */
  agentMd(): PlacedFrontmatter | undefined;
  /** The lines of pi-args that hold arguments. Empty without the file. */
  piArgsLines(): readonly PiArgsLine[];
  /** The arguments of pi-args as pi reads them, in order. */
  piArgs(): readonly PiArgUse[];
}

/** What the rules about a skill know. */
export interface SkillContext {
  readonly skill: SkillSnapshot;
  /** SKILL.md, or the beginning of a very long one. Undefined if it is missing or refused. */
  text(): CheckedText | undefined;
  frontmatter(): PlacedFrontmatter | undefined;
  /** SKILL.md and the other documents and scripts, by their paths. */
  texts(): ReadonlyMap<string, CheckedText>;
  /** What the catalog reports: why the frontmatter can't be read, or how it breaks the specification. */
  diagnostics(): readonly Diagnostic[];
}

const once = <T>(make: () => T): (() => T) => {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};

const textOf = (file: FileState): string | undefined => (file.kind === 'text' ? file.text : undefined);

const frontmatters = new WeakMap<FileState, PlacedFrontmatter>();

/** The frontmatter of a file, parsed once: an agent's facts and a skill's rules need the same. */
export const frontmatterOf = (file: FileState): PlacedFrontmatter | undefined => {
  if (file.kind !== 'text') return undefined;
  const parsed = frontmatters.get(file) ?? placeFrontmatter(file.text);
  frontmatters.set(file, parsed);
  return parsed;
};

/** The most characters of pi-args whose arguments are read. A real one has a few hundred. */
const MAX_ARGS_CHARACTERS = 64 * 1024;

/** The most characters of a SKILL.md whose lines are checked. A real one has some thousand. */
const MAX_SKILL_CHARACTERS = 256 * 1024;

/** The beginning of a text, in whole lines. */
const cut = (text: string, max: number): string =>
  text.length <= max ? text : text.slice(0, text.lastIndexOf('\n', max) + 1);

/** Whether there is more in an agent than its rules are shown. */
export const isAgentCut = ({ files }: AgentSnapshot): boolean =>
  (textOf(files['pi-args'])?.length ?? 0) > MAX_ARGS_CHARACTERS;

/** Whether there is more in a skill than its rules are shown. */
export const isSkillCut = ({ file }: SkillSnapshot): boolean =>
  (textOf(file)?.length ?? 0) > MAX_SKILL_CHARACTERS;

/** Creates what the rules about an agent know. */
export const toAgentContext = (agent: AgentSnapshot, facts: CheckFacts): AgentContext => {
  const texts = new Map<CheckedFile, CheckedText | undefined>();
  const jsons = new Map<CheckedFile, JsonDocument | undefined>();
  const raw = (file: CheckedFile) => textOf(agent.files[file]);
  const lines = once(() => piArgsLines(cut(raw('pi-args') ?? '', MAX_ARGS_CHARACTERS)));
  const text = (file: CheckedFile) => {
    const content = raw(file);
    if (!texts.has(file)) texts.set(file, content === undefined ? undefined : toCheckedText(content));
    return texts.get(file);
  };
  return {
    agent,
    facts,
    text,
    json: (file) => {
      const content = raw(file);
      if (!jsons.has(file))
        jsons.set(
          file,
          content === undefined ? undefined : parseJson(content, { comments: file === 'models.json' }),
        );
      return jsons.get(file);
    },
    agentMd: () => frontmatterOf(agent.files['AGENT.md']),
    piArgsLines: lines,
    piArgs: once(() => usesOf(lines().flatMap(({ args }) => args))),
  };
};

/** Creates what the rules about a skill know. */
export const toSkillContext = (skill: SkillSnapshot): SkillContext => {
  const content = textOf(skill.file);
  const frontmatter = () => frontmatterOf(skill.file);
  const text = once(() =>
    content === undefined ? undefined : toCheckedText(cut(content, MAX_SKILL_CHARACTERS)),
  );
  return {
    skill,
    text,
    frontmatter,
    texts: once(() => {
      const main = text();
      const others = skill.texts.map(({ path, text: other }) => [path, toCheckedText(other)] as const);
      return new Map([...(main ? [['SKILL.md', main] as const] : []), ...others]);
    }),
    diagnostics: once(() => {
      const read = frontmatter();
      if (!read) return [];
      return read.diagnostics.length > 0 ? read.diagnostics : checkSkill(read.data, skill.name);
    }),
  };
};
