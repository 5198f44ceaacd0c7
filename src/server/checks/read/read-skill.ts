import { join } from 'node:path';
import { MAX_FRONTMATTER_CHARACTERS } from '../../catalog/frontmatter.ts';
import type { Inside } from '../../platform/resolves-outside.ts';
import type { PathRecord } from '../../root-model/path-record.ts';
import { listFolder } from '../../root-model/reader.ts';
import { frontmatterOf } from '../context.ts';
import type { FileState, SkillFacts, SkillSnapshot, SkillTextFile } from '../snapshot.ts';
import { isCut, type ReadBudget, readMarkdown, readRecorded } from './read-file.ts';

/** How deep a skill's paths are listed. References are one level deep in a good skill. */
const MAX_DEPTH = 6;

/** Lists the paths below a directory, relative to it. Returns whether the list is complete. */
const listPaths = (
  directory: string,
  record: PathRecord,
  budget: ReadBudget,
  inside: Inside,
): [string[], boolean] => {
  const paths: string[] = [];
  let isAll = true;
  const walk = (relative: string, depth: number): void => {
    for (const entry of listFolder(join(directory, relative), record, inside)) {
      if (--budget.entries < 0) {
        isAll = false;
        return;
      }
      const path = `${relative}${entry.name}`;
      // SECURITY: don't follow links, which may point outside the root or form a cycle.
      if (entry.isSymbolicLink()) {
        isAll = false;
        if (!inside.followsLinks || record.stat(join(directory, path))?.isDirectory()) budget.isCut = true;
      }
      paths.push(entry.isDirectory() ? `${path}/` : path);
      if (!entry.isDirectory()) continue;
      if (depth === MAX_DEPTH) {
        isAll = false;
        budget.isCut = true;
      } else walk(`${path}/`, depth + 1);
    }
  };
  walk('', 1);
  return [paths.sort(), isAll];
};

/** Files that a model reads or runs. Other files are data. */
const TEXT_FILE = /\.(?:md|markdown|txt|sh|bash|zsh|fish|ps1|py|rb|pl|js|mjs|cjs|ts)$/i;
const MAX_TEXTS = 50;
/** The limit for all of a skill's texts together, so that one skill can't keep the thread busy. */
const MAX_TEXT_CHARACTERS = 512 * 1024;

/** Reads a skill's documents and scripts, which the security rules scan. */
const readTexts = (
  directory: string,
  paths: readonly string[],
  { record, budget, inside }: { record: PathRecord; budget: ReadBudget; inside: Inside },
): SkillTextFile[] => {
  const texts: SkillTextFile[] = [];
  let left = MAX_TEXT_CHARACTERS;
  for (const path of paths) {
    if (!TEXT_FILE.test(path) || path === 'SKILL.md') continue;
    if (left === 0 || texts.length === MAX_TEXTS) {
      budget.isCut = true;
      break;
    }
    const file = readRecorded(join(directory, path), record, budget, inside);
    budget.isCut ||= file.kind === 'refused';
    if (file.kind !== 'text') continue;
    const text = file.text.slice(0, left);
    budget.isCut ||= text.length < file.text.length;
    left -= text.length;
    texts.push({ path, text });
  }
  return texts;
};

/** Reads a skill's directory. Blocks. Reads only files in `inside`. */
export const readSkill = (
  name: string,
  directory: string,
  { record, budget, inside }: { record: PathRecord; budget: ReadBudget; inside: Inside },
): SkillSnapshot => {
  const file = readMarkdown(join(directory, 'SKILL.md'), record, budget, inside);
  // SECURITY: list nothing without a SKILL.md, because anyone who can write to the root can link a private directory.
  if (file.kind !== 'text' && !inside.followsLinks)
    return { name, file, paths: [], hasAllPaths: false, texts: [] };
  const [paths, hasAllPaths] = listPaths(directory, record, budget, inside);
  const texts = readTexts(directory, paths, { record, budget, inside });
  return { name, file, paths, hasAllPaths, texts, ...(isCut(budget) ? { isCut: true } : {}) };
};

/** Returns the length of a file's frontmatter, up to the parser's limit. */
export const frontmatterLength = (file: FileState): number => {
  const end = file.kind === 'text' ? file.text.search(/[\r\n]---/) : -1;
  return end > MAX_FRONTMATTER_CHARACTERS ? 0 : Math.max(0, end);
};

/** Returns what pi uses from a SKILL.md. Undefined if dot-mi can't read it. */
export const skillSummary = (name: string, file: FileState): SkillFacts | undefined => {
  const read = frontmatterOf(file);
  if (!read || read.result === 'unknown') return undefined;
  const { data } = read;
  const { name: own, description } = data;
  return {
    name: typeof own === 'string' && own !== '' ? own : name,
    description: typeof description === 'string' && description.trim() !== '' ? description : undefined,
    isHidden: data['disable-model-invocation'] === true,
  };
};
