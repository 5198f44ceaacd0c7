import {
  PACKAGE_RESOURCES,
  type PackageEntry,
  packageIdentity,
  parsePackageSource,
  shownSource,
  sourceProblem,
} from '../../shared/pi/packages.ts';
import { quoted } from './words.ts';

/** Why pi fails at an entry of `packages`, or ignores it, as it is written: one or two sentences. Undefined if it doesn't. */
export const entryProblem = ({ source, fields }: PackageEntry): string | undefined => {
  if (source === undefined)
    return 'The entry has no source, so pi stops with an error. Correct settings.json.';
  const problem = sourceProblem(source);
  if (problem !== undefined) return `${quoted(shownSource(source))} ${problem}.`;
  const wrong = PACKAGE_RESOURCES.find((resource) => {
    const list = fields?.[resource];
    return list !== undefined && !(Array.isArray(list) && list.every((each) => typeof each === 'string'));
  });
  return wrong === undefined
    ? undefined
    : `The filter of ${wrong} is not a list of strings. Correct settings.json.`;
};

/** For each entry, whether an earlier one is for the same package, so that pi ignores it. */
export const repeatedEntries = (entries: readonly PackageEntry[]): boolean[] => {
  const seen = new Set<string>();
  return entries.map(({ source }) => {
    if (source === undefined) return false;
    const identity = packageIdentity(parsePackageSource(source));
    const isRepeated = seen.has(identity);
    seen.add(identity);
    return isRepeated;
  });
};

/** What is wrong with an entry that names a path where nothing is. */
export const missingPath = (source: string): string =>
  `There is nothing at ${quoted(shownSource(source))}, so pi ignores the entry. Relative paths start at the agent’s directory.`;

/** What is wrong with an entry whose package an earlier one names. */
export const REPEATED_ENTRY = 'pi uses the first entry for this package and ignores this one. Remove it.';
