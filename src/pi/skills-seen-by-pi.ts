import type { PiVersion } from './flags.ts';
import { IGNORE_FILES, type IgnoreRules, ignoreRulesIn, isIgnored } from './ignore-rules.ts';

/** The disk, as pi sees it through links. Nothing here throws. Unreadable entries count as missing. */
export interface PiDisk {
  /** The entries of a directory in the system's order, or undefined if it can't be listed. */
  list(directory: string): readonly PiEntry[] | undefined;
  /** The text of a regular file. */
  readText(path: string): string | undefined;
  /** The text of a skill. Unlike other text, it can contain NUL bytes. */
  readSkill(path: string): string | undefined;
  /** The path with links resolved. */
  realPath(path: string): string;
  /** The path of an entry of a directory. */
  join(directory: string, name: string): string;
}

/** An entry of a directory. A link has the kind of its target, and a broken link is `other`. */
export interface PiEntry {
  readonly name: string;
  readonly kind: 'file' | 'directory' | 'other';
}

/** A skill that pi loads. */
export interface SeenSkill {
  readonly name: string;
  readonly description: string;
  /** The path where pi found it, with links unresolved. */
  readonly path: string;
  /** False if `disable-model-invocation` hides it from the model. */
  readonly inPrompt: boolean;
}

/** Why pi leaves out a file that looks like a skill. */
type LeftOutReason =
  | 'ignored'
  | 'switched_off'
  | 'no_frontmatter'
  | 'no_description'
  | 'same_file'
  | 'same_name';

/** A file that pi leaves out. `winner` is the path of the skill that pi uses instead. */
export interface LeftOutSkill {
  readonly path: string;
  readonly reason: LeftOutReason;
  readonly winner?: string;
}

/** An agent's skills, in the prompt's order. */
export interface SeenSkills {
  readonly skills: readonly SeenSkill[];
  readonly leftOut: readonly LeftOutSkill[];
  /** The paths of skills that exceed dot-mi's limits, but that pi may load. */
  readonly unread: readonly string[];
}

/** Parses frontmatter. `refused`: pi can't parse it. `unknown`: it exceeds dot-mi's limits. */
export type ReadFrontmatter = (text: string) => {
  readonly result: 'read' | 'none' | 'refused' | 'unknown';
  readonly data: Readonly<Record<string, unknown>>;
};

/**
 * The kind of place. `agent`: the agent's directory, `.pi/skills` and `--skill`, where loose Markdown files count at the
 * top level. `shared`: `.agents/skills`, where they count below the top level.
 */
type SkillPlace = 'agent' | 'shared';

/** The limit for entries that a search reads, because links can form a cycle. */
const MAX_ENTRIES = 20_000;

/** Creates a search for skill files. Its calls share one limit on entries. */
export const createSkillSearch = (disk: PiDisk, version: PiVersion) => {
  let entriesLeft = MAX_ENTRIES;
  const leftOut: LeftOutSkill[] = [];

  const search = (top: string, place: SkillPlace): string[] => {
    const countsLoose = (isTop: boolean): boolean =>
      place === 'agent' ? isTop : !isTop && version !== '0.73';
    const look = (
      directory: string,
      way: readonly string[],
      above: IgnoreRules,
      parents: readonly string[],
    ) => {
      const entries = disk.list(directory);
      const realPath = disk.realPath(directory);
      if (!entries || parents.includes(realPath)) return [];
      const prefix = way.map((name) => `${name}/`).join('');
      const rules = [...above];
      for (const name of IGNORE_FILES) {
        if (!entries.some((entry) => entry.name === name)) continue;
        rules.push(...ignoreRulesIn(disk.readText(disk.join(directory, name)) ?? '', prefix));
      }
      const hides = ({ name, kind }: PiEntry): boolean =>
        isIgnored(rules, `${prefix}${name}`, kind === 'directory');
      const main = entries.find(({ name, kind }) => name === 'SKILL.md' && kind === 'file');
      if (main) {
        const path = disk.join(directory, 'SKILL.md');
        if (!hides(main)) return [path];
        leftOut.push({ path, reason: 'ignored' });
      }
      const found: string[] = [];
      for (const entry of entries) {
        const { name, kind } = entry;
        if (name.startsWith('.') || name === 'node_modules' || kind === 'other' || --entriesLeft < 0)
          continue;
        const path = disk.join(directory, name);
        if (kind === 'directory') {
          if (!hides(entry)) found.push(...look(path, [...way, name], rules, [...parents, realPath]));
          else if (disk.readSkill(disk.join(path, 'SKILL.md')) !== undefined)
            leftOut.push({ path: disk.join(path, 'SKILL.md'), reason: 'ignored' });
        } else if (name.endsWith('.md') && countsLoose(way.length === 0) && !hides(entry)) found.push(path);
      }
      return found;
    };
    return look(top, [], [], []);
  };

  return { search, leftOut, hasEnded: () => entriesLeft < 0 };
};

const NO_FIELDS: ReturnType<ReadFrontmatter> = { result: 'none', data: {} };

/** Returns whether a path is that of a SKILL.md, not of a loose Markdown file. */
const isSkillFile = (path: string): boolean => /(^|[\\/])SKILL\.md$/.test(path);

const parentName = (path: string): string => path.split(/[\\/]/).at(-2) ?? '';

/**
 * Loads the skills in these files, in order. If several have the same name, or several links point to the same file, the
 * first wins.
 */
export const loadSkills = (
  disk: PiDisk,
  readFrontmatter: ReadFrontmatter,
  paths: readonly string[],
  version: PiVersion,
): SeenSkills => {
  const byName = new Map<string, SeenSkill>();
  const byFile = new Map<string, SeenSkill>();
  const leftOut: LeftOutSkill[] = [];
  const unread: string[] = [];
  for (const path of paths) {
    const realPath = disk.realPath(path);
    const sameFile = byFile.get(realPath);
    if (sameFile) {
      leftOut.push({ path, reason: 'same_file', winner: sameFile.path });
      continue;
    }
    const text = disk.readSkill(path);
    if (text === undefined) continue;
    const { result, data } =
      version === '0.73' && text.startsWith('\uFEFF') ? NO_FIELDS : readFrontmatter(text);
    if (result === 'unknown') {
      unread.push(path);
      continue;
    }
    const { description } = data;
    if (typeof description !== 'string' || description.trim() === '') {
      if (isSkillFile(path))
        leftOut.push({ path, reason: result === 'refused' ? 'no_frontmatter' : 'no_description' });
      continue;
    }
    const name = typeof data.name === 'string' && data.name !== '' ? data.name : parentName(path);
    const sameName = byName.get(name);
    if (sameName) {
      leftOut.push({ path, reason: 'same_name', winner: sameName.path });
      continue;
    }
    const skill = { name, description, path, inPrompt: data['disable-model-invocation'] !== true };
    byName.set(name, skill);
    byFile.set(realPath, skill);
  }
  return { skills: [...byName.values()], leftOut, unread };
};
