import type { Clock } from '../../src/server/platform/clock.ts';

/** A clock that stands until it is set; tasks whose time has come then run, in their order. */
export interface FakeClock extends Clock {
  pass(ms: number): void;
}

/** Makes a {@link FakeClock}. */
export const makeClock = (iso = '2026-03-01T12:00:00.000Z'): FakeClock => {
  let nowMs = Date.parse(iso);
  const tasks = new Set<{ at: number; run: () => void }>();
  return {
    now: () => nowMs,
    after(ms, run) {
      const task = { at: nowMs + ms, run };
      tasks.add(task);
      return () => tasks.delete(task);
    },
    pass(ms) {
      nowMs += ms;
      for (const task of [...tasks].filter(({ at }) => at <= nowMs).sort((a, b) => a.at - b.at)) {
        tasks.delete(task);
        task.run();
      }
    },
  };
};
