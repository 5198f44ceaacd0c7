import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { isSince, type PiVersion } from '../../pi/flags.ts';
import { type AgentFacts, loadsBuiltIn } from '../../pi/interpret.ts';
import { type McpConfig, type McpFile, readMcpConfig } from '../../pi/mcp.ts';
import { type PackageSource, parsePackageSource, shownSource } from '../../pi/packages.ts';
import {
  createSkillSearch,
  loadSkills,
  type ReadFrontmatter,
  type SeenSkills,
} from '../../pi/skills-seen-by-pi.ts';
import { MAX_PACKAGES } from '../../shared/api/packages.ts';
import type { AgentPrompt, PromptSkill, PromptSource } from '../../shared/api/prompt.ts';
import { expandHome } from '../platform/home.ts';
import type { PackageFile, ReadPackage } from '../platform/package-contents.ts';
import { entryProblem, repeatedEntries } from '../platform/package-problem.ts';
import type { ReportingDisk } from '../platform/pi-disk.ts';
import { quoted } from '../platform/words.ts';

const CONTEXT_FILES = ['AGENTS.md', 'AGENTS.MD', 'CLAUDE.md', 'CLAUDE.MD'] as const;

/**
 * Returns the names of context files. pi reads the first one in a directory: in the agent's directory, then in every
 * directory from the top of the disk down to the working directory. `-nc` turns them off.
 */
const contextFileNames = (version: PiVersion): readonly string[] =>
  version === '0.73' ? CONTEXT_FILES : ['AGENTS.override.md', ...CONTEXT_FILES];

/** A run's absolute paths. */
export interface RunPlaces {
  /** The agent's directory, as the run command passes it. */
  readonly agent: string;
  /** The working directory, without links. */
  readonly cwd: string;
  readonly home: string;
}

/** Text and its origin. */
interface Sourced {
  readonly text: string;
  /** The text that the reader sees. */
  readonly shown: string;
  readonly source: PromptSource;
}

const withoutBom = (text: string, version: PiVersion): string =>
  version === '0.73' ? text : text.replace(/^\uFEFF/, '');

/** Returns a directory and its parents, up to the top of the disk. */
export const directoriesUp = (directory: string): string[] => {
  const parent = dirname(directory);
  return parent === directory ? [directory] : [directory, ...directoriesUp(parent)];
};

/** Collects a run's context files, in pi's order. */
export const collectContextFiles = (
  disk: ReportingDisk,
  { agent, cwd }: RunPlaces,
  version: PiVersion,
): (Omit<AgentPrompt['contextFiles'][number], 'tokens'> & { text: string; shown: string })[] => {
  const seen = new Set<string>();
  return [agent, ...directoriesUp(cwd).reverse()].flatMap((directory, index) => {
    for (const name of contextFileNames(version)) {
      const path = join(directory, name);
      if (seen.has(path)) return [];
      const text = disk.readPart(path);
      if (text === undefined) continue;
      seen.add(path);
      const from = index === 0 ? ('agent' as const) : ('directory' as const);
      const whole = withoutBom(text, version);
      return [{ path, from, text: whole, shown: disk.shown(path, whole) }];
    }
    return [];
  });
};

/** Returns the project's `.agents/skills` directories, from `cwd` up to its Git repository or the top. */
const projectSkillDirectories = ({ cwd, home }: RunPlaces): string[] => {
  const directories = directoriesUp(cwd);
  const repository = directories.findIndex((directory) => existsSync(join(directory, '.git')));
  const ofHome = join(home, '.agents', 'skills');
  return directories
    .slice(0, repository === -1 ? undefined : repository + 1)
    .map((directory) => join(directory, '.agents', 'skills'))
    .filter((directory) => directory !== ofHome);
};

/** The parts that an agent's packages add to its prompt. */
export interface OfPackages {
  /** In pi's order. */
  readonly skills: readonly PackageFile[];
  /** The names of the extensions that pi loads. */
  readonly extensions: readonly string[];
  /** The sources of packages that may add more, in a form without secrets. */
  readonly unread: readonly string[];
}

/** An exact version. pi reinstalls the package if its copy has a different one. */
const EXACT_VERSION = /^[v=]*(\d+\.\d+\.\d+(?:-[\w.-]+)?)(?:\+.*)?$/;

/** Returns whether pi would load this copy of a package. */
const isCurrent = (source: PackageSource, version: string | null): boolean => {
  const [, exact] = (source.kind === 'npm' && EXACT_VERSION.exec(source.version ?? '')) || [];
  return exact === undefined || EXACT_VERSION.exec(version ?? '')?.[1] === exact;
};

/** Reads the parts that an agent's packages add to its prompt, if the packages are in the root. */
export const collectPackages = (
  { args, settings }: AgentFacts,
  version: PiVersion,
  readPackage: ReadPackage,
): OfPackages => {
  const kinds = [
    ...(args.noSkills ? [] : ['skills' as const]),
    ...(args.noExtensions ? [] : ['extensions' as const]),
  ];
  const { packages } = settings;
  if (kinds.length === 0 || packages?.length === 0) return { skills: [], extensions: [], unread: [] };
  if (!packages) return { skills: [], extensions: [], unread: ['"packages"'] };
  const skills = new Map<string, PackageFile>();
  const extensions: string[] = [];
  const unread = new Set<string>();
  const directories = new Set<string>();
  const repeated = repeatedEntries(packages);
  for (const [index, entry] of packages.entries()) {
    if (repeated[index]) continue;
    const { source } = entry;
    // pi 0.73 keeps packages outside the root, and reads their filters differently.
    const isKnown = index < MAX_PACKAGES && version !== '0.73' && entryProblem(entry) === undefined;
    const found = isKnown ? readPackage(entry, kinds) : undefined;
    const { directory, copy, isWhole } = found ?? {};
    // Two paths can point to the same package.
    if (directory !== undefined && directories.has(directory)) continue;
    if (directory !== undefined) directories.add(directory);
    const isLoaded = copy && source !== undefined && isCurrent(parsePackageSource(source), copy.version);
    if (!isLoaded || !isWhole)
      unread.add(source === undefined ? `entry ${index + 1}` : quoted(shownSource(source)));
    if (!isLoaded) continue;
    for (const file of copy.files.skills ?? []) if (!skills.has(file.path)) skills.set(file.path, file);
    for (const { isOff, name } of copy.files.extensions ?? []) if (!isOff) extensions.push(name);
  }
  return { skills: [...skills.values()], extensions, unread: [...unread] };
};

/** Collects a run's skills with their origins, in the order of the prompt. */
export const collectSkills = (
  disk: ReportingDisk,
  readFrontmatter: ReadFrontmatter,
  { args, switches }: AgentFacts,
  places: RunPlaces,
  { trusted, version }: { trusted: boolean; version: PiVersion },
  ofPackages: readonly PackageFile[],
): Omit<SeenSkills, 'unread'> & { fromOf(path: string): PromptSkill['from'] } => {
  const { agent, cwd, home } = places;
  const { search, leftOut, hasEnded } = createSkillSearch(disk, version);
  const from = new Map<string, PromptSkill['from']>();
  const add = (origin: PromptSkill['from'], paths: readonly string[]): void => {
    for (const path of paths) if (!from.has(path)) from.set(path, origin);
  };
  /**
   * Files that are switched off. pi doesn't load them through other links either, unless it found such a link first.
   */
  const off = new Set<string>();
  const addUnlessOff = (origin: PromptSkill['from'], path: string, isOff: boolean): void => {
    const realPath = disk.realPath(path);
    if (isOff) off.add(realPath);
    if (off.has(realPath)) leftOut.push({ path, reason: 'switched_off' });
    else add(origin, [path]);
  };
  // pi reads packages first, so they own their paths. But among skills with the same name, any other skill wins.
  const inPackages = new Set(ofPackages.map(({ path }) => path));
  /** `base` is the parent of the searched directory. */
  const addFound = (origin: 'agent' | 'home', base: string, paths: readonly string[]): void => {
    const isOff = switches.skills?.(base, home);
    for (const path of paths) {
      if (inPackages.has(path)) continue;
      addUnlessOff(origin, path, isOff?.(path.slice(base.length + 1).replaceAll(sep, '/')) === true);
    }
  };
  if (!args.noSkills) {
    if (trusted) {
      add('project', search(join(cwd, '.pi', 'skills'), 'agent'));
      for (const directory of projectSkillDirectories(places)) add('project', search(directory, 'shared'));
    }
    addFound('agent', agent, search(join(agent, 'skills'), 'agent'));
    addFound('home', join(home, '.agents'), search(join(home, '.agents', 'skills'), 'shared'));
    // pi warns about a file of another kind that a package names, and doesn't load it.
    for (const { path, isOff } of ofPackages) if (path.endsWith('.md')) addUnlessOff('package', path, isOff);
  }
  for (const skill of args.skills) {
    const path = resolve(cwd, expandHome(skill.trim(), home));
    disk.refuseOutside(path);
    add('argument', path.endsWith('.md') ? [path] : search(path, 'agent'));
  }
  if (hasEnded()) disk.leaveOut(join(agent, 'skills'), 'has more entries than dot-mi reads');
  const loaded = loadSkills(disk, readFrontmatter, [...from.keys()], version);
  for (const path of loaded.unread) disk.leaveOut(path, 'has frontmatter that exceeds dot-mi’s limits');
  return {
    skills: loaded.skills,
    leftOut: [...leftOut, ...loaded.leftOut],
    fromOf: (path) => from.get(path) ?? 'agent',
  };
};

const NO_MCP: McpConfig = { servers: [], autoEnableCodemode: true, hasBrokenFile: false, refused: new Map() };

/** Collects a run's MCP servers: the agent's, and a trusted project's. Only pi 1.5 supports them. */
export const collectMcp = (
  disk: ReportingDisk,
  facts: AgentFacts,
  { agent, cwd }: RunPlaces,
  { trusted, version }: { trusted: boolean; version: PiVersion },
): McpConfig => {
  if (!isSince(version, '1.5') || !loadsBuiltIn(facts, 'mcp')) return NO_MCP;
  const fileIn = (directory: string, isProject: boolean): McpFile[] => {
    const text = disk.facts.readText(join(directory, 'mcp.json'));
    return text === undefined ? [] : [{ text, isProject }];
  };
  return readMcpConfig([...fileIn(agent, false), ...(trusted ? fileIn(join(cwd, '.pi'), true) : [])]);
};

const sourced = (disk: ReportingDisk, path: string, text: string, written?: string) => ({
  text,
  shown: disk.shown(path, text, written),
});

/** Returns an argument's text, or the content of the file that it names, as pi does. */
const readArgument = (
  disk: ReportingDisk,
  value: string,
  { cwd }: RunPlaces,
  version: PiVersion,
): Sourced => {
  const path = isAbsolute(value) ? value : resolve(cwd, value);
  if (value !== '') disk.refuseOutside(path);
  const text = value === '' ? undefined : disk.readPart(path);
  return text === undefined
    ? { text: value, shown: value, source: { kind: 'argument' } }
    : { ...sourced(disk, path, withoutBom(text, version), value), source: { kind: 'argument', path } };
};

/** Reads the file with this name in the project if it's trusted, or else in the agent's directory. */
const readPromptFile = (
  disk: ReportingDisk,
  name: 'SYSTEM.md' | 'APPEND_SYSTEM.md',
  { agent, cwd }: RunPlaces,
  { trusted, version }: { trusted: boolean; version: PiVersion },
): Sourced | undefined => {
  const ofProject = join(cwd, '.pi', name);
  const projectText = trusted ? disk.readPart(ofProject) : undefined;
  if (projectText !== undefined)
    return {
      ...sourced(disk, ofProject, withoutBom(projectText, version), `.pi/${name}`),
      source: { kind: 'file', path: ofProject },
    };
  const path = join(agent, name);
  const text = disk.readPart(path);
  const source = { kind: 'file', path, file: name } as const;
  if (text !== undefined) return { ...sourced(disk, path, withoutBom(text, version), name), source };
  const unread = disk.unreadable.find((file) => file.path === path);
  // pi will read this file, so don't show pi's default prompt instead.
  const missing = unread && `(${name} ${unread.reason}, so its text is missing here.)`;
  return missing === undefined ? undefined : { text: missing, shown: missing, source };
};

/** Returns the text that replaces pi's default prompt. Undefined or empty if nothing does. */
export const collectCustomPrompt = (
  disk: ReportingDisk,
  { args }: AgentFacts,
  places: RunPlaces,
  run: { trusted: boolean; version: PiVersion },
): Sourced | undefined =>
  args.systemPrompt === undefined
    ? readPromptFile(disk, 'SYSTEM.md', places, run)
    : readArgument(disk, args.systemPrompt, places, run.version);

/** Returns the text after the prompt: from all arguments, or else from one file. */
export const collectAddendum = (
  disk: ReportingDisk,
  { args }: AgentFacts,
  places: RunPlaces,
  run: { trusted: boolean; version: PiVersion },
): Sourced | undefined => {
  const values = args.appendSystemPrompts.map((value) => readArgument(disk, value, places, run.version));
  const [first] = values;
  if (!first) return readPromptFile(disk, 'APPEND_SYSTEM.md', places, run);
  return {
    text: values.map(({ text }) => text).join('\n\n'),
    shown: values.map(({ shown }) => shown).join('\n\n'),
    source: values.length === 1 ? first.source : { kind: 'argument' },
  };
};
