import type { Finding, FindingCounts, SkillCheckCounts } from '../../shared/api/checks.ts';
import { isEntryName } from '../../shared/api/names.ts';
import { systemCode } from '../platform/app-error.ts';
import { agentIdOf, createDirectoryLister } from '../platform/list-directory.ts';
import type { Root } from '../platform/root.ts';
import type { SettledWatch } from '../platform/settled-watch.ts';
import { createTurns, type Turn } from '../platform/turns.ts';
import type { LookTime, SharedEntries, SharedLook } from './read/read-shared-entries.ts';
import type { CheckFacts } from './snapshot.ts';

/** How many findings of each severity. */
export type Counts = Pick<SkillCheckCounts, 'errors' | 'warnings' | 'hints'>;

/** What makes counts cheap while nothing changes. */
export interface Watching {
  readonly watch?: SettledWatch | undefined;
  /** How often everything is looked at while the watch reports nothing. Default: {@link LOOK_EVERY_MS}. */
  readonly lookEveryMs?: number;
}

/** How {@link createCounter} looks at the parts of a root. */
interface CountedParts {
  /** Throws if the root, or one of its folders, can't be used. */
  requireRoot(): void;
  readFacts(nowMs: number): CheckFacts;
  beginShared(time: LookTime): SharedLook;
  countSkill(shared: SharedEntries, name: string): Counts;
  /** `isCovered`: the watch reports every change of the agent. */
  countAgent(
    id: string,
    shared: SharedEntries,
    how: { facts: CheckFacts; turn: Turn; isSettled: boolean },
  ): Promise<{ counts: Counts; isCovered: boolean }>;
  /** Forgets everything else. */
  keep(ids: ReadonlySet<string>, skills: ReadonlySet<string>): void;
}

/**
 * The watch misses a write through a memory map, and one through a second name of a file outside the root. So
 * everything is looked at this often, after an answer.
 */
const LOOK_EVERY_MS = 5_000;

/** Counts findings by severity. */
export const countsOf = (findings: readonly Finding[]): Counts => {
  const counts = { errors: 0, warnings: 0, hints: 0 };
  for (const { severity } of findings) counts[`${severity}s`]++;
  return counts;
};

/** Whether there are findings. */
export const hasAny = ({ errors, warnings, hints }: Counts) => errors + warnings + hints > 0;

/** Creates a function that counts the findings of everything. It returns the same object while nothing changes. */
export const createCounter = (
  root: Root,
  { watch, lookEveryMs = LOOK_EVERY_MS }: Watching,
  parts: CountedParts,
) => {
  const listAgents = createDirectoryLister(root.path, root.agents, agentIdOf);
  const listSkills = createDirectoryLister(root.path, root.shared('skills'), (entry) =>
    (entry.isDirectory() || entry.isSymbolicLink()) && isEntryName(entry.name) ? entry.name : undefined,
  );
  let counted: FindingCounts = { agents: [], skills: [] };
  /** Set while only a report of the watch, or other facts, can change the counts. */
  let valid: { generation: number; facts: CheckFacts } | undefined;
  let lookedAtMs = 0;
  let isLooking = false;

  /** Whether the watch reports new agents and skills. */
  const isListingWatched = (): boolean =>
    [root.agents, root.shared('skills'), root.shared('extensions')].every(
      (path) => watch?.directory(path) !== undefined,
    );

  const look = async (facts: CheckFacts, isSettled: boolean): Promise<FindingCounts> => {
    const nowMs = Date.now();
    const generation = watch?.generation ?? 0;
    const turn = createTurns();
    let isCovered = isListingWatched();
    const shared = parts.beginShared({ nowMs, isSettled });
    const skills: FindingCounts['skills'] = [];
    const skillNames = listSkills(nowMs).entries;
    for (const name of skillNames) {
      const counts = parts.countSkill(shared, name);
      if (hasAny(counts)) skills.push({ name, ...counts });
      await turn();
    }
    const agents: FindingCounts['agents'] = [];
    const ids = listAgents(nowMs).entries;
    for (const id of ids) {
      try {
        const agent = await parts.countAgent(id, shared, { facts, turn, isSettled });
        if (hasAny(agent.counts)) agents.push({ id, ...agent.counts });
        isCovered &&= agent.isCovered;
      } catch (error) {
        // An agent that can't be read is listed as such, and hides no other.
        if (systemCode(error) === undefined) throw error;
        isCovered = false;
      }
      await turn();
    }
    parts.keep(new Set(ids), new Set(skillNames));
    const next = { agents, skills };
    if (JSON.stringify(next) !== JSON.stringify(counted)) counted = next;
    valid = isCovered && shared.isCovered() ? { generation, facts } : undefined;
    if (!isSettled || lookedAtMs === 0) lookedAtMs = nowMs;
    return counted;
  };

  /** Looks at everything after the answer, for what the watch missed. */
  const lookLater = () => {
    if (isLooking || Date.now() - lookedAtMs < lookEveryMs) return;
    isLooking = true;
    setImmediate(() => {
      look(parts.readFacts(Date.now()), false)
        // The next request meets the same problem, and reports it.
        .catch(() => {
          valid = undefined;
        })
        .finally(() => {
          isLooking = false;
        });
    });
  };

  return async (): Promise<FindingCounts> => {
    const isSettled = (await watch?.settle()) ?? false;
    parts.requireRoot();
    const facts = parts.readFacts(Date.now());
    const isValid = isSettled && valid?.generation === watch?.generation && valid?.facts === facts;
    if (!isValid) await look(facts, isSettled);
    if (isSettled) lookLater();
    return counted;
  };
};
