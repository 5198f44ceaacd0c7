import type { Clock } from '../../src/server/platform/clock.ts';

/** A clock that stops until it is set. Tasks that are due then run in order. */
export interface FakeClock extends Clock {
  pass(ms: number): void;
}

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
