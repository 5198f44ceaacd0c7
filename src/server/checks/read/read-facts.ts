// This is a separate file because only this directory reads the disk.
import { join } from 'node:path';
import { contextWithoutWatch } from '../../root-model/coverage.ts';
import { createKept } from '../../root-model/kept.ts';
import type { PathRecord } from '../../root-model/path-record.ts';
import { listFolder } from '../../root-model/reader.ts';
import type { CheckFacts, SkillFacts } from '../snapshot.ts';
import { newBudget, readMarkdown } from './read-file.ts';
import { skillSummary } from './read-skill.ts';

/** Reads the names of models with prices. Undefined if the file can't be read. */
export type ModelNames = (record: PathRecord) => readonly string[] | undefined;

/** Reads the skills in `~/.agents/skills`, which pi gives to every agent. */
const readUserSkills = (homeDirectory: string, record: PathRecord): SkillFacts[] => {
  const folder = join(homeDirectory, '.agents', 'skills');
  const budget = newBudget();
  return listFolder(folder, record, undefined).flatMap(({ name }) => {
    if (name.startsWith('.') || --budget.entries < 0) return [];
    // Follow links, which are common here. dot-mi uses only the name and description of a skill.
    const file = readMarkdown(join(folder, name, 'SKILL.md'), record, budget);
    return skillSummary(name, file) ?? [];
  });
};

/** Creates a reader of the facts that all agents share. It returns the same object until something changes. */
export const createFactsReader = (homeDirectory: string, modelNames: ModelNames) => {
  const kept = createKept(
    (_, record): CheckFacts => ({
      pricedModels: modelNames(record),
      userSkills: readUserSkills(homeDirectory, record),
    }),
  );
  // These files are outside the root, so the watch doesn't report them.
  return (nowMs: number): CheckFacts => {
    const facts = kept.one('', contextWithoutWatch(nowMs));
    if (!facts) throw new Error('the facts are always read');
    return facts;
  };
};
