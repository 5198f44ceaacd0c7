import { hash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { serialize } from 'node:v8';
import type {
  AgentCheckCounts,
  AgentChecks,
  Finding,
  FindingCounts,
  FindingPlace,
  RuleText,
  SkillCheckCounts,
  SkillChecks,
} from '../../shared/api/checks.ts';
import { isEditableFile, type LinkKind } from '../../shared/api/names.ts';
import { stopsRun } from '../../shared/api/readiness.ts';
import { requireAgentSync } from '../platform/agent-directory.ts';
import { systemCode } from '../platform/app-error.ts';
import type { Reader } from '../platform/caller.ts';
import { mayRead } from '../platform/may-read.ts';
import { resolvedPlace } from '../platform/resolves-outside.ts';
import { requireAgentsFolder } from '../platform/root.ts';
import { sharedEntryNotFound } from '../platform/shared-folder.ts';
import { createTurns, type Turn } from '../platform/thread.ts';
import { CHECKS_READER, type FilesPlace } from '../root-model/agent-file.ts';
import { contextWithoutWatch, type ScanContext } from '../root-model/coverage.ts';
import type { AgentFolders, createLinkFolders } from '../root-model/link-folders.ts';
import { type Dependencies, isUnchanged, type PathRecord, recordPaths } from '../root-model/path-record.ts';
import { createAgentReading } from '../root-model/read-agents.ts';
import type { RootEntries } from '../root-model/root-entries.ts';
import { etagsOf, type FixPlan, planFixes } from './plan-fixes.ts';
import { readAgent } from './read/read-agent.ts';
import { createFactsReader, type ModelNames } from './read/read-facts.ts';
import { createSharedReader, type SharedEntries } from './read/read-shared-entries.ts';
import { rules } from './rules/index.ts';
import { type CheckResult, checkAgentInSteps, checkSkillSnapshot } from './run-rules.ts';
import { shownFindings } from './shown-findings.ts';
import type { AgentSnapshot, CheckFacts } from './snapshot.ts';

/** The input of one check. */
interface Checking {
  readonly at: ScanContext;
  /** Returns an agent's folders of links. */
  readonly foldersOf: (id: string) => AgentFolders | undefined;
  readonly shared: SharedEntries;
  readonly facts: CheckFacts;
  readonly turn: Turn;
}

interface CheckedAgent {
  readonly dependencies: Dependencies;
  readonly folders: AgentFolders | undefined;
  /** The shared entries that the check used. */
  readonly shared: ReadonlyMap<string, unknown>;
  readonly facts: CheckFacts;
  /** A hash of the snapshot. */
  readonly hash: string;
  readonly result: CheckResult;
  readonly counts: Counts & Pick<AgentCheckCounts, 'stopping'>;
  readonly etags: AgentChecks['etags'];
  readonly linkedSkills: readonly string[];
}

/** The number of findings of each severity. */
type Counts = Pick<SkillCheckCounts, 'errors' | 'warnings' | 'hints'>;

const countsOf = (findings: readonly Finding[]): Counts => {
  const counts = { errors: 0, warnings: 0, hints: 0 };
  for (const { severity } of findings) counts[`${severity}s`]++;
  return counts;
};

const hasAny = ({ errors, warnings, hints }: Counts) => errors + warnings + hints > 0;

/** Returns the rules behind some findings, in the registry's order. */
const rulesOf = (findings: readonly Finding[]): RuleText[] => {
  const ids = new Set(findings.map(({ rule }) => rule));
  return rules.filter(({ id }) => ids.has(id)).map(({ id, title, why }) => ({ id, title, why }));
};

const hashOf = (snapshot: AgentSnapshot): string =>
  // Not JSON, which would escape megabytes of text. If V8 serializes equal text differently, the check just runs again.
  hash('sha256', serialize(snapshot));

/** Keeps a finding's fix only if the API can apply it. Other fixes are for the command line. */
const withUsableFix = (finding: Finding): Finding => {
  if (isEditableFile(finding.file)) return finding;
  const { fix: _fix, ...rest } = finding;
  return rest;
};

const finish = async <T>(steps: Generator<void, T>, turn: Turn): Promise<T> => {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await turn();
  }
};

/** Wraps shared entries to record which ones a check uses, and their values. `isBroken` has a `/` after the name. */
const recordUse = (shared: SharedEntries, used: Map<string, unknown>): SharedEntries => {
  const recorded =
    <T>(kind: LinkKind, look: (name: string) => T) =>
    (name: string): T => {
      const found = look(name);
      used.set(`${kind} ${name}`, found);
      return found;
    };
  return {
    ...shared,
    skills: recorded('skills', shared.skills),
    extensions: recorded('extensions', shared.extensions),
    prompts: recorded('prompts', shared.prompts),
    themes: recorded('themes', shared.themes),
    isBroken(kind, name) {
      const found = shared.isBroken(kind, name);
      used.set(`${kind} ${name}/`, found);
      return found;
    },
  };
};

const isSameUse = (shared: SharedEntries, used: ReadonlyMap<string, unknown>): boolean => {
  for (const [key, value] of used) {
    // The key begins with a kind.
    const kind = key.slice(0, key.indexOf(' ')) as LinkKind;
    const [name = '', ...isBroken] = key.slice(kind.length + 1).split('/');
    const now = isBroken.length > 0 ? shared.isBroken(kind, name) : shared[kind](name);
    if (now !== value) return false;
  }
  return true;
};

/**
 * Creates the checks of a root, for the disk thread. Agents and skills are checked again only after a change to
 * something their findings depend on: their files, links, shared entries, the prices or the user's skills. A long
 * check pauses regularly, so that the thread can handle other requests.
 */
export const createChecksScan = (
  place: FilesPlace,
  entries: RootEntries,
  links: ReturnType<typeof createLinkFolders>,
  homeDirectory: string,
  modelNames: ModelNames,
) => {
  const { root, etagOf } = place;
  const agents = new Map<string, CheckedAgent>();
  const readFacts = createFactsReader(homeDirectory, modelNames);
  const sharedReader = createSharedReader(root, links, checkSkillSnapshot);
  let counted: FindingCounts = { agents: [], skills: [] };

  const requireAgent = (id: string): void => {
    requireAgentsFolder(root);
    try {
      requireAgentSync(root, id);
    } catch (error) {
      agents.delete(id);
      throw error;
    }
  };

  /** Reads an agent for its check. `folders` come from the model, which reads them again after a change. */
  const read = (
    id: string,
    folders: AgentFolders | undefined,
    record: PathRecord,
    shared: SharedEntries,
    turn: Turn,
  ): Promise<AgentSnapshot> => {
    if (!folders) throw new Error('an agent always has folders');
    const reading = createAgentReading(place, homeDirectory, id, record, CHECKS_READER);
    return finish(readAgent({ root, reading, folders: folders.folders, record }, shared), turn);
  };

  const look = async (
    id: string,
    { foldersOf, shared, facts, turn, at }: Checking,
  ): Promise<CheckedAgent> => {
    const before = agents.get(id);
    const folders = foldersOf(id);
    if (
      before?.facts === facts &&
      before.folders === folders &&
      isUnchanged(before.dependencies, at) &&
      isSameUse(shared, before.shared)
    )
      return before;
    const { record, dependencies } = recordPaths(at);
    const used = new Map<string, unknown>();
    const snapshot = await read(id, folders, record, recordUse(shared, used), turn);
    const print = hashOf(snapshot);
    const isSame = before?.hash === print && before.facts === facts;
    const result = isSame ? before.result : await finish(checkAgentInSteps(snapshot, facts), turn);
    const linked = snapshot.skills.flatMap(({ link }) => link?.shared ?? []);
    const checked = {
      dependencies: dependencies(),
      folders,
      shared: used,
      facts,
      hash: print,
      result,
      counts: isSame
        ? before.counts
        : { ...countsOf(result.findings), stopping: result.findings.filter(stopsRun).length },
      etags: isSame ? before.etags : etagsOf(snapshot, etagOf),
      linkedSkills: [...new Set(linked)],
    };
    agents.set(id, checked);
    return checked;
  };

  const skillCounts = (shared: SharedEntries, name: string): SkillCheckCounts[] => {
    const counts = countsOf(shared.skills(name)?.result.findings ?? []);
    return hasAny(counts) ? [{ name, ...counts }] : [];
  };

  const beginAt = (at: ScanContext, foldersOf: Checking['foldersOf']): Checking => ({
    at,
    foldersOf,
    shared: sharedReader.begin(at),
    facts: readFacts(at.nowMs),
    turn: createTurns(),
  });

  /** Starts checking a single agent or skill, which always scans the disk. */
  const begin = (): Checking => {
    const at = contextWithoutWatch(Date.now());
    return beginAt(at, (id) => links.agent(id, at));
  };

  const countAll = async (at: ScanContext): Promise<FindingCounts> => {
    const ids = entries.agents(at);
    const folders = new Map(links.agents(at).map((agent) => [agent.id, agent]));
    const checking = beginAt(at, (id) => folders.get(id));
    const { shared, turn } = checking;
    const skills: FindingCounts['skills'] = [];
    for (const name of entries.shared('skills', at)) {
      skills.push(...skillCounts(shared, name));
      await turn();
    }
    const ofAgents: FindingCounts['agents'] = [];
    for (const id of ids) {
      try {
        const { counts } = await look(id, checking);
        if (hasAny(counts)) ofAgents.push({ id, ...counts });
      } catch (error) {
        // An unreadable agent is listed as unreadable, and doesn't hide the others.
        if (systemCode(error) === undefined) throw error;
        at.miss();
      }
      await turn();
    }
    for (const id of agents.keys()) if (!ids.includes(id)) agents.delete(id);
    shared.forgetOthers();
    const next = { agents: ofAgents, skills };
    if (JSON.stringify(next) !== JSON.stringify(counted)) counted = next;
    return counted;
  };

  /** Returns a function that tells whether a reader sees a file in a directory. */
  const shownFilesOf = (reader: Reader, directory: string) => {
    const limits = { root: realpathSync.native(root.path), ownData: [] };
    return (file: string): boolean => mayRead(reader, resolvedPlace(join(directory, file)), limits) === 'yes';
  };
  const shownTo = (reader: Reader, findings: readonly Finding[], isShown: (file: string) => boolean) =>
    reader.kind === 'operator' ? findings : shownFindings(findings, isShown);

  return {
    /** Returns one agent's findings. Throws `agent_not_found` and `root_unavailable`. */
    async agent(id: string, reader: Reader): Promise<AgentChecks> {
      requireAgent(id);
      const isShown = shownFilesOf(reader, root.agent(id));
      const checking = begin();
      const { result, linkedSkills, etags } = await look(id, checking);
      return {
        findings: shownTo(reader, result.findings, isShown).map(withUsableFix),
        rules: rulesOf(result.findings),
        truncated: result.truncated,
        linkedSkills: linkedSkills.flatMap((name) => skillCounts(checking.shared, name)),
        etags: Object.fromEntries(Object.entries(etags).filter(([file]) => isShown(file))),
      };
    },

    /** Returns one shared skill's findings. Throws `shared_entry_not_found` and `root_unavailable`. */
    skill(name: string, reader: Reader): SkillChecks {
      requireAgentsFolder(root);
      const found = sharedReader.begin(contextWithoutWatch(Date.now())).skills(name);
      if (!found) {
        throw sharedEntryNotFound('skills', name);
      }
      const { findings, truncated } = found.result;
      const isShown = shownFilesOf(reader, join(root.shared('skills'), name));
      return {
        findings: shownTo(reader, findings, isShown).map(withUsableFix),
        rules: rulesOf(findings),
        truncated,
      };
    },

    /** Counts all findings, as a {@link Scan}. */
    counts: countAll,

    /** Reads what findings depend on but the watch doesn't report. Returns the same object until that changes. */
    facts: () => readFacts(Date.now()),

    /** Applies fixes to the current texts without writing anything. */
    async plan(id: string, places: readonly FindingPlace[], reader: Reader): Promise<FixPlan> {
      requireAgent(id);
      const { at, foldersOf, shared, facts, turn } = begin();
      const snapshot = await read(id, foldersOf(id), recordPaths(at).record, shared, turn);
      const { findings } = await finish(checkAgentInSteps(snapshot, facts), turn);
      // SECURITY: a fix can write a value of another file, such as a model's name.
      return planFixes(
        snapshot,
        shownTo(reader, findings, shownFilesOf(reader, root.agent(id))),
        places,
        etagOf,
      );
    },
  };
};
