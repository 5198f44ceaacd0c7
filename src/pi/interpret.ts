import { isTooDeep } from '../shared/shallow-json.ts';
import { AGENT_PROMPT_EXTENSIONS, type AgentMd, hasLongFrontmatter, parseAgentFile } from './agent-md.ts';
import {
  type AgentModel,
  agentModel,
  type ModelSettings,
  parseModelSettings,
  parseObject,
} from './agent-model.ts';
import type { PiVersion } from './flags.ts';
import { compileGlob } from './glob.ts';
import { type PackageEntry, packageEntries } from './packages.ts';
import { isTooLongToRun, type PiArguments, parsePiArguments, RUN_FILE_LIMIT } from './pi-args.ts';
import type { PiDisk } from './skills-seen-by-pi.ts';
import { isEntryOff, listIn, namesMore, readSwitches, type Switches } from './switched-off.ts';

/** The settings that an agent's prompt depends on. */
interface AgentSettings extends ModelSettings {
  readonly defaultTools?: readonly string[];
  readonly defaultProjectTrust?: string;
  /** True if the settings name additional skills, which dot-mi doesn't resolve. */
  readonly hasMoreSkills: boolean;
  /** The `packages` list. Undefined if it isn't a list, which makes pi fail. */
  readonly packages: readonly PackageEntry[] | undefined;
  /** The `extensions` list, whose entries can also switch extensions off. */
  readonly extensions: readonly string[];
  /** True if only scripts can call pi's tools once the `codemode` tool is on. */
  readonly isCodemodeOnly: boolean;
}

/** pi 1.5's own extensions that the prompt depends on. */
type BuiltInExtension = 'codemode' | 'tool-search' | 'mcp';

/** What an agent's files say about a run. */
export interface AgentFacts {
  readonly args: PiArguments;
  readonly settings: AgentSettings;
  readonly switches: Switches;
  /** Undefined if the file is missing. */
  readonly agentFile: AgentMd | undefined;
  /** True if an extension applies AGENT.md. */
  readonly appliesAgentFile: boolean;
  /** True if that extension puts the text in a section of its own, as the starter root's does. */
  readonly readerSetsSection: boolean;
  /** The names of the agent's other extensions. */
  readonly extensions: readonly string[];
  readonly model: AgentModel | undefined;
}

/** The property that extensions use to add sections. */
const SETS_SECTION = 'systemPromptOptions';

const isStrings = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

const readSettings = (text: string | undefined): AgentSettings => {
  const settings = parseObject(text);
  const { defaultTools, defaultProjectTrust, packages, codemode } = settings;
  return {
    ...(isStrings(defaultTools) ? { defaultTools } : {}),
    ...parseModelSettings(text),
    ...(typeof defaultProjectTrust === 'string' ? { defaultProjectTrust } : {}),
    hasMoreSkills: listIn(settings, 'skills').some(namesMore),
    packages: packageEntries(packages),
    extensions: listIn(settings, 'extensions'),
    isCodemodeOnly: (codemode as { mode?: unknown } | null | undefined)?.mode === 'only',
  };
};

/** Returns whether pi 1.5 loads one of its own extensions. */
export const loadsBuiltIn = (
  { args, settings }: Pick<AgentFacts, 'args' | 'settings'>,
  name: BuiltInExtension,
): boolean => {
  if (name === 'mcp' && args.noMcp) return false;
  const path = `builtin:${name}`;
  const { extensions } = settings;
  if (args.extensions.includes(path)) return true;
  if (args.noExtensions || extensions.includes(`-${path}`)) return false;
  return (
    extensions.includes(`+${path}`) ||
    !extensions.some((entry) => entry.startsWith('!') && compileGlob(entry.slice(1))(path))
  );
};

/** Returns the tools of the built-in extensions that pi 1.5 loads. They're off unless something selects them. */
export const extensionTools = (facts: Pick<AgentFacts, 'args' | 'settings'>): string[] => [
  ...(loadsBuiltIn(facts, 'codemode') ? ['codemode'] : []),
  ...(loadsBuiltIn(facts, 'tool-search') ? ['tool_search'] : []),
];

/** Returns whether an agent's trust.json trusts a directory, or else its nearest listed parent. */
export const isTrustedBy = (
  text: string | undefined,
  directories: readonly string[],
): boolean | undefined => {
  const decisions = parseObject(text);
  const nearest = directories.find((directory) => typeof decisions[directory] === 'boolean');
  return nearest === undefined ? undefined : decisions[nearest] === true;
};

/**
 * Returns why dot-mi doesn't interpret the text of one of an agent's files, as a verb phrase. SECURITY: it would hold up
 * the lists of all agents.
 */
export const interpretationLimit = (name: string, text: string): string | undefined => {
  if (name === 'pi-args' && isTooLongToRun(text)) return `is larger than ${RUN_FILE_LIMIT}`;
  if (name === 'AGENT.md' && hasLongFrontmatter(text))
    return 'has frontmatter that is larger than the limit of 64 KiB';
  return name.endsWith('.json') && isTooDeep(text)
    ? 'is nested deeper than the limit of 1,000 levels'
    : undefined;
};

/** Reads the files of one agent. */
type AgentDisk = Pick<PiDisk, 'list' | 'readText' | 'join'>;

/** The session directories in an agent's pi-args and settings.json, as written. */
export interface NamedSessionDirectories {
  /** As in pi-args, relative to a run's working directory. */
  readonly inArgs: string | undefined;
  /** As in settings.json, relative to the agent's directory. */
  readonly inSettings: string | undefined;
}

/** Returns the `sessionDir` in a settings.json, as written. */
export const sessionDirIn = (settings: string | undefined): string | undefined => {
  const { sessionDir } = parseObject(settings);
  return typeof sessionDir === 'string' ? sessionDir : undefined;
};

/** Reads the {@link NamedSessionDirectories} of the agent in a directory. */
export const readSessionDirectories = (
  disk: AgentDisk,
  directory: string,
  version: PiVersion,
): NamedSessionDirectories => {
  const textOf = (name: string) => disk.readText(disk.join(directory, name));
  return {
    inArgs: parsePiArguments(textOf('pi-args') ?? '', version).sessionDirectory,
    inSettings: sessionDirIn(textOf('settings.json')),
  };
};

/** Returns what pi makes of the files in an agent's directory. `home` is what `~` means. */
export const interpret = (
  disk: AgentDisk,
  directory: string,
  home: string,
  version: PiVersion,
): AgentFacts => {
  const textOf = (name: string) => disk.readText(disk.join(directory, name));
  const args = parsePiArguments(textOf('pi-args') ?? '', version);
  const settingsText = textOf('settings.json');
  const settings = readSettings(settingsText);
  const switches = readSwitches(settingsText);
  const isOff = switches.extensions?.(directory, home);
  const files = {
    isThere: (file: string) => textOf(file) !== undefined,
    readText: textOf,
  };
  const agentText = textOf('AGENT.md');
  const agentFile = agentText === undefined ? undefined : parseAgentFile(agentText);
  const extensions = args.noExtensions
    ? []
    : (disk.list(disk.join(directory, 'extensions')) ?? []).filter(
        ({ name, kind }) =>
          !name.startsWith('.') &&
          (kind === 'directory' || (kind === 'file' && /\.[cm]?[jt]s$/.test(name))) &&
          !(isOff && isEntryOff(isOff, 'extensions', name, files)),
      );
  const reader = AGENT_PROMPT_EXTENSIONS.filter(([first]) => extensions.some(({ name }) => name === first))
    .map((path) => ({
      name: path[0],
      code: textOf(['extensions', ...path].reduce((a, b) => disk.join(a, b))),
    }))
    .find(({ code }) => code !== undefined);
  const appliesAgentFile = reader !== undefined;
  // pi loads those in pi-args also with --no-extensions.
  const named = [
    ...args.extensions,
    ...(args.noExtensions ? [] : settings.extensions.filter((entry) => !/^[-+!]/.test(entry))),
  ];
  return {
    args,
    settings,
    switches,
    agentFile,
    appliesAgentFile,
    readerSetsSection: reader?.code?.includes(SETS_SECTION) ?? false,
    extensions: [
      ...extensions.map(({ name }) => name).filter((name) => name !== reader?.name),
      ...named.filter((path) => !path.startsWith('builtin:')),
    ],
    model: agentModel(args, appliesAgentFile ? agentFile : undefined, settings),
  };
};
