import type { AgentPackage, PackageChange } from '../api/packages.ts';
import { HIDDEN_PART, type PackageResource } from './packages.ts';

/** A part of a package, as the API lists it. */
type Part = NonNullable<AgentPackage['adds']>[PackageResource][number];

/** The path that a filter names a part by. The SKILL.md of a package's own directory has no other name. */
const nameInFilter = ({ path }: Part): string => (path === '.' ? 'SKILL.md' : path);

/** Whether a filter can leave out a part, or bring it back. */
export const canFilter = (
  { filters, problem }: AgentPackage,
  kind: PackageResource,
  { isWhole }: Part,
): boolean => problem === undefined && !isWhole && !filters[kind]?.includes(HIDDEN_PART);

const plainName = (pattern: string): string => pattern.replace(/^\.[\\/]/, '');

/** Whether a name means nothing else as a pattern. One without a slash is also compared with names in other directories. */
const meansItself = (name: string): boolean => /^[\w@.][\w@. -]*\/[\w@./ -]*$/.test(name);

/** The filter of a kind that switches one part of an installed package on or off, and leaves every other part as it is. Null: no filter. */
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
  // An empty filter leaves everything out, and one without plain patterns nothing.
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

/** The change that switches one part of an installed package on or off, and nothing else. */
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
