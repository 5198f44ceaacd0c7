import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseObject } from '../../shared/pi/agent-model.ts';
import { compileGlob } from '../../shared/pi/glob.ts';
import { IGNORE_FILES, type IgnoreRules, ignoreRulesIn, isIgnored } from '../../shared/pi/ignore-rules.ts';
import {
  filterIn,
  PACKAGE_RESOURCES,
  type PackageEntry,
  type PackageResource,
  type PackageSource,
  parsePackageSource,
} from '../../shared/pi/packages.ts';
import { createSkillSearch, type PiDisk, type PiEntry } from '../../shared/pi/skills-seen-by-pi.ts';
import { requireAgentSync } from '../platform/agent-directory.ts';
import { createKnownTexts, createPiDisk } from '../platform/pi-disk.ts';
import { placeInside } from '../platform/resolves-outside.ts';
import { isInside, type Root } from '../platform/root.ts';

/** Requests an agent's {@link InstalledPackage}s from the disk thread, one per entry. */
export interface PackagesQuestion {
  readonly packagesOf: string;
  readonly entries: readonly PackageEntry[];
}

/** A resource that a package adds, with its path in the package. */
interface AddedResource {
  readonly name: string;
  readonly path: string;
  readonly isOff?: true;
}

/** A package as found in the root. */
export interface InstalledPackage {
  readonly place: 'inside' | 'outside';
  /** Relative to the root. Null if it's outside. */
  readonly directory: string | null;
  /** Undefined if pi would find nothing there, or if it's outside the root. */
  readonly copy?: {
    readonly version: string | null;
    readonly adds: Readonly<Record<PackageResource, readonly AddedResource[]>>;
  };
}

/** The limits for entries scanned per request, and for a package's list of each kind. */
const MAX_ENTRIES = 20_000;
const MAX_LISTED = 200;
/** People don't nest more deeply. */
const MAX_DEPTH = 20;

const FILES: Readonly<Record<'prompts' | 'themes', RegExp>> = { prompts: /\.md$/, themes: /\.json$/ };

const isOverride = (entry: string): boolean => /^[!+-]/.test(entry);
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

const withSlashes = (path: string): string => path.split(sep).join('/');

/** Finds a package's files as pi's package manager does. Its calls share one limit for entries. */
const createFinder = (disk: PiDisk) => {
  let left = MAX_ENTRIES;

  const kindAt = (path: string): PiEntry['kind'] | undefined =>
    disk.list(dirname(path))?.find(({ name }) => name === basename(path))?.kind;

  /** Like pi's `resolveExtensionEntries`. */
  const entryFiles = (directory: string): string[] | undefined => {
    const { extensions = [] } = manifestOf(parseObject(disk.readText(join(directory, 'package.json'))));
    const named = extensions
      .slice(0, MAX_LISTED)
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
  ): string[] =>
    depth > MAX_DEPTH
      ? []
      : [...visible(directory, prefix, above)].flatMap(({ path, prefix: below, kind, rules }) =>
          kind === 'directory'
            ? filesBelow(path, pattern, below, rules, depth + 1)
            : pattern.test(path)
              ? [path]
              : [],
        );

  /** Like pi's `collectResourceFiles`. */
  const filesIn = (directory: string, resource: PackageResource): string[] => {
    if (resource === 'skills') return createSkillSearch(disk, '1.5').search(directory, 'agent');
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
    entries
      .filter((entry) => !isOverride(entry))
      .slice(0, MAX_LISTED)
      .flatMap((entry) => (hasGlob(entry) ? globbed(top, entry) : [resolve(top, entry)]))
      .flatMap((path) => {
        const kind = kindAt(path);
        return kind === 'file' ? [path] : kind === 'directory' ? filesIn(path, resource) : [];
      });

  return { kindAt, filesIn, named };
};

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
  return patterns.slice(0, MAX_LISTED).map((pattern) => {
    const [, mark = '', text = ''] = /^([!+-]?)(.*)$/s.exec(pattern) ?? [];
    return { mark, matches: mark === '+' || mark === '-' ? exact(text) : loose(text) };
  });
};

type Rules = ReturnType<typeof patternsOf>;

const anyOf = (rules: Rules, mark: string, file: string): boolean =>
  rules.some((rule) => rule.mark === mark && rule.matches(file));

/** Returns whether a list of patterns accepts a file. */
const passes = (rules: Rules, file: string): boolean => {
  if (anyOf(rules, '-', file)) return false;
  if (anyOf(rules, '+', file)) return true;
  return (!rules.some(({ mark }) => mark === '') || anyOf(rules, '', file)) && !anyOf(rules, '!', file);
};

/** Applies the last pattern that matches a file, like pi's `applyAutoloadDisabledPatterns`. */
const isChosen = (rules: Rules, file: string): boolean => {
  const last = rules.findLast(({ matches }) => matches(file));
  return last !== undefined && (last.mark === '' || last.mark === '+');
};

const nameOf = (file: string, resource: PackageResource): string => {
  const name = basename(file);
  if (isSkillFile(file) || (resource === 'extensions' && /^index\.[jt]s$/.test(name)))
    return basename(dirname(file));
  return resource === 'extensions' ? name : name.replace(/\.(?:md|json)$/, '');
};

/** Reads the resources of a package in a directory. */
const readCopy = (
  disk: PiDisk,
  top: string,
  entry: PackageEntry,
  kind: PackageSource['kind'],
): InstalledPackage['copy'] => {
  const { kindAt, filesIn, named } = createFinder(disk);
  const topKind = kindAt(top);
  const none = (): AddedResource[] => [];
  const empty = { extensions: none(), skills: none(), prompts: none(), themes: none() };
  if (topKind === 'file' && kind === 'path')
    return {
      version: null,
      adds: { ...empty, extensions: [{ name: basename(top), path: basename(top) }] },
    };
  if (topKind !== 'directory') return undefined;
  const packageJson = parseObject(disk.readText(join(top, 'package.json')));
  const version = typeof packageJson.version === 'string' ? packageJson.version.slice(0, 100) : null;
  // pi installs it again.
  if (kind === 'npm' && version === null) return undefined;
  const manifest = manifestOf(packageJson);
  const hasManifest = Object.keys(manifest).length > 0;

  const byConvention = (resource: PackageResource) => filesIn(join(top, resource), resource);
  const byManifest = (resource: PackageResource, entries: readonly string[]): string[] => {
    const overrides = patternsOf(top, entries.filter(isOverride));
    return named(top, entries, resource).filter((file) => passes(overrides, file));
  };
  /** Returns the files that a package offers, and those that a filter accepts. */
  const offered = (resource: PackageResource): { files: string[]; isOn: (file: string) => boolean } => {
    const entries = manifest[resource];
    const isOn = () => true;
    if (!entry.fields)
      return { files: hasManifest ? byManifest(resource, entries ?? []) : byConvention(resource), isOn };
    const filter = filterIn(entry, resource);
    const isDelta = entry.fields.autoload === false;
    if (!isDelta && filter === undefined)
      return { files: entries ? byManifest(resource, entries) : byConvention(resource), isOn };
    const files = entries && entries.length > 0 ? byManifest(resource, entries) : byConvention(resource);
    const rules = patternsOf(top, filter ?? []);
    if (isDelta) return { files, isOn: (file) => isChosen(rules, file) };
    return { files, isOn: (file) => rules.length > 0 && passes(rules, file) };
  };
  const listed = (resource: PackageResource): AddedResource[] => {
    const { files, isOn } = offered(resource);
    return [...new Set(files)].slice(0, MAX_LISTED).flatMap((file) => {
      const isThere = kindAt(file) !== undefined;
      const path = withSlashes(relative(top, isSkillFile(file) ? dirname(file) : file)) || '.';
      return isThere
        ? [{ name: nameOf(file, resource), path, ...(isOn(file) ? {} : { isOff: true as const }) }]
        : [];
    });
  };
  const adds = {
    extensions: listed('extensions'),
    skills: listed('skills'),
    prompts: listed('prompts'),
    themes: listed('themes'),
  };
  const isBare =
    kind === 'path' &&
    !entry.fields &&
    !hasManifest &&
    PACKAGE_RESOURCES.every((resource) => kindAt(join(top, resource)) === undefined);
  return {
    version,
    adds: isBare ? { ...adds, extensions: [{ name: basename(top), path: '.' }] } : adds,
  };
};

/** Returns where pi stores a package. Undefined if its source doesn't make a valid path. */
const directoryOf = (source: PackageSource, agent: string, home: string): string | undefined => {
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
 * Reads an agent's packages inside the root, for the disk thread. Blocks.
 *
 * SECURITY: nothing outside the root is read, and no response says whether it exists.
 *
 * Throws `agent_not_found` and `root_unavailable`.
 */
export const installedPackages = (
  root: Root,
  { packagesOf: id, entries }: PackagesQuestion,
  home: string,
): (InstalledPackage | null)[] => {
  const top = requireAgentSync(root, id);
  const reading = createPiDisk(top, createKnownTexts(), 0);
  const lists = new Map<string, readonly PiEntry[] | undefined>();
  // Treat links that point outside the root as missing.
  const list = (directory: string) =>
    reading.list(directory)?.filter(({ name }) => isInside(top, reading.realPath(join(directory, name))));
  const disk: PiDisk = {
    ...reading,
    list(directory) {
      if (!lists.has(directory)) lists.set(directory, list(directory));
      return lists.get(directory);
    },
  };
  return entries.map((entry) => {
    if (entry.source === undefined) return null;
    const source = parsePackageSource(entry.source);
    const directory = directoryOf(source, join(top, 'agents', id), home);
    const place = directory === undefined ? undefined : placeInside(directory, [top]);
    if (place === undefined) return { place: 'outside', directory: null };
    const copy = readCopy(disk, place, entry, source.kind);
    return { place: 'inside', directory: withSlashes(relative(top, place)), ...(copy ? { copy } : {}) };
  });
};
