import {
  HIDDEN_PART,
  PACKAGE_RESOURCES,
  type PackageEntry,
  packageEntries,
  packageIdentity,
  parsePackageSource,
  shownSource,
  sourceProblem,
} from '../../pi/packages.ts';
import { findSecrets } from '../../pi/secrets.ts';
import type { PackageChange } from '../../shared/api/packages.ts';
import { editJson, type JsonChange, JsonEditError } from '../../shared/json-edit.ts';
import { AppError } from '../platform/app-error.ts';
import { quoted } from '../platform/words.ts';

/** A requested change to the packages in a settings.json. */
export interface PackagesChange {
  readonly source: string;
  readonly index?: number | undefined;
  /** Null removes the package. */
  readonly package: PackageChange | null;
}

const refuse = (message: string) => new AppError('package_refused', message);

const notFound = (source: string) =>
  new AppError(
    'package_not_found',
    `settings.json has no package ${quoted(shownSource(source))} at this position. Reload the list of packages.`,
  );

const unreadable = (message: string, cause?: unknown) =>
  new AppError('pi_settings_unreadable', message, {}, cause);

const isSource = (entry: PackageEntry | undefined, source: string): boolean =>
  entry?.source !== undefined && (entry.source === source || shownSource(entry.source) === source);

const indexOf = (entries: readonly PackageEntry[], { source, index }: PackagesChange): number => {
  if (index !== undefined) {
    if (!isSource(entries[index], source)) throw notFound(source);
    return index;
  }
  const same = entries.findIndex((entry) => isSource(entry, source));
  if (same >= 0) return same;
  const identity = packageIdentity(parsePackageSource(source));
  return entries.findIndex(
    (entry) => entry.source !== undefined && packageIdentity(parsePackageSource(entry.source)) === identity,
  );
};

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

const requirePatterns = (change: PackageChange): void => {
  for (const resource of PACKAGE_RESOURCES)
    for (const pattern of change[resource] ?? [])
      if (pattern === HIDDEN_PART || !findSecrets(pattern).next().done)
        throw refuse(
          `A pattern in ${resource} is hidden or looks like a secret. Enter a path inside the package instead.`,
        );
};

const KEYS = ['autoload', ...PACKAGE_RESOURCES] as const;

/** Returns the object that replaces an entry. */
const fieldsAfter = (
  { fields }: PackageEntry,
  source: string,
  change: PackageChange,
): Record<string, unknown> => {
  const after = new Map<string, unknown>(Object.entries({ ...fields, source }));
  for (const key of KEYS) {
    const value = change[key];
    if (value === null) after.delete(key);
    else if (value !== undefined) after.set(key, value);
  }
  return Object.fromEntries(after);
};

function* entryChanges(
  entry: PackageEntry,
  at: number,
  source: string,
  change: PackageChange,
): Generator<JsonChange> {
  const path = ['packages', at] as const;
  const after = fieldsAfter(entry, source, change);
  const isChanged = KEYS.some((key) => change[key] !== undefined);
  // pi loads more for an object without filters than for a string, so an entry without filters becomes a string
  // again.
  if (Object.keys(after).length === 1 && (isChanged || !entry.fields)) {
    if (entry.fields || entry.source !== source) yield { path, set: source };
    return;
  }
  if (!entry.fields) {
    const { source: first, ...rest } = after;
    yield { path, set: { source: first, ...rest } };
    return;
  }
  for (const key of Object.keys(entry.fields))
    if (!Object.hasOwn(after, key)) yield { path: [...path, key], remove: true };
  for (const [key, value] of Object.entries(after))
    if (entry.fields[key] !== value) yield { path: [...path, key], set: value };
}

const edit = (text: string, changes: readonly JsonChange[]): string => {
  try {
    return editJson(text, changes);
  } catch (error) {
    if (!(error instanceof JsonEditError)) throw error;
    throw unreadable(
      'settings.json can’t be changed here, because it is too large or nested too deeply. Edit it in another program.',
      error,
    );
  }
};

/** Returns the `packages` list. Throws `pi_settings_unreadable` if it isn't a list. */
const entriesIn = (text: string): PackageEntry[] => {
  let settings: unknown;
  try {
    settings = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    settings = undefined;
  }
  if (typeof settings !== 'object' || settings === null || Array.isArray(settings))
    throw unreadable(
      'settings.json is not a JSON object, so pi ignores it and dot-mi doesn’t change it. Correct it in another program.',
    );
  const entries = packageEntries((settings as { packages?: unknown }).packages);
  if (!entries) throw unreadable('"packages" in settings.json is not a list. Correct it in another program.');
  return entries;
};

/**
 * Returns a settings.json with one package added, changed or removed. Every other byte stays the same. An undefined
 * `text` means that the file is missing.
 *
 * Throws `pi_settings_unreadable`, `package_refused` and `package_not_found`.
 */
export const changedPackages = (text: string | undefined, change: PackagesChange): string => {
  const before = text ?? '{}\n';
  const entries = entriesIn(before);
  const index = indexOf(entries, change);
  const entry = entries[index];
  if (change.package === null) {
    if (!entry || !isSource(entry, change.source)) throw notFound(change.source);
    return edit(before, [{ path: ['packages', index], remove: true }]);
  }
  requirePatterns(change.package);
  if (entry && isSource(entry, change.source))
    return edit(before, [...entryChanges(entry, index, entry.source ?? '', change.package)]);
  requireSource(change.source);
  if (entry) return edit(before, [...entryChanges(entry, index, change.source, change.package)]);
  const fields = fieldsAfter({ source: undefined, fields: undefined }, change.source, change.package);
  const added = Object.keys(fields).length === 1 ? change.source : fields;
  return edit(
    before,
    entries.length === 0
      ? [{ path: ['packages'], set: [added] }]
      : [{ path: ['packages', entries.length], set: added }],
  );
};
