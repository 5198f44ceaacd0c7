import type { AgentPackage } from '../shared/api/packages.ts';
import { HIDDEN_PART, type PackageResource } from './packages.ts';

/** A package's filters to change. Null removes a filter, and absent ones stay the same. */
export type PackageChange = Readonly<Partial<Record<PackageResource, readonly string[] | null>>>;

/** A part of a package, as the API lists it. */
type Part = NonNullable<AgentPackage['adds']>[PackageResource][number];

/** Returns the path by which a filter names a part. For a SKILL.md at the package's top level, that's its file name. */
const nameInFilter = ({ path }: Part): string => (path === '.' ? 'SKILL.md' : path);

/** Returns whether a filter can leave out a part or bring it back. */
export const canFilter = (
  { filters, problem }: AgentPackage,
  kind: PackageResource,
  { isWhole }: Part,
): boolean => problem === undefined && !isWhole && !filters[kind]?.includes(HIDDEN_PART);

const plainName = (pattern: string): string => pattern.replace(/^\.[\\/]/, '');

/**
 * Returns whether a name, as a pattern, matches nothing else. A name without a slash also matches names in other
 * directories.
 */
const meansItself = (name: string): boolean => /^[\w@.][\w@. -]*\/[\w@./ -]*$/.test(name);

/**
 * Returns a kind's filter after one part of an installed package is switched on or off. Every other part stays as it
 * is. Null means no filter.
 */
const filterAfter = (
  { filters, adds, autoload }: AgentPackage,
  kind: PackageResource,
  part: Part,
  isOn: boolean,
): string[] | null => {
  const name = nameInFilter(part);
  const before = filters[kind];
  const without = (...marks: string[]): string[] =>
    (before ?? []).filter(
      (pattern) => !(marks.includes(pattern.charAt(0)) && plainName(pattern.slice(1)) === name),
    );
  if (!isOn) return [...without('+', '-'), `-${name}`];
  if (autoload === false) return [...without('+', '-'), `+${name}`];
  // An empty filter leaves everything out. A filter without plain patterns leaves nothing out.
  if (before?.length === 0) {
    if (meansItself(name)) return [name];
    const others = (adds?.[kind] ?? []).filter((other) => other !== part).map(nameInFilter);
    return others.length === 0 ? null : others.map((other) => `-${other}`);
  }
  const rest = meansItself(name) ? without('+', '-', '!') : without('+', '-');
  const isChosen = rest.some((pattern) => !/^[!+-]/.test(pattern)) && !rest.includes(name);
  const needsMark = isChosen || rest.some((pattern) => pattern.startsWith('!'));
  const after = needsMark ? [...rest, `+${name}`] : rest;
  return after.length === 0 ? null : after;
};

/** Returns the change that switches one part of an installed package on or off, and nothing else. */
export const switchPart = (
  entry: AgentPackage,
  kind: PackageResource,
  part: Part,
  isOn: boolean,
): PackageChange => {
  const after = filterAfter(entry, kind, part, isOn);
  const others = after === null ? [] : (entry.unlisted ?? []);
  return { ...Object.fromEntries(others.map((other) => [other, []])), [kind]: after };
};
