import { type Dirent, lstatSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, relative, sep } from 'node:path';
import { parseObject, SETTINGS_FILE } from '../../../pi/agent-model.ts';
import { IGNORE_FILES } from '../../../pi/ignore-rules.ts';
import { packageEntries, parsePackageSource, sourceProblem } from '../../../pi/packages.ts';
import { entryFileOf, type IsOff, readSwitches } from '../../../pi/switched-off.ts';
import { byKind, isOfKind, LINK_KINDS, type LinkKind } from '../../../shared/api/names.ts';
import { MAX_PACKAGES } from '../../../shared/api/packages.ts';
import { describeFile, type FileKind } from '../../catalog/describe-file.ts';
import { isAlmostSkillFile } from '../../catalog/skill-rules.ts';
import { isNotFound, systemCode } from '../../platform/app-error.ts';
import { statIfThere } from '../../platform/list-directory.ts';
import { linkTextInside } from '../../platform/open-inside.ts';
import { packageDirectory } from '../../platform/package-contents.ts';
import type { SharedText } from '../../platform/read-like-pi.ts';
import { type Inside, placeInside, resolvesOutside } from '../../platform/resolves-outside.ts';
import { isInside, type Root } from '../../platform/root.ts';
import { insideOfRoot } from '../../platform/shared-folder.ts';
import type { PathRecord } from '../../root-model/path-record.ts';
import { isSwitchedOff, rulesOf } from '../../root-model/switched-off.ts';
import {
  type AgentSnapshot,
  CHECKED_FILES,
  type ExtensionEntry,
  type FileEntry,
  type FileState,
  type IgnoreFile,
  type LinkTarget,
  type PackageState,
  type SkillEntry,
  textOf,
} from '../snapshot.ts';
import { readExtensionCalls, UNKNOWN_CALLS } from './read-extension.ts';
import {
  isCut,
  isSpent,
  listRecorded,
  newBudget,
  type ReadBudget,
  readMarkdown,
  readRecorded,
} from './read-file.ts';
import type { SharedEntries } from './read-shared-entries.ts';
import { frontmatterLength, readSkill, skillSummary } from './read-skill.ts';

/** pi searches directories without SKILL.md recursively, and a link can point back up. */
const MAX_SKILL_DEPTH = 4;

const MISSING: FileState = { kind: 'missing' };

/** The link text that dot-mi and the setup scripts write. */
const OUR_LINK = new RegExp(`^\\.\\./\\.\\./\\.\\./shared/(${LINK_KINDS.join('|')})/([^/]+)/?$`);

interface Reading {
  readonly root: Root;
  /** The root, the only directory that is read. */
  readonly inside: Inside;
  readonly directory: string;
  readonly record: PathRecord;
  readonly budget: ReadBudget;
  readonly shared: SharedEntries;
  /** The ignore files found so far. */
  readonly ignoreFiles: IgnoreFile[];
  /** Returns whether settings.json switches an entry off. Undefined for a kind without such entries. */
  readonly rules: Readonly<Record<LinkKind, IsOff | undefined>>;
}

const exists = (shared: SharedEntries, kind: LinkKind, name: string): boolean =>
  shared[kind](name) !== undefined;

/** Returns the name of the shared entry at a resolved path, if there is one. */
const sharedNameOf = (root: Root, kind: LinkKind, path: string): string | undefined => {
  const folder = realpathSync.native(root.shared(kind));
  const name = isInside(folder, path) ? relative(folder, path) : '';
  return name === '' || name.includes(sep) ? undefined : name;
};

/** Returns whether a link's target is missing. False if the target can't be scanned, because it may exist. */
const isTargetMissing = (path: string): boolean => {
  try {
    return statIfThere(path) === undefined;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return false;
  }
};

/** Describes a broken link the same way as the list of links. */
const brokenLink = (
  { directory, shared }: Reading,
  kind: LinkKind,
  path: string,
  text: string,
): LinkTarget => ({
  text,
  state: 'broken',
  isRepairable: dirname(path) === join(directory, kind) && exists(shared, kind, basename(path)),
});

const readTarget = (reading: Reading, kind: LinkKind, path: string): LinkTarget | undefined => {
  const { root, inside, shared, record } = reading;
  try {
    const text = linkTextInside(inside.directories, path);
    const [, linkedKind, name] = OUR_LINK.exec(text) ?? [];
    if (linkedKind === kind && name !== undefined) {
      // The catalog doesn't list everything that pi loads, such as a skill that is a single file.
      const isThere = exists(shared, kind, name) || record.stat(join(root.shared(kind), name)) !== undefined;
      if (!isThere) return { ...brokenLink(reading, kind, path, text), shared: name };
      return { text, state: 'there', shared: name };
    }
    // Other links are resolved each time, because anything along the way can change.
    record.neverReuse();
    if (resolvesOutside(path, [root.path]))
      return isTargetMissing(path) ? brokenLink(reading, kind, path, text) : { text, state: 'outside' };
    const target = realpathSync.native(path);
    return { text, state: 'there', shared: sharedNameOf(root, kind, target) };
  } catch (error) {
    if (isNotFound(error)) return brokenLink(reading, kind, path, linkTextInside(inside.directories, path));
    throw error;
  }
};

/** Returns undefined if another program removed the entry in the meantime, or the system denies access. */
const targetIfReadable = (reading: Reading, kind: LinkKind, path: string): LinkTarget | undefined => {
  try {
    return readTarget(reading, kind, path);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    reading.record.neverReuse();
    return undefined;
  }
};

/** Returns whether the agent's settings.json switches off an entire extension. */
const isExtensionOff = ({ root, directory, record, rules }: Reading, { name }: Dirent): boolean => {
  if (!rules.extensions) return false;
  // A linked extension's files are elsewhere, and this directory's events don't cover them.
  record.neverReuse();
  return isSwitchedOff(root, rules.extensions, directory, 'extensions', name);
};

/** Reads the ignore files of a directory with these entries, which pi applies to what is in it. */
const readIgnoreFiles = (
  { directory, inside, record, budget, ignoreFiles }: Reading,
  folder: string,
  names: readonly string[],
): void => {
  for (const name of IGNORE_FILES) {
    if (!names.includes(name)) continue;
    const path = `${folder}/${name}`;
    const file = readRecorded(join(directory, path), record, budget, inside);
    if (file.kind === 'text') ignoreFiles.push({ path, text: file.text });
    else budget.isCut ||= file.kind === 'refused';
  }
};

/** Returns what identifies a skill's file: its path in the root, with links resolved. */
const identityOf = (
  { root, directory }: Reading,
  path: string,
  link: LinkTarget | undefined,
): string | undefined => {
  if (link === undefined) return join(directory, path);
  try {
    return join(
      root.path,
      relative(realpathSync.native(root.path), realpathSync.native(join(directory, path))),
    );
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
};

/** Reads a Markdown file in `skills`, which pi loads as a skill if it has a description. */
const readSingleFile = (reading: Reading, entry: SkillEntry): SkillEntry => {
  const { directory, inside, record, budget } = reading;
  const file = readMarkdown(join(directory, entry.path), record, budget, inside);
  budget.frontmatterCharacters -= frontmatterLength(file);
  // Without a name, pi uses that of the directory.
  const facts = skillSummary('skills', file);
  return facts?.description === undefined
    ? entry
    : { ...entry, facts, file: identityOf(reading, entry.path, entry.link) };
};

/** Yields the skills at a path in `skills`: one, or those in a directory without SKILL.md, as pi finds them. */
function* readSkillEntry(
  reading: Reading,
  item: Dirent,
  folder: string,
  above: LinkTarget | undefined,
  depth: number,
): Generator<SkillEntry> {
  const { root, directory, inside, record, budget, shared, rules } = reading;
  const path = `${folder}/${item.name}`;
  const full = join(directory, path);
  const link = item.isSymbolicLink() ? targetIfReadable(reading, 'skills', full) : above;
  if (item.isSymbolicLink() && !link) return;
  const entry = {
    name: item.name,
    path,
    link,
    isOff: rules.skills?.(entryFileOf('skills', path.slice('skills/'.length))),
  };
  if (link?.state === 'broken' || link?.state === 'outside') {
    yield entry;
    return;
  }
  if (item.isSymbolicLink() && link?.shared !== undefined) {
    const { facts, ignoreFiles } = shared.skills(link.shared) ?? {};
    if (facts) {
      for (const file of ignoreFiles ?? [])
        reading.ignoreFiles.push({ ...file, path: `${path}/${file.path}` });
      yield { ...entry, facts, file: join(root.shared('skills'), link.shared, 'SKILL.md') };
      return;
    }
  }
  const stats = record.stat(full);
  if (depth === 1 && stats?.isFile() && item.name.endsWith('.md')) yield readSingleFile(reading, entry);
  if (!stats?.isDirectory()) return;
  if (record.stat(join(full, 'SKILL.md'))) {
    const own = readSkill(item.name, full, { record, budget, inside });
    budget.frontmatterCharacters -= frontmatterLength(own.file);
    if (isSpent(budget)) return;
    readIgnoreFiles(reading, path, own.paths);
    yield {
      ...entry,
      facts: skillSummary(item.name, own.file),
      file: identityOf(reading, `${path}/SKILL.md`, link),
      ...(link?.shared === undefined ? { own } : {}),
    };
    return;
  }
  const items = listRecorded(full, record, inside);
  readIgnoreFiles(
    reading,
    path,
    items.map(({ name }) => name),
  );
  if (link === undefined && items.some(({ name }) => isAlmostSkillFile(name)))
    yield { ...entry, own: readSkill(item.name, full, { record, budget, inside }) };
  for (const below of items) {
    if (depth === MAX_SKILL_DEPTH) budget.isCut ||= isEntry(below) && !below.isFile();
    else if (!isEntry(below) || --budget.entries < 0 || isSpent(budget)) continue;
    yield* readSkillEntry(reading, below, path, link, depth + 1);
  }
}

const entryOf = (reading: Reading, { name }: Dirent): SkillEntry => {
  const path = `skills/${name}`;
  return { name, path, link: targetIfReadable(reading, 'skills', join(reading.directory, path)) };
};

const isEntry = ({ name }: Dirent) => !name.startsWith('.') && name !== 'node_modules';

function* readSkills(reading: Reading): Generator<void, SkillEntry[]> {
  const { directory, inside, record, budget } = reading;
  const skills: SkillEntry[] = [];
  const items = listRecorded(join(directory, 'skills'), record, inside);
  readIgnoreFiles(
    reading,
    'skills',
    items.map(({ name }) => name),
  );
  for (const item of items) {
    if (--budget.entries < 0 || isSpent(budget)) break;
    if (isEntry(item)) {
      const before = skills.length;
      for (const entry of readSkillEntry(reading, item, 'skills', undefined, 1)) {
        skills.push(entry);
        yield;
      }
      // For example, a link to a skill without SKILL.md.
      if (skills.length === before && item.isSymbolicLink()) skills.push(entryOf(reading, item));
    }
  }
  return skills;
}

function* readExtensions(reading: Reading): Generator<void, ExtensionEntry[]> {
  const { directory, inside, record, budget, shared } = reading;
  const extensions: ExtensionEntry[] = [];
  for (const item of listRecorded(join(directory, 'extensions'), record, inside)) {
    if (--budget.entries < 0) break;
    if (!isEntry(item)) continue;
    const path = `extensions/${item.name}`;
    const full = join(directory, path);
    const link = item.isSymbolicLink() ? targetIfReadable(reading, 'extensions', full) : undefined;
    if (item.isSymbolicLink() && !link) continue;
    const entry = { name: item.name, path, link, isOff: isExtensionOff(reading, item) };
    if (link && link.state !== 'there') extensions.push({ ...entry, calls: UNKNOWN_CALLS });
    else if (link?.shared !== undefined) {
      extensions.push({ ...entry, calls: shared.extensions(link.shared) ?? UNKNOWN_CALLS });
    } else {
      const calls = readExtensionCalls(full, { record, budget, inside });
      extensions.push({ ...entry, calls });
    }
    yield;
  }
  return extensions;
}

/** Converts a file to the form the catalog reads. */
const toSharedText = (file: FileState): SharedText => {
  if (file.kind === 'text')
    return { text: file.text, ...(file.isPlain === false ? { isReplaced: true } : {}) };
  if (file.kind === 'missing') return { problem: 'missing' };
  return file.problem === 'unreadable'
    ? { problem: 'unreadable', code: 'unknown' }
    : { problem: file.problem };
};

function* readFiles(reading: Reading, kind: FileKind): Generator<void, FileEntry[]> {
  const { directory, inside, record, budget, shared, rules } = reading;
  const entries: FileEntry[] = [];
  const items = listRecorded(join(directory, kind), record, inside);
  readIgnoreFiles(
    reading,
    kind,
    items.map(({ name }) => name),
  );
  for (const item of items) {
    if (--budget.entries < 0 || isSpent(budget)) break;
    const { name } = item;
    const path = `${kind}/${name}`;
    if (!isEntry(item)) continue;
    const isLink = item.isSymbolicLink();
    const link = isLink ? targetIfReadable(reading, kind, join(directory, path)) : undefined;
    if (isLink ? !link : !isOfKind(kind, name, item.isFile() ? 'file' : 'dir')) continue;
    const entry = { name, path, link, isOff: rules[kind]?.(path) };
    if (link && (link.state !== 'there' || !isOfKind(kind, name, 'file'))) entries.push(entry);
    else if (link?.shared !== undefined)
      entries.push({ ...entry, loadedAs: shared[kind](link.shared)?.loadedAs });
    else {
      const readEntry = kind === 'prompts' ? readMarkdown : readRecorded;
      const file = readEntry(join(directory, path), record, budget, inside);
      budget.frontmatterCharacters -= frontmatterLength(file);
      entries.push({ ...entry, ...describeFile(kind, name, toSharedText(file)) });
    }
    yield;
  }
  return entries;
}

/** Returns whether each package in settings.json is in the root. Scans only the packages' own paths. */
const readPackages = ({ inside, directory, record, budget }: Reading, settings: string): PackageState[] => {
  const entries = packageEntries(parseObject(settings).packages) ?? [];
  // No event reports packages that pi installs.
  if (entries.length > 0) record.neverReuse();
  budget.isCut ||= entries.length > MAX_PACKAGES;
  return entries.slice(0, MAX_PACKAGES).map(({ source }) => {
    if (source === undefined || sourceProblem(source) !== undefined) return 'unknown';
    const parsed = parsePackageSource(source);
    const kept = packageDirectory(parsed, directory, homedir());
    if (kept === undefined) return 'unknown';
    // SECURITY: no finding says what is outside the root.
    const place = placeInside(parsed.kind === 'npm' ? join(kept, 'package.json') : kept, inside.directories);
    if (place === undefined) return 'unknown';
    return record.stat(place) ? 'there' : 'missing';
  });
};

/** Returns whether a folder of links can be read: the agent's own, or a link that stays in the root. */
const isReadable = ({ root, directory, record, budget }: Reading, kind: LinkKind): boolean => {
  const path = join(directory, kind);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats?.isSymbolicLink()) return stats !== undefined;
  // SECURITY: a linked folder would list another of this user's directories.
  record.neverReuse();
  const isOutside = resolvesOutside(path, [root.path]);
  budget.isCut ||= isOutside;
  return !isOutside;
};

/**
 * Reads all facts about an existing agent with blocking calls. Yields regularly, so that a thread can handle other
 * requests. Records everything it scans in `record`.
 */
export function* readAgent(
  root: Root,
  id: string,
  record: PathRecord,
  shared: SharedEntries,
): Generator<void, AgentSnapshot> {
  const directory = root.agent(id);
  const inside = insideOfRoot(root);
  const budget = newBudget();
  const items = listRecorded(directory, record, inside);
  const files: [string, FileState][] = [];
  for (const name of CHECKED_FILES) {
    const item = items.find((one) => one.name === name);
    // While the file is missing, the directory's fingerprint covers it.
    files.push([name, item ? readRecorded(join(directory, name), record, budget, inside) : MISSING]);
    if (item?.isSymbolicLink()) record.neverReuse();
    yield;
  }
  const settings = files.find(([name]) => name === SETTINGS_FILE)?.[1] ?? MISSING;
  const switches = readSwitches(textOf(settings));
  const rules = byKind((kind) => rulesOf(switches, kind, directory));
  const ignoreFiles: IgnoreFile[] = [];
  const reading: Reading = { root, inside, directory, record, budget, shared, ignoreFiles, rules };
  const has = (kind: LinkKind) => items.some(({ name }) => name === kind) && isReadable(reading, kind);
  const skills = has('skills') ? yield* readSkills(reading) : [];
  const extensions = has('extensions') ? yield* readExtensions(reading) : [];
  const prompts = has('prompts') ? yield* readFiles(reading, 'prompts') : [];
  const themes = has('themes') ? yield* readFiles(reading, 'themes') : [];
  const packages = readPackages(reading, textOf(settings) ?? '{}');
  return {
    id,
    files: Object.fromEntries(files) as AgentSnapshot['files'],
    skills,
    extensions,
    prompts,
    themes,
    ...(packages.length > 0 ? { packages } : {}),
    ignoreFiles,
    names: items.slice(0, 2_000).map(({ name }) => name),
    ...(isCut(budget) ? { isCut: true } : {}),
  };
}
