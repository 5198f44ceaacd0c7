import { hash } from 'node:crypto';
import { lstatSync, realpathSync } from 'node:fs';
import { serialize } from 'node:v8';
import type {
  AgentChecks,
  Finding,
  FindingPlace,
  RuleText,
  SkillCheckCounts,
  SkillChecks,
} from '../../shared/api/checks.ts';
import { requireAgentSync } from '../platform/agent-directory.ts';
import { AppError, isNotFound } from '../platform/app-error.ts';
import { type Root, rootUnavailable } from '../platform/root.ts';
import { createTurns, type Turn } from '../platform/turns.ts';
import { type Counts, countsOf, createCounter, hasAny, type Watching } from './count-findings.ts';
import { etagsOf, type FixPlan, isEditable, planFixes } from './plan-fixes.ts';
import { createPathRecord, type PathRecord } from './read/path-record.ts';
import { readAgent } from './read/read-agent.ts';
import { createFactsReader, type ModelNames } from './read/read-facts.ts';
import { createSharedReader, type LookTime, type SharedEntries } from './read/read-shared-entries.ts';
import { rules } from './rules/index.ts';
import { type CheckResult, checkAgentInSteps, checkSkillSnapshot } from './run-rules.ts';
import type { AgentSnapshot, CheckFacts } from './snapshot.ts';

interface KnownAgent {
  readonly record: PathRecord;
  /** Everything of the shared folders that was used. */
  readonly shared: ReadonlyMap<string, unknown>;
  readonly facts: CheckFacts;
  /** A hash of the snapshot. */
  readonly hash: string;
  readonly result: CheckResult;
  readonly counts: Counts;
  readonly etags: AgentChecks['etags'];
  readonly linkedSkills: readonly string[];
}

/** The rules of some findings, in the order of the registry. */
const rulesOf = (findings: readonly Finding[]): RuleText[] => {
  const ids = new Set(findings.map(({ rule }) => rule));
  return rules.filter(({ id }) => ids.has(id)).map(({ id, title, why }) => ({ id, title, why }));
};

const hashOf = (snapshot: AgentSnapshot): string =>
  // Not as JSON, which escapes megabytes of text. A text that V8 keeps in another form is only checked again.
  hash('sha256', serialize(snapshot));

/** A fix that the API can apply. The others are for the command line. */
const withUsableFix = (finding: Finding): Finding => {
  if (isEditable(finding.file)) return finding;
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

/** Records which shared entries are used, and as what. */
const recordUse = (shared: SharedEntries, used: Map<string, unknown>): SharedEntries => ({
  skill: (name) => {
    const found = shared.skill(name);
    used.set(`skill ${name}`, found);
    return found;
  },
  extension: (name) => {
    const found = shared.extension(name);
    used.set(`extension ${name}`, found);
    return found;
  },
});

const isSameUse = (shared: SharedEntries, used: ReadonlyMap<string, unknown>): boolean => {
  for (const [key, value] of used) {
    const name = key.slice(key.indexOf(' ') + 1);
    if ((key.startsWith('skill ') ? shared.skill(name) : shared.extension(name)) !== value) return false;
  }
  return true;
};

/**
 * Creates the checks of a root, for their own thread. An agent or skill is checked again only after something
 * that its findings depend on has changed: its files, its links, a shared entry that it uses, the prices, or
 * the user's skills. A long check pauses regularly, so that the thread can also answer other questions. With a
 * watch, counts that nothing changed cost no look at the disk.
 */
export const createChecks = (
  root: Root,
  homeDirectory: string,
  modelNames: ModelNames,
  watching: Watching = {},
) => {
  const { watch } = watching;
  const agents = new Map<string, KnownAgent>();
  const readFacts = createFactsReader(homeDirectory, modelNames);
  const sharedReader = createSharedReader(root, checkSkillSnapshot, watch);
  const requireAgents = (): string => {
    try {
      const realRoot = realpathSync.native(root.path);
      const place = lstatSync(root.agents, { throwIfNoEntry: false });
      // SECURITY: agents in a linked folder are outside the root.
      if (place === undefined || place.isDirectory()) return realRoot;
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    throw rootUnavailable();
  };

  const requireAgent = (id: string): void => {
    requireAgents();
    try {
      requireAgentSync(root, id);
    } catch (error) {
      agents.delete(id);
      throw error;
    }
  };

  const look = async (
    id: string,
    shared: SharedEntries,
    { facts, turn, isSettled }: { facts: CheckFacts; turn: Turn } & Pick<LookTime, 'isSettled'>,
  ): Promise<KnownAgent> => {
    const before = agents.get(id);
    if (before?.facts === facts && before.record.isUnchanged(isSettled) && isSameUse(shared, before.shared))
      return before;
    const record = createPathRecord(Date.now(), watch);
    const used = new Map<string, unknown>();
    const snapshot = await finish(readAgent(root, id, record, recordUse(shared, used)), turn);
    const print = hashOf(snapshot);
    const isSame = before?.hash === print && before.facts === facts;
    const result = isSame ? before.result : await finish(checkAgentInSteps(snapshot, facts), turn);
    const linked = snapshot.skills.flatMap(({ link }) => link?.shared ?? []);
    const known = {
      record,
      shared: used,
      facts,
      hash: print,
      result,
      counts: isSame ? before.counts : countsOf(result.findings),
      etags: isSame ? before.etags : etagsOf(snapshot),
      linkedSkills: [...new Set(linked)],
    };
    agents.set(id, known);
    return known;
  };

  const skillCounts = (shared: SharedEntries, name: string): SkillCheckCounts[] => {
    const counts = countsOf(shared.skill(name)?.result.findings ?? []);
    return hasAny(counts) ? [{ name, ...counts }] : [];
  };

  const checkAgent = async (id: string): Promise<{ known: KnownAgent; shared: SharedEntries }> => {
    requireAgent(id);
    const nowMs = Date.now();
    const shared = sharedReader.begin({ nowMs, isSettled: false });
    const how = { facts: readFacts(nowMs), turn: createTurns(), isSettled: false };
    return { known: await look(id, shared, how), shared };
  };

  const countAll = createCounter(root, watching, {
    requireRoot: () => {
      requireAgents();
      sharedReader.requireInside();
    },
    readFacts,
    beginShared: sharedReader.begin,
    countSkill: (shared, name) => countsOf(shared.skill(name)?.result.findings ?? []),
    countAgent: async (id, shared, how) => {
      const { counts, record } = await look(id, shared, how);
      return { counts, isCovered: record.isCovered() };
    },
    keep: (ids, skillNames) => {
      for (const id of agents.keys()) if (!ids.has(id)) agents.delete(id);
      sharedReader.keepSkills(skillNames);
    },
  });

  return {
    /** The findings of one agent. Throws `agent_not_found`, `root_unavailable`. */
    async agent(id: string): Promise<AgentChecks> {
      const { known, shared } = await checkAgent(id);
      return {
        findings: known.result.findings.map(withUsableFix),
        rules: rulesOf(known.result.findings),
        truncated: known.result.truncated,
        linkedSkills: known.linkedSkills.flatMap((name) => skillCounts(shared, name)),
        etags: known.etags,
      };
    },

    /** The findings of one shared skill. Throws `shared_entry_not_found`, `root_unavailable`. */
    skill(name: string): SkillChecks {
      requireAgents();
      const found = sharedReader.begin({ nowMs: Date.now(), isSettled: false }).skill(name);
      if (!found) {
        throw new AppError(
          'shared_entry_not_found',
          `shared/skills has no "${name}". GET /api/catalog/skills lists what it has.`,
        );
      }
      const { findings, truncated } = found.result;
      return { findings: findings.map(withUsableFix), rules: rulesOf(findings), truncated };
    },

    /** Counts the findings of everything. Returns the same object while nothing changes. */
    counts: countAll,

    /** Applies fixes to the texts as they are now, and writes nothing. */
    async plan(id: string, places: readonly FindingPlace[]): Promise<FixPlan> {
      requireAgent(id);
      const nowMs = Date.now();
      const record = createPathRecord(nowMs);
      const turn = createTurns();
      const shared = sharedReader.begin({ nowMs, isSettled: false });
      const snapshot = await finish(readAgent(root, id, record, shared), turn);
      const { findings } = await finish(checkAgentInSteps(snapshot, readFacts(nowMs)), turn);
      return planFixes(snapshot, findings, places);
    },
  };
};
