import { basename, dirname, join } from 'node:path';
import { countsWithO200k, modelName } from '../../pi/agent-model.ts';
import { isSince, type PiVersion } from '../../pi/flags.ts';
import { type AgentFacts, extensionTools, interpret, isTrustedBy } from '../../pi/interpret.ts';
import { listedServers, type McpConfig, mcpSection, mcpShares, mcpTools } from '../../pi/mcp.ts';
import type { ReadFrontmatter, SeenSkill } from '../../pi/skills-seen-by-pi.ts';
import { buildPrompt, skillReader, skillText, UNKNOWN_PI_DIRECTORY } from '../../pi/system-prompt.ts';
import { activeTools } from '../../pi/tools.ts';
import type { AgentPrompt, PromptSource, SectionName } from '../../shared/api/prompt.ts';
import { TOKENIZER } from '../../shared/tokenizer.ts';
import { hiddenText } from '../platform/may-read.ts';
import type { PackageReader } from '../platform/package-contents.ts';
import type { ReportingDisk } from '../platform/pi-disk.ts';
import {
  collectAddendum,
  collectContextFiles,
  collectCustomPrompt,
  collectMcp,
  collectPackages,
  collectSkills,
  directoriesUp,
  type OfPackages,
  type RunPlaces,
} from './collect-parts.ts';
import type { TokenCounter } from './count-tokens.ts';
import { listUnreadable, promptNotes } from './prompt-notes.ts';

/** The run that a prompt is built for. */
interface PromptRun {
  readonly places: RunPlaces;
  readonly version: PiVersion;
  /** True if the project is trusted. If undefined, pi decides without asking. */
  readonly trusted: boolean | undefined;
  /** The directory of pi's package. Undefined if it isn't known. */
  readonly piDirectory: string | undefined;
  readonly nowMs: number;
}

interface PromptDeps {
  /** Creates a reader of an agent's packages, which reads only files in the root. */
  readonly createPackageReader: (places: RunPlaces) => PackageReader;
  readonly readFrontmatter: ReadFrontmatter;
  readonly countTokens: TokenCounter;
}

/** The response fields that depend on a run's files. */
export type PredictedPrompt = Omit<AgentPrompt, 'installedPi' | 'lastSent' | 'directories'>;

const dayOf = (nowMs: number): string => {
  const at = new Date(nowMs);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
};

const isTrusted = (
  disk: ReportingDisk,
  { args, settings }: AgentFacts,
  { places, version, trusted }: PromptRun,
): boolean => {
  if (version === '0.73') return true;
  const decision = isTrustedBy(disk.readText(join(places.agent, 'trust.json')), directoriesUp(places.cwd));
  return trusted ?? args.approve ?? decision ?? settings.defaultProjectTrust === 'always';
};

/** Returns servers whose descriptions are hidden. Their names are keys of mcp.json, which every reader sees. */
const withoutSummaries = (mcp: McpConfig): McpConfig => ({
  ...mcp,
  servers: mcp.servers.map((server) => ({
    ...server,
    summary: server.summary === '' ? '' : hiddenText('mcp.json'),
  })),
});

/** Returns what packages add, without names, which come from values of settings.json. */
const withoutNames = ({ skills, extensions, unread }: OfPackages): OfPackages => ({
  skills,
  extensions: extensions.length > 0 ? [hiddenText('settings.json')] : [],
  unread: unread.length > 0 ? [hiddenText('settings.json')] : [],
});

/** Builds an agent's prompt from its files, as one version of pi does. Reads them all before it pauses. */
export const buildAgentPrompt = async (
  disk: ReportingDisk,
  run: PromptRun,
  { createPackageReader, readFrontmatter, countTokens }: PromptDeps,
): Promise<PredictedPrompt> => {
  const { places, version } = run;
  const facts = interpret(disk.facts, places.agent, places.home, version);
  const trusted = isTrusted(disk, facts, run);
  const how = { trusted, version };
  const mcp = collectMcp(disk, facts, places, how);
  const ofExtensions = isSince(version, '1.5') ? extensionTools(facts) : [];
  const { tools: active, unknown } = activeTools(
    {
      args: facts.args,
      configured: facts.settings.defaultTools,
      agentFile: facts.appliesAgentFile ? facts.agentFile?.tools : undefined,
      ofExtensions,
      forMcp: mcpTools(mcp).filter((name) => ofExtensions.includes(name)),
    },
    version,
  );
  const hidesTools = facts.settings.isCodemodeOnly && active.includes('codemode');
  const isHidden = (name: string) => hidesTools && !ofExtensions.includes(name);
  const tools = active.filter((name) => !isHidden(name));
  const hiddenTools = active.filter(isHidden);
  const custom = collectCustomPrompt(disk, facts, places, how);
  const addendum = collectAddendum(disk, facts, places, how);
  const contextFiles = facts.args.noContextFiles ? [] : collectContextFiles(disk, places, version);
  const packages = createPackageReader(places);
  const ofPackages = collectPackages(facts, version, packages.read);
  const { skills, leftOut, fromOf } = collectSkills(
    disk,
    readFrontmatter,
    facts,
    places,
    how,
    ofPackages.skills,
  );
  const agentText = facts.appliesAgentFile ? (facts.agentFile?.body ?? '') : '';
  const showsSettings = disk.isShown(join(places.agent, 'settings.json'));
  const packagePaths = new Set([...ofPackages.skills, ...packages.ignored].map(({ path }) => path));
  // SECURITY: the path of a package contains its source, which is a value of settings.json.
  const shownPath = (path: string): string =>
    packagePaths.has(path) && !showsSettings ? hiddenText('settings.json') : path;
  const shownSkill = (skill: SeenSkill): SeenSkill => {
    const path = shownPath(skill.path);
    if (disk.isShown(skill.path)) return { ...skill, path };
    const name = path === skill.path ? basename(dirname(path)) : path;
    return { ...skill, name, description: path === skill.path ? hiddenText(path) : path, path };
  };
  const shownSkills = skills.map(shownSkill);
  const shownMcp = disk.isShown(join(places.agent, 'mcp.json')) ? mcp : withoutSummaries(mcp);
  const common = {
    tools,
    hiddenTools,
    cwd: places.cwd,
    piDirectory: run.piDirectory ?? UNKNOWN_PI_DIRECTORY,
    date: dayOf(run.nowMs),
  };
  /** What pi sends, which only counts here. */
  const built = buildPrompt(
    {
      ...common,
      custom: custom?.text,
      addendum: addendum?.text ?? '',
      contextFiles,
      skills,
      agentText,
      mcpText: mcpSection(mcp),
    },
    version,
  );
  const shown = buildPrompt(
    {
      ...common,
      custom: custom?.shown,
      addendum: addendum?.shown ?? '',
      contextFiles: contextFiles.map((file) => ({ ...file, text: file.shown })),
      skills: shownSkills,
      agentText,
      mcpText: mcpSection(shownMcp),
    },
    version,
  );
  const pi: PromptSource = { kind: 'pi' };
  const sources: Readonly<Record<SectionName, PromptSource>> = {
    preamble: custom?.text ? custom.source : pi,
    tools: pi,
    rules: pi,
    docs: pi,
    addendum: addendum?.source ?? pi,
    project_context: { kind: 'files' },
    skills: { kind: 'skills' },
    cwd: { kind: 'directory' },
    agent: { kind: 'file', path: join(places.agent, 'AGENT.md'), file: 'AGENT.md' },
    mcp_servers: { kind: 'mcp' },
  };
  // This reads files, so it comes before the first pause.
  const notes = promptNotes({
    facts,
    ofPackages: showsSettings ? ofPackages : withoutNames(ofPackages),
    mcp,
    version,
    trusted,
    hasCustomPrompt: Boolean(custom?.text),
    isPiKnown: run.piDirectory !== undefined,
    unknownTools: showsSettings
      ? unknown
      : unknown.map((name) =>
          facts.settings.defaultTools?.includes(name) ? hiddenText('settings.json') : name,
        ),
    disk,
    places,
  });
  const isShown = skillReader({ tools, hiddenTools }, version) !== undefined;
  return {
    piVersion: version,
    cwd: places.cwd,
    trusted,
    complete:
      !disk.hasRefused() &&
      !disk.hasHidden() &&
      disk.unreadable.length === 0 &&
      !facts.settings.hasMoreSkills &&
      (facts.args.noSkills || ofPackages.unread.length === 0) &&
      listedServers(mcp).every(({ summary }) => summary !== ''),
    unreadable: listUnreadable(disk),
    text: shown.text,
    sections: await Promise.all(
      shown.sections.map(async ({ name, text }) => ({
        name,
        source: sources[name],
        text,
        tokens: await countTokens(built.sections.find((section) => section.name === name)?.text ?? ''),
      })),
    ),
    skills: await Promise.all(
      skills.map(async (skill) => {
        const inPrompt = isShown && skill.inPrompt;
        const { name, path } = shownSkill(skill);
        return {
          name,
          path,
          from: fromOf(skill.path),
          inPrompt,
          tokens: inPrompt ? await countTokens(skillText(skill)) : 0,
        };
      }),
    ),
    leftOutSkills: [...leftOut, ...packages.ignored].map(({ path, reason, winner }) => ({
      path: shownPath(path),
      reason,
      ...(winner === undefined ? {} : { winner: shownPath(winner) }),
    })),
    contextFiles: await Promise.all(
      contextFiles.map(async ({ path, from, text }) => ({ path, from, tokens: await countTokens(text) })),
    ),
    mcpServers: await Promise.all(
      mcpShares(mcp).map(async ({ name, text, isKnown }) => ({
        name,
        tokens: text === '' ? 0 : await countTokens(text),
        complete: isKnown,
      })),
    ),
    tools,
    model: facts.model ? { name: modelName(facts.model), source: facts.model.source } : null,
    totalTokens: await countTokens(built.text),
    tokenizer: {
      name: TOKENIZER,
      approximate: facts.model === undefined || !countsWithO200k(facts.model),
    },
    notes,
  };
};
