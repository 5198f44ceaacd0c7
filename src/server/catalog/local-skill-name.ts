import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { ScanContext } from '../disk/coverage.ts';
import { coverTarget } from '../disk/coverage.ts';
import { fingerprintOf, mayKeepRead } from '../platform/fingerprint.ts';
import { statIfThere } from '../platform/list-directory.ts';
import type { Root } from '../platform/root.ts';
import { insideOfRoot } from '../platform/shared-folder.ts';
import { readSharedText } from './read-shared.ts';
import { toSkill } from './scan-skills.ts';

/** The most skills of agents whose names are kept. */
const MAX_KEPT = 20_000;

/**
 * The name that pi knows a skill by. pi leaves out one without a description, and names one without a name after
 * its directory.
 */
const piNameOf = (skill: {
  readonly name: string;
  readonly nameFm?: string | undefined;
  readonly description?: string | undefined;
}): string | undefined => (skill.description ? skill.nameFm || skill.name : undefined);

/**
 * Creates a blocking look at a skill in an agent's directory: the name that pi knows it by, or undefined if pi
 * doesn't load it. One that dot-mi may not read has the name of its directory.
 */
export const createLocalSkillName = (root: Root) => {
  const known = new LRUCache<string, { fingerprint: string; loadedAs: string | undefined }>({
    max: MAX_KEPT,
  });

  return (directory: string, name: string, at: ScanContext): string | undefined => {
    const path = join(directory, 'SKILL.md');
    coverTarget(path, at);
    const stats = statIfThere(path);
    if (!stats) return undefined;
    const fingerprint = fingerprintOf(stats);
    const before = known.get(path);
    if (before?.fingerprint === fingerprint.text) return before.loadedAs;
    const read = readSharedText(path, insideOfRoot(root));
    if (!('text' in read)) return read.problem === 'missing' ? undefined : name;
    const loadedAs = piNameOf(toSkill(name, read.text));
    if (mayKeepRead(fingerprint, at.nowMs)) known.set(path, { fingerprint: fingerprint.text, loadedAs });
    return loadedAs;
  };
};
