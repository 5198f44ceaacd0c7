import { join } from 'node:path';
import { parseFrontmatter } from '../../catalog/frontmatter.ts';
import type { FileState, SkillFacts, SkillSnapshot } from '../snapshot.ts';
import type { PathRecord } from './path-record.ts';
import { listEntries, type ReadBudget, readFile } from './read-file.ts';

/** How deep the paths of a skill are listed. References are one level deep in a good skill. */
const MAX_DEPTH = 6;

/** Lists what is below a directory, relative to it. Returns whether that is everything. */
const listPaths = (directory: string, record: PathRecord, budget: ReadBudget): [string[], boolean] => {
  const paths: string[] = [];
  let isAll = true;
  const walk = (relative: string, depth: number): void => {
    for (const entry of listEntries(join(directory, relative), record)) {
      if (--budget.entries < 0) {
        isAll = false;
        return;
      }
      const path = `${relative}${entry.name}`;
      // SECURITY: a link may lead out of the root, or in a circle, so it isn't followed.
      if (entry.isSymbolicLink()) isAll = false;
      paths.push(entry.isDirectory() ? `${path}/` : path);
      if (!entry.isDirectory()) continue;
      if (depth === MAX_DEPTH) isAll = false;
      else walk(`${path}/`, depth + 1);
    }
  };
  walk('', 1);
  return [paths.sort(), isAll];
};

/** Reads the directory of a skill with blocking calls. Only a SKILL.md in `allowed` is read. */
export const readSkill = (
  name: string,
  directory: string,
  { record, budget, allowed }: { record: PathRecord; budget: ReadBudget; allowed: readonly string[] },
): SkillSnapshot => {
  const file = readFile(join(directory, 'SKILL.md'), record, budget, allowed);
  const [paths, hasAllPaths] = listPaths(directory, record, budget);
  return { name, file, paths, hasAllPaths };
};

/** What pi takes from a SKILL.md, or undefined if it can't be read. */
export const factsOf = (name: string, file: FileState): SkillFacts | undefined => {
  if (file.kind !== 'text') return undefined;
  const { data } = parseFrontmatter(file.text);
  const { name: own, description } = data;
  return {
    name: typeof own === 'string' && own !== '' ? own : name,
    description: typeof description === 'string' && description.trim() !== '' ? description : undefined,
    isHidden: data['disable-model-invocation'] === true,
  };
};
