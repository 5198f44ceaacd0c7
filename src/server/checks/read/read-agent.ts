import { type Dirent, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { parseObject, SETTINGS_FILE } from '../../../pi/agent-model.ts';
import { IGNORE_FILES } from '../../../pi/ignore-rules.ts';
import { packageEntries, parsePackageSource, sourceProblem } from '../../../pi/packages.ts';
import { entryFileOf, type IsOff, readSwitches } from '../../../pi/switched-off.ts';
import type { ErrorCode } from '../../../shared/api/errors.ts';
import { byKind, isOfKind, type LinkKind } from '../../../shared/api/names.ts';
import { MAX_PACKAGES } from '../../../shared/api/packages.ts';
import { describeFile, type FileKind } from '../../catalog/describe-file.ts';
import { isAlmostSkillFile } from '../../catalog/skill-rules.ts';
import { AppError, systemCode } from '../../platform/app-error.ts';
import { linkTextInside } from '../../platform/open-inside.ts';
import { packageDirectory } from '../../platform/package-contents.ts';
import { type Inside, placeInside } from '../../platform/resolves-outside.ts';
import type { Root } from '../../platform/root.ts';
import { insideOfRoot } from '../../platform/shared-folder.ts';
import {
  type AgentFolders,
  type FoundLink,
  followLink,
  type LinkEnd,
  linksIn,
  sharedFolderIn,
} from '../../root-model/link-folders.ts';
import type { PathRecord } from '../../root-model/path-record.ts';
import type { AgentReading } from '../../root-model/read-agents.ts';
import { listFolder, type SharedText } from '../../root-model/reader.ts';
import { linkTextTo } from '../../root-model/resolve-link.ts';
import { isSwitchedOff, rulesOf } from '../../root-model/switched-off.ts';
import {
  type AgentSnapshot,
  CHECKED_FILES,
  type CheckedFile,
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
import { isCut, isSpent, newBudget, type ReadBudget, readMarkdown, readRecorded } from './read-file.ts';
import type { SharedEntries } from './read-shared-entries.ts';
import { frontmatterLength, readSkill, skillSummary } from './read-skill.ts';

/** pi searches directories without SKILL.md recursively, and a link can point back up. */
const MAX_SKILL_DEPTH = 4;

const MISSING: FileState = { kind: 'missing' };

/** What the model read of an agent, and the record of what is read in addition. */
interface AgentSource {
  readonly root: Root;
  readonly reading: AgentReading;
  readonly folders: AgentFolders['folders'];
  readonly record: PathRecord;
}

interface Reading {
  readonly root: Root;
  /** The root, the only directory that is read. */
  readonly inside: Inside;
  readonly directory: string;
  readonly record: PathRecord;
  readonly budget: ReadBudget;
  readonly shared: SharedEntries;
  readonly folders: AgentFolders['folders'];
  /** The links of each folder, by name. */
  readonly linksOf: Readonly<Record<LinkKind, () => ReadonlyMap<string, FoundLink>>>;
  /** The ignore files found so far. */
  readonly ignoreFiles: IgnoreFile[];
  /** Returns whether settings.json switches an entry off. Undefined for a kind without such entries. */
  readonly rules: Readonly<Record<LinkKind, IsOff | undefined>>;
}

/** Where a link that dot-mi didn't write ends, as the rules see it. */
const targetAt = (end: LinkEnd, isRepairable: boolean): LinkTarget => {
  const { text } = end;
  if (end.isBroken) return { text, state: 'broken', isRepairable };
  return end.isOutside ? { text, state: 'outside' } : { text, state: 'there', shared: end.through.at(-1) };
};

/** Returns where a link in a folder of links ends. */
const targetOf = ({ folders, shared }: Reading, kind: LinkKind, link: FoundLink): LinkTarget => {
  const { name, end } = link;
  const isInCatalog = shared[kind](name) !== undefined;
  const folder = folders[kind];
  if (end) return targetAt(end, isInCatalog && !('problem' in folder) && !folder.isLinked);
  // The catalog doesn't list everything that pi loads, such as a skill that is a single file.
  const isThere = isInCatalog || shared.isBroken(kind, name) === false;
  return { text: linkTextTo(kind, name), state: isThere ? 'there' : 'broken', shared: name };
};

/** Follows a link below a folder of links. Undefined if another program removed it in the meantime. */
const targetBelow = ({ root, record }: Reading, kind: LinkKind, path: string): LinkTarget | undefined => {
  try {
    const realRoot = realpathSync.native(root.path);
    const text = linkTextInside([realRoot], path);
    return targetAt(followLink(path, text, realRoot, sharedFolderIn(root, realRoot, kind), record), false);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    record.neverReuse();
    return undefined;
  }
};

/** Returns where a link ends. Undefined if another program removed it in the meantime. */
const targetIfReadable = (reading: Reading, kind: LinkKind, path: string): LinkTarget | undefined => {
  const { directory, linksOf } = reading;
  const link = dirname(path) === join(directory, kind) ? linksOf[kind]().get(basename(path)) : undefined;
  return link ? targetOf(reading, kind, link) : targetBelow(reading, kind, path);
};

/** Returns whether the agent's settings.json switches off an entire extension. */
const isExtensionOff = ({ root, directory, record, rules }: Reading, { name }: Dirent): boolean =>
  rules.extensions !== undefined &&
  isSwitchedOff(root, rules.extensions, directory, 'extensions', name, record);

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
  const items = listFolder(full, record, inside);
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
  const items = listFolder(join(directory, 'skills'), record, inside);
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
  for (const item of listFolder(join(directory, 'extensions'), record, inside)) {
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
  const items = listFolder(join(directory, kind), record, inside);
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
  budget.isCut ||= entries.length > MAX_PACKAGES;
  return entries.slice(0, MAX_PACKAGES).map(({ source }) => {
    if (source === undefined || sourceProblem(source) !== undefined) return 'unknown';
    const parsed = parsePackageSource(source);
    const kept = packageDirectory(parsed, directory, homedir());
    if (kept === undefined) return 'unknown';
    const path = parsed.kind === 'npm' ? join(kept, 'package.json') : kept;
    const isThere = record.stat(path) !== undefined;
    // SECURITY: no finding says what is outside the root.
    if (placeInside(path, inside.directories) === undefined) return 'unknown';
    return isThere ? 'there' : 'missing';
  });
};

/** What a file that dot-mi refuses is to the rules. */
const PROBLEMS: Partial<Record<ErrorCode, Extract<FileState, { kind: 'refused' }>['problem']>> = {
  not_a_file: 'not-a-file',
  file_too_large: 'too-large',
  not_text: 'not-text',
  outside_root: 'outside',
};

/** Returns one of the agent's files, as all lists read it. */
const fileOf = (reading: AgentReading, name: CheckedFile, record: PathRecord): FileState => {
  try {
    const file = reading.file(name);
    if (file.kind === 'text') return { kind: 'text', text: file.file.content };
    // pi treats a broken link as missing.
    if (!file.info.exists || file.kind === 'missing') return MISSING;
    return {
      kind: 'refused',
      problem: file.isHidden ? 'outside' : (PROBLEMS[file.code] ?? 'unreadable'),
    };
  } catch (error) {
    record.neverReuse();
    if (systemCode(error) !== undefined) return { kind: 'refused', problem: 'unreadable' };
    // The agent was removed in the meantime.
    if (error instanceof AppError) return MISSING;
    throw error;
  }
};

/**
 * Reads all facts about an existing agent with blocking calls. Yields regularly, so that a thread can handle other
 * requests. Records everything it scans in `record`.
 */
export function* readAgent(
  { root, reading, folders, record }: AgentSource,
  shared: SharedEntries,
): Generator<void, AgentSnapshot> {
  const { id } = reading;
  const directory = root.agent(id);
  const inside = insideOfRoot(root);
  const budget = newBudget();
  const items = listFolder(directory, record, inside);
  const files: [string, FileState][] = [];
  for (const name of CHECKED_FILES) {
    // While the file is missing, the directory's fingerprint covers it.
    const isThere = items.some((one) => one.name === name);
    const file = isThere ? fileOf(reading, name, record) : MISSING;
    budget.characters -= textOf(file)?.length ?? 0;
    files.push([name, file]);
    yield;
  }
  const settings = files.find(([name]) => name === SETTINGS_FILE)?.[1] ?? MISSING;
  const switches = readSwitches(textOf(settings));
  const rules = byKind((kind) => rulesOf(switches, kind, directory));
  const ignoreFiles: IgnoreFile[] = [];
  const linksOf = byKind((kind) => {
    let known: ReadonlyMap<string, FoundLink> | undefined;
    return () => {
      known ??= new Map(
        linksIn(folders[kind], () => undefined).flatMap((link) => (link.isLink ? [[link.name, link]] : [])),
      );
      return known;
    };
  });
  const common = { root, inside, directory, record, budget, shared, folders, linksOf, ignoreFiles, rules };
  /** SECURITY: a folder that the lists of links refuse, such as a link to sessions, isn't listed here either. */
  const has = (kind: LinkKind) => {
    linksIn(folders[kind], () => {
      budget.isCut = true;
    });
    return !('problem' in folders[kind]);
  };
  const skills = has('skills') ? yield* readSkills(common) : [];
  const extensions = has('extensions') ? yield* readExtensions(common) : [];
  const prompts = has('prompts') ? yield* readFiles(common, 'prompts') : [];
  const themes = has('themes') ? yield* readFiles(common, 'themes') : [];
  const packages = readPackages(common, textOf(settings) ?? '{}');
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
