import type { ServerEvent } from '../../shared/api/events.ts';
import type { Base } from '../feature.ts';
import { AppError } from '../platform/app-error.ts';
import { runForAll } from '../platform/current-request.ts';
import type { SeenAgent, SeenQuestion } from '../root-model/agent-states.ts';
import type { Journal } from './journal.ts';

/** Records what other programs change in agents. */
export interface OtherPrograms {
  /** Begins to look at all agents, in the background. */
  start(): void;
  /** Looks at an agent now. Unless it's urgent, not while a program is still changing it. Never throws. */
  lookAt(agent: string, isUrgent?: boolean): Promise<void>;
  /** Receives the events of the root's watch. */
  notice(event: ServerEvent): void;
  close(): void;
}

interface OtherProgramsDeps extends Pick<Base, 'disk' | 'agentLock' | 'clock' | 'logger'> {
  readonly journal: Journal;
  /** Resolves once the sets that an earlier run left open were compared with the disk. */
  ready(): Promise<void>;
  /** Called after an entry was recorded. */
  changed(): void;
  readonly times?: LookTimes | undefined;
}

/** When to look at agents, in milliseconds. */
export interface LookTimes {
  /** How long after the start to look at all of them first: after the first requests of a page. */
  readonly firstMs: number;
  /** An editor writes a file in several steps, and a person saves several files. All of that is one entry. */
  readonly quietMs: number;
  /** How often to look at all of them, because nothing watches the root unless a page is open. */
  readonly everyMs: number;
}

const LOOK_TIMES: LookTimes = { firstMs: 3_000, quietMs: 2_000, everyMs: 10 * 60_000 };

/** A program that never stops writing has an entry at least this often. */
const LONGEST_BURST_MS = 30_000;
/** The least time between two looks at all agents. */
const LOOK_AGAIN_MS = 30_000;
/** After this long, a file's times tell whether it changed again. */
const TIMES_SETTLE_MS = 4_000;
/** How many agents the disk thread looks at before other work gets a turn. It takes about 2 ms. */
const AGENTS_AT_ONCE = 50;
/** The pause after each step, as a multiple of how long the step took. */
const PAUSE = 4;

/** Creates {@link OtherPrograms}. */
export const createOtherPrograms = ({
  journal,
  agentLock,
  disk,
  clock,
  logger,
  ready,
  changed,
  times: { firstMs, quietMs, everyMs } = LOOK_TIMES,
}: OtherProgramsDeps): OtherPrograms => {
  /** When it was noticed first that each of these agents is being changed. */
  const burstsSinceMs = new Map<string, number>();
  /** The planned looks at single agents. */
  const planned = new Map<string, () => void>();
  /** The next look at all agents. */
  let next: { readonly atMs: number; readonly cancel: () => void } | undefined;
  let isLooking = false;
  let isClosed = false;
  let endedAtMs = Number.NEGATIVE_INFINITY;

  const ask = async <T>(question: SeenQuestion): Promise<T> =>
    JSON.parse((await disk.ask(question)).json.toString()) as T;

  const report = (error: unknown) => {
    // The root can be missing for a while, and an agent can be unreadable. The next look finds what changed.
    if (isClosed || error instanceof AppError) return;
    logger.warn({ err: error }, 'dot-mi can’t tell what other programs changed; it tries again later');
  };

  const planLook = (agent: string, afterMs: number) => {
    if (isClosed) return;
    planned.get(agent)?.();
    planned.set(
      agent,
      clock.after(afterMs, () => {
        planned.delete(agent);
        void look(agent);
      }),
    );
  };

  /** Returns whether a program may still be changing an agent. */
  const isBusy = (agent: string, found: SeenAgent | null): boolean => {
    const nowMs = clock.now();
    const sinceMs = burstsSinceMs.get(agent) ?? nowMs;
    // A program can delete an agent to put another one in its place.
    const changedAtMs = found ? found.changedAtMs : sinceMs;
    const unchangedMs = nowMs - changedAtMs;
    if (unchangedMs >= quietMs || unchangedMs < -quietMs || nowMs - sinceMs >= LONGEST_BURST_MS) {
      burstsSinceMs.delete(agent);
      return false;
    }
    burstsSinceMs.set(agent, sinceMs);
    return true;
  };

  const compare = async (agent: string, isUrgent: boolean) => {
    await ready();
    const learned = journal.learned(agent);
    const found = await ask<SeenAgent | null>({ seen: agent });
    if (isClosed) return;
    if (!isUrgent && !journal.absorbs(agent) && isBusy(agent, found)) return planLook(agent, quietMs);
    // Under the lock, dot-mi writes nothing. If it has written nothing since then either, others made the difference.
    const isRecorded = await agentLock.run(agent, async () => {
      if (journal.learned(agent) === learned) return journal.see(agent, found);
      planLook(agent, quietMs);
      return false;
    });
    if (isRecorded) changed();
    // Its times are too new to tell whether it changes again.
    if (found?.print === '' && found.changedAtMs <= clock.now()) planLook(agent, TIMES_SETTLE_MS);
  };

  const look = (agent: string, isUrgent = false): Promise<void> =>
    runForAll(() => compare(agent, isUrgent)).catch(report);

  const pause = (sinceMs: number) =>
    new Promise<void>((resolve) => {
      setTimeout(resolve, (performance.now() - sinceMs) * PAUSE).unref();
    });

  const lookAtAll = async () => {
    await ready();
    const seen = journal.seenAgents();
    if (!seen) return;
    const agents = await ask<string[]>({ seenAgents: true });
    const existing = new Set(agents);
    const gone = seen.filter((agent) => !existing.has(agent));
    for (let first = 0; first < agents.length && !isClosed; first += AGENTS_AT_ONCE) {
      const beganMs = performance.now();
      const prints = journal.seenPrints(agents.slice(first, first + AGENTS_AT_ONCE));
      const stale = await ask<string[]>({ seenChanges: prints });
      await pause(beganMs);
      for (const agent of stale) {
        if (isClosed) return;
        const stepMs = performance.now();
        await look(agent);
        await pause(stepMs);
      }
    }
    for (const agent of gone) await look(agent);
    if (!isClosed) journal.endFirstLook(agents);
  };

  const planAll = (afterMs: number) => {
    const atMs = clock.now() + afterMs;
    if (isClosed || (next && next.atMs <= atMs)) return;
    next?.cancel();
    const cancel = clock.after(afterMs, () => {
      next = undefined;
      if (isLooking) return planAll(LOOK_AGAIN_MS);
      isLooking = true;
      void runForAll(lookAtAll)
        .catch(report)
        .finally(() => {
          isLooking = false;
          endedAtMs = clock.now();
          planAll(everyMs);
        });
    });
    next = { atMs, cancel };
  };

  return {
    start: () => planAll(firstMs),
    lookAt: look,
    notice(event) {
      if (event.name !== 'agents' && event.name !== 'entries' && event.name !== 'links') return;
      const { ids } = event.data;
      // Each page that opens has this event, and a shared entry that changes has it, too.
      if (ids === null) planAll(Math.max(quietMs, endedAtMs + LOOK_AGAIN_MS - clock.now()));
      else for (const agent of ids) planLook(agent, quietMs);
    },
    close() {
      isClosed = true;
      next?.cancel();
      for (const cancel of planned.values()) cancel();
    },
  };
};
