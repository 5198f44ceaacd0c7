/** What every fault can say of itself. */
interface FaultCommon {
  /** Whether the mint does its work before it fails (the commit). Default `before`: nothing was done. */
  when?: 'before' | 'after';
  /** How many requests it hits. Default: until cleared. */
  times?: number;
  /** Hits only every n-th request of its path, starting with the n-th. Default 1. */
  every?: number;
  /** Between 0 and 1, for each request. Default 1. */
  probability?: number;
  /** Milliseconds to wait before it acts. */
  delayMs?: number;
}

/**
 * A way to fail.
 * - `refuse`: the connection is destroyed before the request is read.
 * - `hang`: no answer; goes on with its work when the faults are cleared, as a slow mint would.
 * - `drop`: the connection is destroyed. `cut`: half of the answer, then the connection is destroyed (after the commit).
 * - `slow`: `delayMs`, then all is well.
 * - `status`: another status, 500 by default, with `body` as JSON or as a page of HTML; 429 with `retryAfterSeconds`.
 * - `error`: HTTP 400 with a code and a detail of the protocol.
 * - `garbage`: 200 with no JSON, with nothing, or with JSON of another shape.
 * - `amounts`, `dleq`, `no-dleq`, `signatures`: the answer's signatures are for other amounts, have a DLEQ proof that
 *   is wrong or none, or are made by another key (`dleq`: with a proof that does not fit, or none). The mint itself
 *   keeps the right ones.
 * - `partial`: the answer has only the first so many signatures, or a random part of them.
 * - `lag`: the answer leaves out signatures made less than `seconds` ago by the mint's clock (NUT-09).
 * - `pending`: marks the inputs as pending and drops the connection, as a mint that dies in the middle.
 */
export type Fault = FaultCommon &
  (
    | { kind: 'refuse' | 'hang' | 'drop' | 'cut' | 'amounts' | 'dleq' | 'no-dleq' | 'pending' }
    | { kind: 'slow'; delayMs: number }
    | { kind: 'status'; status?: number; html?: boolean; body?: unknown; retryAfterSeconds?: number }
    | { kind: 'error'; code: number; detail: string }
    | { kind: 'garbage'; body?: 'text' | 'empty' | 'shape' }
    | { kind: 'signatures'; dleq?: boolean }
    | { kind: 'partial'; keep: number | 'random' }
    | { kind: 'lag'; seconds: number }
  );

/** The path of an endpoint, `/v1/swap`, which covers what is below it too; `*` is all of them. */
export type FaultPath = '*' | `/v1/${string}`;

/** Numbers between 0 and 1; the same seed gives the same ones (mulberry32). */
export const seededRandom = (seed: number): (() => number) => {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** Whether a path lies at or below another; `*` covers all. */
export const covers = (pattern: FaultPath, path: string): boolean =>
  pattern === '*' || path === pattern || path.startsWith(`${pattern}/`);

/** The faults that are set, and the requests that hang in them. */
export const createFaults = (random: () => number) => {
  let set: { path: FaultPath; fault: Fault; left: number; seen: number }[] = [];
  let waiting: { path: string; go: () => void }[] = [];

  return {
    random,
    add: (path: FaultPath, fault: Fault) =>
      void set.push({ path, fault, left: fault.times ?? Infinity, seen: 0 }),
    /** Ends the faults of a path, or all; requests that hang there go on. */
    clear: (path: FaultPath = '*') => {
      const released = waiting.filter((one) => covers(path, one.path));
      set = set.filter((one) => path !== '*' && one.path !== path);
      waiting = waiting.filter((one) => !released.includes(one));
      for (const { go } of released) go();
    },
    /** The fault for a request, if one is due: the first that was set. */
    take: (path: string): Fault | undefined => {
      const covering = set.filter((one) => covers(one.path, path));
      for (const one of covering) one.seen += 1;
      const due = covering.find(
        ({ left, seen, fault }) =>
          left > 0 && seen % (fault.every ?? 1) === 0 && random() < (fault.probability ?? 1),
      );
      if (due) due.left -= 1;
      return due?.fault;
    },
    /** Resolves when the faults of its path are cleared. */
    hang: (path: string) => new Promise<void>((go) => void waiting.push({ path, go })),
    /** How many requests hang. */
    hanging: () => waiting.length,
  };
};

export type Faults = ReturnType<typeof createFaults>;
