import { isDeepStrictEqual } from 'node:util';
import {
  HIDDEN_PART,
  PACKAGE_RESOURCES,
  type PackageEntry,
  packageEntries,
  shownSource,
  sourceProblem,
} from '../../pi/packages.ts';
import { findSecrets } from '../../pi/secrets.ts';
import { AppError } from '../platform/app-error.ts';
import { entryProblem, REPEATED_ENTRY, repeatedEntries } from '../platform/package-problem.ts';
import { quoted } from '../platform/words.ts';

const refuse = (message: string) => new AppError('package_refused', message);

const requireSource = (source: string): void => {
  if (shownSource(source) !== source || source.includes(HIDDEN_PART))
    throw refuse(
      'The source contains a user name, a password, a query or a hidden part. Enter the full source without a user name, password or query. git can sign in with SSH or a credential helper.',
    );
  if (/\p{Cc}/u.test(source)) throw refuse('The source has a control character. Remove it.');
  // pi would parse the source as an option.
  if (source.trim().startsWith('-'))
    throw refuse('The source can’t start with "-". If it is a path, start it with "./".');
  const problem = sourceProblem(source);
  if (problem !== undefined) throw refuse(`${quoted(source)} ${problem}.`);
};

const MAX_PATTERN = 500;

const requirePattern = (resource: string, pattern: unknown): void => {
  if (typeof pattern !== 'string' || pattern === '' || pattern.length > MAX_PATTERN)
    throw refuse(
      `The filter of ${resource} must be a list of strings, each with up to ${MAX_PATTERN} characters.`,
    );
  if (pattern === HIDDEN_PART || !findSecrets(pattern).next().done)
    throw refuse(
      `A pattern in ${resource} is hidden or looks like a secret. Enter a path inside the package instead.`,
    );
};

const patternsIn = ({ fields }: PackageEntry): [resource: string, pattern: unknown][] =>
  PACKAGE_RESOURCES.flatMap((resource) => {
    const list = fields?.[resource];
    return Array.isArray(list) ? list.map((pattern: unknown): [string, unknown] => [resource, pattern]) : [];
  });

/**
 * Refuses a new `packages` list with an entry that pi can't use, unless the entry was there before. Throws
 * `package_refused`.
 */
export const requirePackages = (before: unknown, after: unknown): void => {
  if (isDeepStrictEqual(before, after)) return;
  const old = packageEntries(before) ?? [];
  const entries = packageEntries(after);
  if (!entries) throw refuse('"packages" must be a list.');
  const repeated = repeatedEntries(entries);
  const sources = new Set(old.map(({ source }) => source));
  const patterns = new Set(old.flatMap(patternsIn).map(([, pattern]) => pattern));
  for (const [index, entry] of entries.entries()) {
    if (old.some((each) => isDeepStrictEqual(each, entry))) continue;
    const { source } = entry;
    if (source !== undefined && !sources.has(source)) requireSource(source);
    for (const [resource, pattern] of patternsIn(entry))
      if (!patterns.has(pattern)) requirePattern(resource, pattern);
    const problem = entryProblem(entry) ?? (repeated[index] ? REPEATED_ENTRY : undefined);
    if (problem !== undefined) throw refuse(problem);
  }
};
