/** The options of every fault. */
interface FaultCommon {
  /** Whether the mint fails before or after its work (the commit). Default `before`: nothing was done. */
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
 * - `refuse`: destroys the connection before the request is read.
 * - `hang`: no answer. Continues its work when the faults are cleared, as a slow mint would.
 * - `drop`: destroys the connection. `cut`: sends half of the answer first (after the commit).
 * - `slow`: waits `delayMs`, then answers as usual.
 * - `status`: another status (default 500), with `body` as JSON or an HTML page. 429 has `retryAfterSeconds`.
 * - `error`: HTTP 400 with a code and a detail of the protocol.
 * - `garbage`: 200 with text that isn't JSON, with nothing, or with JSON of another shape.
 * - `amounts`, `dleq`, `no-dleq`, `signatures`: the answer's signatures are for other amounts, have a wrong
 *   DLEQ proof or none, or are from another key (`dleq`: with a proof that doesn't fit, or none). The mint
 *   itself keeps the right ones.
 * - `partial`: the answer has only the first `keep` signatures, or a random part of them.
 * - `signs-all`: the answer to a restore claims that every output is signed, each for `amount`.
 * - `lag`: the answer leaves out signatures made less than `seconds` ago by the mint's clock (NUT-09).
 * - `repeat`: what a proxy does that repeats a request: the mint gets it twice, and the answer is the second one's, or
 *   `answer` instead. With `lateMs`, the first is carried out that long after the answer, and its inputs are pending
 *   meanwhile. With `isUnseen`, the proxy holds it back, so that the mint doesn't know of it yet.
 * - `upgrade`: answers HTTP 101, as if the connection changed to another protocol.
 * - `pending`: marks the inputs as pending and drops the connection, as a mint that dies midway. With `seconds`,
 *   they are unspent again after that time of the mint's clock; otherwise they stay pending until cleared.
 * - `says-spent`: the answer to a checkstate (NUT-07) claims that unspent proofs are spent: each with this
 *   probability, and each only the first time that it is asked about while the fault is set. Later answers
 *   tell the truth, also after a restart. With `again`, each time.
 */
export type Fault = FaultCommon &
  (
    | { kind: 'refuse' | 'hang' | 'drop' | 'cut' | 'amounts' | 'dleq' | 'no-dleq' | 'upgrade' }
    | { kind: 'pending'; seconds?: number }
    | { kind: 'says-spent'; share: number; again?: boolean }
    | { kind: 'repeat'; answer?: RepeatAnswer; lateMs?: number; isUnseen?: boolean }
    | { kind: 'slow'; delayMs: number }
    | { kind: 'status'; status?: number; html?: boolean; body?: unknown; retryAfterSeconds?: number }
    | { kind: 'error'; code: number; detail: string }
    | { kind: 'garbage'; body?: 'text' | 'empty' | 'shape' }
    | { kind: 'signatures'; dleq?: boolean }
    | { kind: 'partial'; keep: number | 'random' }
    | { kind: 'signs-all'; amount: number }
    | { kind: 'lag'; seconds: number }
  );

/** An answer to a repeated request: a refusal of the mint, with or without a code, or a proxy's page. */
export type RepeatAnswer = { code?: number; detail: string } | { status: number; html: true };

/** The path of an endpoint, such as `/v1/swap`, with everything below it. `*` is all of them. */
export type FaultPath = '*' | `/v1/${string}`;

/** Creates a source of numbers between 0 and 1. The same seed gives the same numbers (mulberry32). */
export const seededRandom = (seed: number): (() => number) => {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** Whether a path is at or below another; `*` covers all. */
export const covers = (pattern: FaultPath, path: string): boolean =>
  pattern === '*' || path === pattern || path.startsWith(`${pattern}/`);

/** The faults that are set, and the requests that hang. */
export const createFaults = (random: () => number) => {
  let set: { path: FaultPath; fault: Fault; left: number; seen: number }[] = [];
  let waiting: { path: string; go: () => void }[] = [];

  return {
    random,
    add: (path: FaultPath, fault: Fault) =>
      void set.push({ path, fault, left: fault.times ?? Infinity, seen: 0 }),
    /** Ends the faults of a path, or all. Requests that hang there continue. */
    clear: (path: FaultPath = '*') => {
      const released = waiting.filter((one) => covers(path, one.path));
      set = set.filter((one) => path !== '*' && one.path !== path);
      waiting = waiting.filter((one) => !released.includes(one));
      for (const { go } of released) go();
    },
    /** The first fault that is due for a request, if any. */
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
