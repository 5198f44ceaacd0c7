import {
  PACKAGE_RESOURCES,
  type PackageEntry,
  packageIdentity,
  parsePackageSource,
  shownSource,
  sourceProblem,
} from '../../pi/packages.ts';
import { quoted } from './words.ts';

/**
 * Returns why pi fails at a `packages` entry or ignores it, in one or two sentences. Looks only at the entry itself.
 * Undefined if pi uses it.
 */
export const entryProblem = ({ source, fields }: PackageEntry): string | undefined => {
  if (source === undefined)
    return 'The entry has no source, so pi exits with an error. Correct settings.json.';
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

/** Returns, for each entry, whether pi ignores it because an earlier entry is for the same package. */
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

/** Returns the problem with an entry whose path doesn't exist. */
export const missingPath = (source: string): string =>
  `There is nothing at ${quoted(shownSource(source))}, so pi ignores the entry. Relative paths start at the agent’s directory.`;

/** The problem with an entry for a package that an earlier entry already names. */
export const REPEATED_ENTRY = 'pi uses the first entry for this package and ignores this one. Remove it.';
