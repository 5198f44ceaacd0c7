import type { JsonEdit } from '../shared/json-edit.ts';
import type { PackageChange } from './package-filters.ts';
import { packageEntries, packageIdentity, parsePackageSource } from './packages.ts';

const identityOf = (source: string): string => packageIdentity(parsePackageSource(source));

/**
 * Returns the edits of a settings.json that add a package to its `packages`. Another version of a listed package
 * replaces it, as `pi install` does.
 */
export const packageAdded = (packages: unknown, source: string): JsonEdit[] => {
  const entries = packageEntries(packages);
  if (entries?.length === 0) return [{ path: ['packages'], value: [source] }];
  const all = entries ?? [];
  const identity = identityOf(source);
  const found = all.findIndex((entry) => entry.source !== undefined && identityOf(entry.source) === identity);
  const index = found < 0 ? all.length : found;
  const path = ['packages', index];
  return [{ path: all[index]?.fields ? [...path, 'source'] : path, value: source }];
};

/** Returns the edit that removes a package. */
export const packageRemoved = (index: number): JsonEdit[] => [{ path: ['packages', index] }];

/** Returns the edits that change a package's filters. `packages` has the source in full. */
export const packageFiltered = (packages: unknown, index: number, change: PackageChange): JsonEdit[] => {
  const { source, fields } = packageEntries(packages)?.[index] ?? {};
  if (source === undefined) return [];
  const path = ['packages', index];
  const after = new Map<string, unknown>(Object.entries({ ...fields, source }));
  for (const [resource, patterns] of Object.entries(change)) {
    if (patterns === null) after.delete(resource);
    else after.set(resource, patterns);
  }
  // pi loads more for an object without filters than for a string, so an entry without filters becomes a string
  // again.
  if (after.size === 1) return fields ? [{ path, value: source }] : [];
  if (!fields) {
    after.delete('source');
    return [{ path, value: { source, ...Object.fromEntries(after) } }];
  }
  const gone = Object.keys(fields).filter((key) => !after.has(key));
  const changed = Array.from(after).filter(([key, value]) => fields[key] !== value);
  return [
    ...gone.map((key) => ({ path: [...path, key] })),
    ...changed.map(([key, value]) => ({ path: [...path, key], value })),
  ];
};
