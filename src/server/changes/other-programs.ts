import type { ServerEvent } from '../../shared/api/events.ts';
import type { Base } from '../feature.ts';
import { AppError } from '../platform/app-error.ts';
import { SHARED_LOCK } from '../platform/changes.ts';
import { runForAll } from '../platform/current-request.ts';
import type { Seen, SeenAnswer, SeenQuestion } from '../root-model/seen-states.ts';
import type { Journal } from './journal.ts';
import { lockOf } from './last-seen.ts';

/** Records what other programs change in agents and shared entries, each of which is a subject: `agents/scout`. */
export interface OtherPrograms {
  /** Begins to look at all subjects, in the background. */
  start(): void;
  /** Looks at a subject now. Unless it's urgent, not while a program is still changing it. Never throws. */
  lookAt(subject: string, isUrgent?: boolean): Promise<void>;
  /** Receives the events of the root's watch. */
  notice(event: ServerEvent): void;
  close(): void;
}

interface OtherProgramsDeps extends Pick<Base, 'agentLock' | 'clock' | 'logger'> {
  readonly disk: Pick<Base['disk'], 'ask'>;
  readonly journal: Journal;
  /** Resolves once the sets that an earlier run left open were compared with the disk. */
  ready(): Promise<void>;
  /** Called after an entry was recorded. */
  changed(): void;
  readonly times?: LookTimes | undefined;
}

/** When to look at subjects, in milliseconds. */
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
/** How many subjects the disk thread compares before other work gets a turn. It takes about 2 ms. */
const COMPARED_AT_ONCE = 100;
/** How many subjects are read and recorded at once. It takes a few milliseconds. */
const READ_AT_ONCE = 10;
/** The pause after each step, as a multiple of how long the step took. */
const PAUSE = 4;

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
  /** When it was noticed first that each of these subjects is being changed. */
  const burstsSinceMs = new Map<string, number>();
  /** The planned looks at single subjects. */
  const planned = new Map<string, () => void>();
  let cancelShared: (() => void) | undefined;
  /** The next look at all subjects. */
  let next: { readonly atMs: number; readonly cancel: () => void } | undefined;
  let isLooking = false;
  let isClosed = false;
  let endedAtMs = Number.NEGATIVE_INFINITY;

  const ask = async <T>(question: SeenQuestion): Promise<T> =>
    JSON.parse((await disk.ask(question)).json.toString()) as T;

  const report = (error: unknown) => {
    // The root can be missing for a while. The next look finds what changed.
    if (isClosed || error instanceof AppError) return;
    logger.warn({ err: error }, 'dot-mi can’t tell what other programs changed; it tries again later');
  };

  const planLook = (subject: string, afterMs: number) => {
    if (isClosed) return;
    planned.get(subject)?.();
    planned.set(
      subject,
      clock.after(afterMs, () => {
        planned.delete(subject);
        void look(subject);
      }),
    );
  };

  /** Returns whether a program may still be changing a subject. */
  const isBusy = (subject: string, found: Seen | null): boolean => {
    const nowMs = clock.now();
    const sinceMs = burstsSinceMs.get(subject) ?? nowMs;
    // A program can delete a subject to put another one in its place.
    const changedAtMs = found ? found.changedAtMs : sinceMs;
    const unchangedMs = nowMs - changedAtMs;
    if (unchangedMs >= quietMs || unchangedMs < -quietMs || nowMs - sinceMs >= LONGEST_BURST_MS) {
      burstsSinceMs.delete(subject);
      return false;
    }
    burstsSinceMs.set(subject, sinceMs);
    return true;
  };

  const compare = async (subjects: readonly string[], isUrgent: boolean) => {
    await ready();
    const learned = subjects.map(journal.learned);
    const answers = await ask<SeenAnswer[]>({ seen: subjects });
    if (isClosed) return;
    const found: (readonly [subject: string, found: Seen | null])[] = [];
    for (const [at, subject] of subjects.entries()) {
      const seen = answers[at];
      if (seen === undefined || seen === 'unread') continue;
      if (!isUrgent && !journal.absorbs(subject) && isBusy(subject, seen)) planLook(subject, quietMs);
      else found.push([subject, seen]);
    }
    /**
     * If dot-mi isn't writing now, and knows no more than when it was read, others made the difference. Otherwise this
     * look may be older than what is known.
     */
    const see = (all: typeof found) => {
      const late = new Set(
        all.flatMap(([subject]) =>
          journal.learned(subject) === learned[subjects.indexOf(subject)] ? [] : [subject],
        ),
      );
      for (const subject of late) planLook(subject, quietMs);
      if (journal.see(all.filter(([subject]) => !late.has(subject)))) changed();
    };
    const isFree = ([subject]: (typeof found)[number]) => agentLock.isFree(lockOf(subject));
    const locked = found.filter((each) => !isFree(each));
    see(found.filter(isFree));
    for (const each of locked)
      await agentLock.run(lockOf(each[0]), async () => {
        see([each]);
      });
    // Its times are too new to tell whether it changes again.
    for (const [subject, seen] of found)
      if (seen?.print === '' && seen.changedAtMs <= clock.now()) planLook(subject, TIMES_SETTLE_MS);
  };

  const look = (subject: string, isUrgent = false): Promise<void> =>
    runForAll(() => compare([subject], isUrgent)).catch(report);

  const pause = (sinceMs: number) =>
    new Promise<void>((resolve) => {
      setTimeout(resolve, (performance.now() - sinceMs) * PAUSE).unref();
    });

  /** Runs `step` for parts of a list, with pauses. */
  const inSteps = async <T>(
    all: readonly T[],
    atOnce: number,
    step: (part: readonly T[]) => Promise<void>,
  ) => {
    for (let first = 0; first < all.length && !isClosed; first += atOnce) {
      const beganMs = performance.now();
      await step(all.slice(first, first + atOnce));
      await pause(beganMs);
    }
  };

  const lookAtAll = async (where: 'root' | 'shared') => {
    await ready();
    const prints = journal.seenPrints();
    if (!prints) return;
    const subjects = await ask<string[]>({ seenIn: where });
    const existing = new Set(subjects);
    const stale = [...prints.keys()].filter(
      (subject) => !existing.has(subject) && (where === 'root' || lockOf(subject) === SHARED_LOCK),
    );
    await inSteps(subjects, COMPARED_AT_ONCE, async (part) => {
      const asked = part.map((subject) => [subject, prints.get(subject) ?? ''] as const);
      stale.push(...(await ask<string[]>({ seenChanges: asked })));
    });
    await inSteps(stale, READ_AT_ONCE, (part) => compare(part, false));
    if (!isClosed && where === 'root') journal.endFirstLook(subjects);
  };

  const planAll = (afterMs: number) => {
    const atMs = clock.now() + afterMs;
    if (isClosed || (next && next.atMs <= atMs)) return;
    next?.cancel();
    const cancel = clock.after(afterMs, () => {
      next = undefined;
      if (isLooking) return planAll(LOOK_AGAIN_MS);
      isLooking = true;
      void runForAll(() => lookAtAll('root'))
        .catch(report)
        .finally(() => {
          isLooking = false;
          endedAtMs = clock.now();
          planAll(everyMs);
        });
    });
    next = { atMs, cancel };
  };

  const planShared = () => {
    if (isClosed) return;
    cancelShared?.();
    cancelShared = clock.after(quietMs, () => void runForAll(() => lookAtAll('shared')).catch(report));
  };

  return {
    start: () => planAll(firstMs),
    lookAt: look,
    notice(event) {
      if (event.name === 'catalog' || event.name === 'presets') return planShared();
      if (event.name !== 'agents' && event.name !== 'entries' && event.name !== 'links') return;
      const { ids } = event.data;
      // Each page that opens has this event, and a shared entry that changes has it, too.
      if (ids === null) planAll(Math.max(quietMs, endedAtMs + LOOK_AGAIN_MS - clock.now()));
      else for (const id of ids) planLook(`agents/${id}`, quietMs);
    },
    close() {
      isClosed = true;
      next?.cancel();
      cancelShared?.();
      for (const cancel of planned.values()) cancel();
    },
  };
};
