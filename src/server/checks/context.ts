import { type PiArgsLine, type PiArgUse, piArgsLines, usesOf } from '../../pi/pi-args.ts';
import type { Diagnostic } from '../../shared/api/catalog.ts';
import { type CheckedText, toCheckedText } from '../../shared/checked-text.ts';
import { type JsonDocument, parseJson } from '../../shared/json-document.ts';
import { type PlacedFrontmatter, placeFrontmatter } from '../catalog/frontmatter.ts';
import { checkSkill } from '../catalog/skill-rules.ts';
import {
  type AgentSnapshot,
  CHECKED_FILES,
  type CheckedFile,
  type CheckFacts,
  type FileState,
  type SkillSnapshot,
  type SkillTextFile,
  textOf,
} from './snapshot.ts';

/** The facts that rules about an agent use. Each part is computed on first use. */
export interface AgentContext {
  readonly agent: AgentSnapshot;
  readonly facts: CheckFacts;
  /** The file's text, truncated if it's very long. Undefined if the file is missing or refused (see `agent.files`). */
  text(file: CheckedFile): CheckedText | undefined;
  json(file: 'settings.json' | 'models.json' | 'mcp.json'): JsonDocument | undefined;
  agentMd(): PlacedFrontmatter | undefined;
  /** The lines of pi-args that hold arguments. Empty if the file is missing. */
  piArgsLines(): readonly PiArgsLine[];
  /** pi-args as pi parses them, in order. */
  piArgs(): readonly PiArgUse[];
}

/** The facts that rules about a skill use. */
export interface SkillContext {
  readonly skill: SkillSnapshot;
  /** SKILL.md, truncated if it's very long. Undefined if it's missing or refused. */
  text(): CheckedText | undefined;
  frontmatter(): PlacedFrontmatter | undefined;
  /** SKILL.md and the other documents and scripts, by path. */
  texts(): ReadonlyMap<string, CheckedText>;
  /** The catalog's diagnostics: why the frontmatter can't be parsed, or how it violates the specification. */
  diagnostics(): readonly Diagnostic[];
}

const once = <T>(make: () => T): (() => T) => {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};

const frontmatters = new WeakMap<FileState, PlacedFrontmatter>();

/** Returns a file's frontmatter, parsed once for both an agent's facts and a skill's rules. */
export const frontmatterOf = (file: FileState): PlacedFrontmatter | undefined => {
  if (file.kind !== 'text') return undefined;
  const parsed = frontmatters.get(file) ?? placeFrontmatter(file.text);
  frontmatters.set(file, parsed);
  return parsed;
};

/** The limits for the text that rules see. */
interface Limits {
  readonly characters: number;
  readonly lines: number;
}

const KIBI = 1024;
/** A real prompt or SKILL.md has a few thousand characters. */
const OF_TEXT: Limits = { characters: 256 * KIBI, lines: 10_000 };
const OF_ARGUMENTS: Limits = { characters: 64 * KIBI, lines: 10_000 };
/** A models.json can list the models of many providers. */
const OF_JSON: Limits = { characters: 1024 * KIBI, lines: 50_000 };
/** For all of a skill's documents and scripts together. */
const OF_SKILL_FILES: Limits = { characters: 512 * KIBI, lines: 20_000 };

const limitsOf = (file: CheckedFile): Limits =>
  file === 'pi-args' ? OF_ARGUMENTS : file.endsWith('.json') ? OF_JSON : OF_TEXT;

/** Returns the start of some text, in whole lines unless the first one is too long. */
const cut = (text: string, { characters, lines }: Limits): string => {
  let end = 0;
  for (let line = 0; line < lines; line++) {
    const next = text.indexOf('\n', end) + 1;
    if (next === 0 && text.length <= characters) return text;
    if (next === 0 || next > characters) return text.slice(0, end === 0 ? characters : end);
    end = next;
  }
  return text.slice(0, end);
};

const isCut = (file: FileState, limits: Limits): boolean => {
  const text = textOf(file) ?? '';
  return cut(text, limits).length < text.length;
};

/** Returns a skill's other files, up to the limits. */
const cutFiles = ({ texts }: SkillSnapshot): SkillTextFile[] => {
  const left = { ...OF_SKILL_FILES };
  return texts.flatMap(({ path, text }) => {
    const shown = left.characters > 0 && left.lines > 0 ? cut(text, left) : '';
    left.characters -= shown.length;
    left.lines -= shown.split('\n', OF_SKILL_FILES.lines).length;
    return shown === '' ? [] : [{ path, text: shown }];
  });
};

/** Returns whether an agent has more text than its rules see. */
export const isAgentCut = (agent: AgentSnapshot): boolean =>
  agent.isCut === true || CHECKED_FILES.some((name) => isCut(agent.files[name], limitsOf(name)));

const lengthOf = (texts: readonly SkillTextFile[]) => texts.reduce((sum, { text }) => sum + text.length, 0);

/** Returns how many of a skill's characters its rules see. */
export const shownLength = (skill: SkillSnapshot): number =>
  cut(textOf(skill.file) ?? '', OF_TEXT).length + lengthOf(cutFiles(skill));

/** Returns whether a skill has more text than its rules see. */
export const isSkillCut = (skill: SkillSnapshot): boolean =>
  skill.isCut === true || isCut(skill.file, OF_TEXT) || lengthOf(cutFiles(skill)) < lengthOf(skill.texts);

/** Creates the facts that rules about an agent use. */
export const toAgentContext = (agent: AgentSnapshot, facts: CheckFacts): AgentContext => {
  const texts = new Map<CheckedFile, CheckedText | undefined>();
  const jsons = new Map<CheckedFile, JsonDocument | undefined>();
  const raw = (file: CheckedFile) => textOf(agent.files[file]);
  const lines = once(() => piArgsLines(cut(raw('pi-args') ?? '', OF_ARGUMENTS)));
  const text = (file: CheckedFile) => {
    const content = raw(file);
    if (!texts.has(file))
      texts.set(file, content === undefined ? undefined : toCheckedText(cut(content, limitsOf(file))));
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
    // The extension that reads AGENT.md accepts nothing but spaces after the first "---".
    agentMd: () =>
      /^\uFEFF?---[^\S\r\n]*\r?\n/.test(raw('AGENT.md') ?? '')
        ? frontmatterOf(agent.files['AGENT.md'])
        : undefined,
    piArgsLines: lines,
    piArgs: once(() => usesOf(lines().flatMap(({ args }) => args))),
  };
};

/** Creates the facts that rules about a skill use. */
export const toSkillContext = (skill: SkillSnapshot): SkillContext => {
  const content = textOf(skill.file);
  const frontmatter = () => frontmatterOf(skill.file);
  const text = once(() => (content === undefined ? undefined : toCheckedText(cut(content, OF_TEXT))));
  return {
    skill,
    text,
    frontmatter,
    texts: once(() => {
      const main = text();
      const others = cutFiles(skill).map(({ path, text: other }) => [path, toCheckedText(other)] as const);
      return new Map([...(main ? [['SKILL.md', main] as const] : []), ...others]);
    }),
    diagnostics: once(() => {
      const read = frontmatter();
      if (!read) return [];
      return read.diagnostics.length > 0 ? read.diagnostics : checkSkill(read.data, skill.name);
    }),
  };
};
