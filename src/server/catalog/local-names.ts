import type { BigIntStats } from 'node:fs';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { SharedSkill } from '../../shared/api/catalog.ts';
import { isOfKind } from '../../shared/api/names.ts';
import { systemCode } from '../platform/app-error.ts';
import { fingerprintOf, mayKeepRead } from '../platform/fingerprint.ts';
import { statIfThere } from '../platform/list-directory.ts';
import { readLikePi } from '../platform/read-like-pi.ts';
import type { Root } from '../platform/root.ts';
import { insideOfRoot } from '../platform/shared-folder.ts';
import type { ScanContext } from '../root-model/coverage.ts';
import { coverTarget } from '../root-model/coverage.ts';
import { ownCopy } from '../root-model/kept.ts';
import { toSkill } from './scan-skills.ts';
import { readTheme } from './theme.ts';

/** How many names of agents' entries are cached for each kind. */
const MAX_KEPT = 20_000;

/**
 * Returns the name pi gives a skill, or undefined if an error keeps pi from loading it. pi uses the directory name if
 * there's no name. So does dot-mi for a skill that it can't read.
 */
export const piNameOf = ({
  name,
  nameFm,
  diagnostics,
}: Pick<SharedSkill, 'name' | 'nameFm' | 'diagnostics'>): string | undefined =>
  diagnostics.some(({ severity }) => severity === 'error') ? undefined : nameFm || name;

/**
 * Creates a blocking scan that returns the name pi gives a file in an agent's directory, or undefined if pi doesn't
 * load it. An unreadable file gets the name of its directory entry.
 */
const createLocalName = (
  root: Root,
  fileAt: (path: string) => string,
  nameIn: (name: string, text: string) => string | undefined,
) => {
  const known = new LRUCache<string, { fingerprint: string; loadedAs: string | undefined }>({
    max: MAX_KEPT,
  });

  return (path: string, name: string, at: ScanContext): string | undefined => {
    const file = fileAt(path);
    coverTarget(file, at);
    let stats: BigIntStats | undefined;
    try {
      stats = statIfThere(file);
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      return name;
    }
    if (!stats) return undefined;
    const fingerprint = fingerprintOf(stats);
    const before = known.get(file);
    if (before?.fingerprint === fingerprint.text) return before.loadedAs;
    const read = readLikePi(file, insideOfRoot(root));
    if (!('text' in read)) return read.problem === 'missing' ? undefined : name;
    const loadedAs = ownCopy(nameIn(name, read.text));
    if (mayKeepRead(fingerprint, at.nowMs)) known.set(file, { fingerprint: fingerprint.text, loadedAs });
    return loadedAs;
  };
};

/** Creates the scans of skills and themes. Other kinds use the name of the directory entry. */
export const createLocalNames = (root: Root) => ({
  skills: createLocalName(
    root,
    (path) => join(path, 'SKILL.md'),
    (name, text) => piNameOf(toSkill(name, text)),
  ),
  themes: createLocalName(
    root,
    (path) => path,
    (name, text) => (isOfKind('themes', name, 'file') ? readTheme({ text }).themeName : undefined),
  ),
});
