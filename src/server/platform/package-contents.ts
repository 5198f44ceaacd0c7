import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseObject } from '../../pi/agent-model.ts';
import { isSince, NEWEST_PI, type PiVersion } from '../../pi/flags.ts';
import { compileGlob } from '../../pi/glob.ts';
import { IGNORE_FILES, type IgnoreRules, ignoreRulesIn, isIgnored } from '../../pi/ignore-rules.ts';
import {
  filterIn,
  PACKAGE_RESOURCES,
  type PackageEntry,
  type PackageResource,
  type PackageSource,
  parsePackageSource,
} from '../../pi/packages.ts';
import {
  createSkillSearch,
  type LeftOutSkill,
  type PiDisk,
  type PiEntry,
} from '../../pi/skills-seen-by-pi.ts';
import { isOverride } from '../../pi/switched-off.ts';
import { isJsonObject } from '../../shared/json-object.ts';
import { ANYONE_READER } from './caller.ts';
import { createPiDisk, type KnownTexts } from './pi-disk.ts';
import { placeInside } from './resolves-outside.ts';
import { isInside } from './root.ts';

/** A file that pi finds in a package, or the directory of a whole extension. */
export interface PackageFile {
  /** Absolute, as pi finds it: through links. */
  readonly path: string;
  /** The name that people know it by. */
  readonly name: string;
  /** True if a filter excludes it. */
  readonly isOff: boolean;
  /** True if it's the package itself, which no filter excludes. */
  readonly isWhole?: true;
}

/** The copy of a package that pi would load. */
interface PackageCopy {
  /** Null if its package.json names none. */
  readonly version: string | null;
  /** The directory that the files' paths are shown relative to. */
  readonly base: string;
  /** The files of the requested kinds that pi finds, in pi's order. */
  readonly files: Readonly<Partial<Record<PackageResource, readonly PackageFile[]>>>;
  /** Kinds with files that its manifest doesn't list. pi loads them only if the entry has a filter. */
  readonly unlisted: () => PackageResource[];
}

/** A package as found in the root. */
export interface FoundPackage {
  readonly place: 'inside' | 'outside';
  /** Absolute, without links. Undefined if it's outside the root. */
  readonly directory?: string;
  /** Undefined if pi would find nothing there, or if it's outside the root. */
  readonly copy?: PackageCopy;
  /** True if pi finds nothing else. False if a part is outside the root, can't be read, or is too much to read. */
  readonly isWhole: boolean;
}

/** Finds a package and its files of these kinds. Undefined if its entry has no source. */
export type ReadPackage = (
  entry: PackageEntry,
  kinds: readonly PackageResource[],
) => FoundPackage | undefined;

/** Reads an agent's packages. */
export interface PackageReader {
  readonly read: ReadPackage;
  /** Skill files found so far that an ignore file hides. */
  readonly ignored: readonly LeftOutSkill[];
}

/** The limit for files and directories scanned in one request. */
const MAX_ENTRIES = 20_000;
/** The limit for patterns and manifest entries. People don't write more. */
const MAX_PATTERNS = 200;
/** The limit for one request's comparisons: pattern characters times files. */
const MAX_COMPARED = 4_000_000;
/** The limit for nested directories. People don't nest more deeply. */
const MAX_DEPTH = 20;

const FILES: Readonly<Record<'prompts' | 'themes', RegExp>> = { prompts: /\.md$/, themes: /\.json$/ };

const hasGlob = (entry: string): boolean => /[*?]/.test(entry);

type Manifest = Partial<Record<PackageResource, readonly string[]>>;

/** Returns the lists in a package.json's `pi` field, as pi's `readPiManifest` accepts them. */
const manifestOf = (packageJson: Readonly<Record<string, unknown>>): Manifest => {
  const { pi } = packageJson;
  const fields = (typeof pi === 'object' && pi !== null ? pi : {}) as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    PACKAGE_RESOURCES.flatMap((resource) => {
      const list = fields[resource];
      return Array.isArray(list) && list.every((each) => typeof each === 'string') ? [[resource, list]] : [];
    }),
  );
};

/** Returns a path with slashes, as pi's patterns and the API name it. */
export const withSlashes = (path: string): string => path.split(sep).join('/');

const isSkillFile = (file: string): boolean => basename(file) === 'SKILL.md';

/** Selects a package's files by a list of patterns, like pi's `applyPatterns`. */
const patternsOf = (top: string, patterns: readonly string[]) => {
  const meant = (file: string): string[] => {
    const paths = isSkillFile(file) ? [file, dirname(file)] : [file];
    return paths.flatMap((path) => [withSlashes(relative(top, path)), withSlashes(path)]);
  };
  const exact = (entry: string) => (file: string) => meant(file).includes(entry.replace(/^\.[\\/]/, ''));
  const loose = (entry: string) => {
    const glob = compileGlob(entry);
    return (file: string) =>
      [...meant(file), basename(file), ...(isSkillFile(file) ? [basename(dirname(file))] : [])].some(glob);
  };
  return patterns.map((pattern) => {
    const [, mark = '', text = ''] = /^([!+-]?)(.*)$/s.exec(pattern) ?? [];
    return { mark, matches: mark === '+' || mark === '-' ? exact(text) : loose(text) };
  });
};

type Rules = ReturnType<typeof patternsOf>;

/** Finds the files of packages as pi's package manager does. Its calls share one limit for entries. */
const createFinder = (disk: PiDisk) => {
  let left = MAX_ENTRIES;
  let comparisonsLeft = MAX_COMPARED;
  let isCut = false;
  const skills = createSkillSearch(disk, NEWEST_PI);

  const first = (list: readonly string[]): readonly string[] => {
    if (list.length > MAX_PATTERNS) isCut = true;
    return list.slice(0, MAX_PATTERNS);
  };

  /** Returns the rules in a list of patterns, or none if comparing them with these files would take too long. */
  const rulesOf = (top: string, list: readonly string[], files: readonly string[]): Rules => {
    const patterns = first(list);
    comparisonsLeft -= patterns.join('').length * files.length;
    if (comparisonsLeft < 0) isCut = true;
    return comparisonsLeft < 0 ? [] : patternsOf(top, patterns);
  };

  const kindAt = (path: string): PiEntry['kind'] | undefined =>
    disk.list(dirname(path))?.find(({ name }) => name === basename(path))?.kind;

  /** Like pi's `resolveExtensionEntries`. */
  const entryFiles = (directory: string): string[] | undefined => {
    const { extensions = [] } = manifestOf(parseObject(disk.readText(join(directory, 'package.json'))));
    const named = first(extensions)
      .map((path) => resolve(directory, path))
      .filter((path) => kindAt(path) !== undefined);
    if (named.length > 0) return named;
    const index = ['index.ts', 'index.js'].find((name) => kindAt(join(directory, name)) !== undefined);
    return index === undefined ? undefined : [join(directory, index)];
  };

  /** Yields the entries below a directory that no ignore file hides, with their paths relative to `top`. */
  function* visible(directory: string, prefix: string, above: IgnoreRules) {
    const entries = disk.list(directory) ?? [];
    const rules = [
      ...above,
      ...IGNORE_FILES.flatMap((name) =>
        entries.some((entry) => entry.name === name)
          ? ignoreRulesIn(disk.readText(join(directory, name)) ?? '', prefix)
          : [],
      ),
    ];
    for (const { name, kind } of entries) {
      if (name.startsWith('.') || name === 'node_modules' || kind === 'other' || --left < 0) continue;
      if (isIgnored(rules, `${prefix}${name}`, kind === 'directory')) continue;
      yield { path: join(directory, name), prefix: `${prefix}${name}/`, kind, rules };
    }
  }

  const filesBelow = (
    directory: string,
    pattern: RegExp,
    prefix = '',
    above: IgnoreRules = [],
    depth = 0,
  ): string[] => {
    if (depth > MAX_DEPTH) isCut = true;
    if (depth > MAX_DEPTH) return [];
    return [...visible(directory, prefix, above)].flatMap(({ path, prefix: below, kind, rules }) =>
      kind === 'directory'
        ? filesBelow(path, pattern, below, rules, depth + 1)
        : pattern.test(path)
          ? [path]
          : [],
    );
  };

  /** Like pi's `collectResourceFiles`. */
  const filesIn = (directory: string, resource: PackageResource): string[] => {
    if (resource === 'skills') return skills.search(directory, 'agent');
    if (resource !== 'extensions') return filesBelow(directory, FILES[resource]);
    return (
      entryFiles(directory) ??
      [...visible(directory, '', [])].flatMap(({ path, kind }) =>
        kind === 'directory' ? (entryFiles(path) ?? []) : /\.[jt]s$/.test(path) ? [path] : [],
      )
    );
  };

  /** Returns the matches of a manifest's pattern, like Node's `globSync`, without names that begin with a dot. */
  const globbed = (top: string, pattern: string): string[] => {
    const names = pattern.replace(/^(?:\.\/+)+/, '').split('/');
    const fixed = names.slice(0, names.findIndex(hasGlob));
    const start = resolve(top, ...fixed);
    const rest = names.slice(fixed.length);
    const matches = compileGlob(rest.join('/'));
    const depth = rest.includes('**') ? MAX_DEPTH : rest.length;
    const look = (directory: string, prefix: string, deep: number): string[] =>
      deep === 0
        ? []
        : (disk.list(directory) ?? []).flatMap(({ name, kind }) => {
            if (name.startsWith('.') || kind === 'other' || --left < 0) return [];
            const path = join(directory, name);
            const below = kind === 'directory' ? look(path, `${prefix}${name}/`, deep - 1) : [];
            return matches(`${prefix}${name}`) ? [path, ...below] : below;
          });
    return look(start, '', depth).sort();
  };

  /** Returns the files that a manifest's entries name, like pi's `collectFilesFromManifestEntries`. */
  const named = (top: string, entries: readonly string[], resource: PackageResource): string[] =>
    first(entries.filter((entry) => !isOverride(entry)))
      .flatMap((entry) => (hasGlob(entry) ? globbed(top, entry) : [resolve(top, entry)]))
      .flatMap((path) => {
        const kind = kindAt(path);
        return kind === 'file' ? [path] : kind === 'directory' ? filesIn(path, resource) : [];
      });

  return {
    kindAt,
    filesIn,
    named,
    rulesOf,
    hasEnded: () => left < 0 || isCut || skills.hasEnded(),
    ignored: skills.leftOut,
  };
};

type Finder = ReturnType<typeof createFinder>;

const anyOf = (rules: Rules, mark: string, file: string): boolean =>
  rules.some((rule) => rule.mark === mark && rule.matches(file));

/** Returns the files that a list of patterns accepts. Files that only a `+` adds back sort last, as in pi. */
const passing = (rules: Rules, files: readonly string[]): string[] => {
  const hasPlain = rules.some(({ mark }) => mark === '');
  const kept = files.filter((file) => !anyOf(rules, '-', file));
  const isIn = (file: string) => (!hasPlain || anyOf(rules, '', file)) && !anyOf(rules, '!', file);
  const isLate = new Set(kept.filter((file) => !isIn(file)));
  return [
    ...kept.filter((file) => !isLate.has(file)),
    ...[...isLate].filter((file) => anyOf(rules, '+', file)),
  ];
};

/** Returns the files that patterns name, in the order of the patterns. The last match decides, like pi's `applyAutoloadDisabledPatterns`. */
const chosen = (rules: Rules, files: readonly string[]): Map<string, boolean> => {
  const isOn = new Map<string, boolean>();
  for (const { mark, matches } of rules)
    for (const file of files) if (matches(file)) isOn.set(file, mark === '' || mark === '+');
  return isOn;
};

/** Returns the name that people know a package's file by. */
const nameOf = (file: string, resource: PackageResource): string => {
  const name = basename(file);
  if (isSkillFile(file) || (resource === 'extensions' && /^index\.[jt]s$/.test(name)))
    return basename(dirname(file));
  return resource === 'extensions' ? name : name.replace(/\.(?:md|json)$/, '');
};

/** A package that is being read. */
interface Reading {
  readonly finder: Finder;
  readonly top: string;
  readonly entry: PackageEntry;
  readonly manifest: Manifest;
  /** True if a package without filters provides only what its manifest lists. */
  readonly isListed: boolean;
}

/** Returns the files of a kind, and whether pi loads each one, like pi's `collectPackageResources`. */
const filesOfKind = (
  { finder, top, entry, manifest, isListed }: Reading,
  resource: PackageResource,
): ReadonlyMap<string, boolean> => {
  const entries = manifest[resource];
  const byConvention = () => finder.filesIn(join(top, resource), resource);
  const listed = () => [...new Set(finder.named(top, entries ?? [], resource))];
  const enabled = (files: readonly string[]) =>
    passing(finder.rulesOf(top, (entries ?? []).filter(isOverride), files), files);
  const filter = filterIn(entry, resource);
  const isDelta = entry.fields?.autoload === false;
  if (!isDelta && filter === undefined) {
    const files = entries || (isListed && !entry.fields) ? listed() : byConvention();
    const isOn = new Set(entries ? enabled(files) : files);
    return new Map(files.filter((file) => isOn.has(file)).map((file) => [file, true]));
  }
  const files = entries && entries.length > 0 ? enabled(listed()) : [...new Set(byConvention())];
  const rules = finder.rulesOf(top, filter ?? [], files);
  const isOn = isDelta
    ? chosen(rules, files)
    : new Map((rules.length === 0 ? [] : passing(rules, files)).map((file) => [file, true]));
  const inOrder = isDelta ? [...new Set([...isOn.keys(), ...files])] : files;
  return new Map(inOrder.map((file) => [file, isOn.get(file) === true]));
};

/** Reads the resources of a package at a path. */
const readCopy = (
  disk: PiDisk,
  finder: Finder,
  {
    top,
    entry,
    kind,
    version,
    kinds,
  }: {
    readonly top: string;
    readonly entry: PackageEntry;
    readonly kind: PackageSource['kind'];
    readonly version: PiVersion;
    readonly kinds: readonly PackageResource[];
  },
): PackageCopy | undefined => {
  const topKind = finder.kindAt(top);
  const whole = { path: top, name: basename(top), isOff: false, isWhole: true } as const;
  if (topKind === 'file' && kind === 'path')
    return { version: null, base: dirname(top), files: { extensions: [whole] }, unlisted: () => [] };
  if (topKind !== 'directory') return undefined;
  const file = join(top, 'package.json');
  const packageJson = parseObject(finder.kindAt(file) === 'file' ? disk.readText(file) : undefined);
  const copyVersion = typeof packageJson.version === 'string' ? packageJson.version.slice(0, 100) : null;
  // pi would reinstall the package.
  if (kind === 'npm' && copyVersion === null) return undefined;
  const manifest = manifestOf(packageJson);
  const hasLists = Object.keys(manifest).length > 0;
  const isListed = isSince(version, '1.5') ? hasLists : isJsonObject(packageJson.pi);
  const reading = { finder, top, entry, manifest, isListed };
  const files = Object.fromEntries(
    kinds.map((resource) => [
      resource,
      Array.from(filesOfKind(reading, resource), ([path, isOn]) => ({
        path,
        name: nameOf(path, resource),
        isOff: !isOn,
      })),
    ]),
  );
  const isBare =
    kind === 'path' &&
    !entry.fields &&
    !isListed &&
    PACKAGE_RESOURCES.every((resource) => finder.kindAt(join(top, resource)) === undefined);
  return {
    version: copyVersion,
    base: top,
    files: isBare ? { ...files, extensions: [whole] } : files,
    unlisted: () =>
      isListed && !entry.fields
        ? PACKAGE_RESOURCES.filter(
            (resource) => !manifest[resource] && finder.filesIn(join(top, resource), resource).length > 0,
          )
        : [],
  };
};

/** Returns where pi stores a package. Undefined if its source doesn't make a valid path. */
export const packageDirectory = (source: PackageSource, agent: string, home: string): string | undefined => {
  if (source.kind === 'npm') return join(agent, 'npm', 'node_modules', source.name);
  if (source.kind === 'git') return join(agent, 'git', source.host, source.path);
  const { path } = source;
  if (path.includes('\0')) return undefined;
  if (/^~(?:$|[\\/])/.test(path)) return join(home, path.slice(1));
  if (!path.startsWith('file://')) return isAbsolute(path) ? resolve(path) : resolve(agent, path);
  try {
    return fileURLToPath(path);
  } catch {
    return undefined;
  }
};

/**
 * Creates a reader of an agent's packages, for one request. Blocks. `top` is the resolved root, `agent` the agent's
 * directory, as passed to pi.
 *
 * SECURITY: nothing outside the root is read, and no response reveals whether anything there exists.
 */
export const createPackageReader = (
  { top, agent, home }: { readonly top: string; readonly agent: string; readonly home: string },
  version: PiVersion,
  texts: KnownTexts,
  nowMs: number,
): PackageReader => {
  const reading = createPiDisk(ANYONE_READER, { root: top, ownData: [] }, texts, nowMs);
  const lists = new Map<string, readonly PiEntry[] | undefined>();
  let leftOut = 0;
  // Treat links that point outside the root as missing.
  const list = (directory: string) => {
    const entries = reading.list(directory);
    const inside = entries?.filter(({ name }) => isInside(top, reading.realPath(join(directory, name))));
    leftOut += (entries?.length ?? 0) - (inside?.length ?? 0);
    return inside;
  };
  const disk: PiDisk = {
    ...reading,
    list(directory) {
      if (!lists.has(directory)) lists.set(directory, list(directory));
      return lists.get(directory);
    },
  };
  const finder = createFinder(disk);
  /** Returns how many entries and files haven't been read so far. */
  const missed = () => leftOut + reading.unreadable.length;
  return {
    ignored: finder.ignored,
    read(entry, kinds) {
      if (entry.source === undefined) return undefined;
      const source = parsePackageSource(entry.source);
      const path = packageDirectory(source, agent, home);
      const directory = path === undefined ? undefined : placeInside(path, [top]);
      if (path === undefined || directory === undefined) return { place: 'outside', isWhole: false };
      // List the parent first, because entries next to the package don't count as unread.
      finder.kindAt(path);
      const before = missed();
      const copy = readCopy(disk, finder, { top: path, entry, kind: source.kind, version, kinds });
      const isWhole = missed() === before && !finder.hasEnded();
      return { place: 'inside', directory, isWhole, ...(copy ? { copy } : {}) };
    },
  };
};
