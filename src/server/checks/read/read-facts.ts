// This is a separate file because only this directory reads the disk.
import { join } from 'node:path';
import { contextWithoutWatch, createPathRecord, type PathRecord } from '../../disk/coverage.ts';
import type { CheckFacts, SkillFacts } from '../snapshot.ts';
import { listRecorded, newBudget, readMarkdown } from './read-file.ts';
import { skillSummary } from './read-skill.ts';

/** Reads the names of models with prices. Undefined if the file can't be read. */
export type ModelNames = (record: PathRecord) => readonly string[] | undefined;

/** Reads the skills in `~/.agents/skills`, which pi gives to every agent. */
const readUserSkills = (homeDirectory: string, record: PathRecord): SkillFacts[] => {
  const folder = join(homeDirectory, '.agents', 'skills');
  const budget = newBudget();
  return listRecorded(folder, record, undefined).flatMap(({ name }) => {
    if (name.startsWith('.') || --budget.entries < 0) return [];
    // Follow links, which are common here. dot-mi uses only the name and description of a skill.
    const file = readMarkdown(join(folder, name, 'SKILL.md'), record, budget);
    return skillSummary(name, file) ?? [];
  });
};

/** Creates a reader of the facts that all agents share. It returns the same object until something changes. */
export const createFactsReader = (homeDirectory: string, modelNames: ModelNames) => {
  let known: { record: PathRecord; facts: CheckFacts } | undefined;
  return (nowMs: number): CheckFacts => {
    // These files are outside the root, so the watch doesn't report them.
    const at = contextWithoutWatch(nowMs);
    if (known?.record.isUnchanged(at)) return known.facts;
    const record = createPathRecord(at);
    const facts = { pricedModels: modelNames(record), userSkills: readUserSkills(homeDirectory, record) };
    const isSame = known && JSON.stringify(known.facts) === JSON.stringify(facts);
    known = { record, facts: isSame && known ? known.facts : facts };
    return known.facts;
  };
};
