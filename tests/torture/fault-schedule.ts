import { setTimeout as sleep } from 'node:timers/promises';
import { createKeyedLock } from '../../src/server/platform/keyed-lock.ts';
import type { RepeatAnswer } from '../support/mint/faults.ts';
import type { Fault, FaultPath, KeysetSummary } from '../support/mint/test-mint.ts';
import type { TestMintProcess } from '../support/mint/test-mint-process.ts';

/** How often each kind of trouble happened. */
export interface FaultCounts {
  mintKills: number;
  rotations: number;
  /** Rotations to a keyset that expires within seconds. */
  expiringKeysets: number;
  /** Jumps of the clocks of the mint and of the wallets. */
  timeJumps: number;
  rateLimits: number;
  /** Lives during which the mint withheld young signatures. */
  lags: number;
  /** Lives in which, and kills by which, the mint died in the middle of swaps and left their inputs pending. */
  midwayDeaths: number;
  /** Lives during which the mint lied about states. */
  lies: number;
  /** Answers or requests that were lost on purpose. */
  losses: number;
  /** Faults of a proxy that repeats swaps. */
  repeats: number;
}

/** The trouble of a run: what happens to the mint and its connections while servers live and die. */
export interface FaultSchedule {
  /** Causes trouble as long as `isOpen` returns true. */
  run(isOpen: () => boolean): Promise<void>;
  /** While mild, the mint stays up and returns its keys, so that a server gets far. */
  setMild(isMild: boolean): Promise<void>;
  /** Loses this many swaps or their answers, so that the server has to find out. */
  loseSwaps(times: number): Promise<void>;
  /** Fails every swap until `lift`. The mint still does some of them. */
  stall(): Promise<void>;
  /** Makes the mint answer 429 to excess requests, until `lift`. */
  limitRate(): Promise<void>;
  /** Makes the mint withhold young signatures, until `lift`. */
  lag(): Promise<void>;
  /** Makes the mint die in the middle of some swaps, until `lift`. Their inputs stay pending beyond that. */
  leavePending(): Promise<void>;
  /** Makes the mint say of unspent proofs that they are spent, once of each, until `lift`. */
  lie(): Promise<void>;
  /** Ends `stall`, `limitRate`, `lag`, `leavePending` and `lie`. */
  lift(): Promise<void>;
  /** Creates a new keyset. The old ones become inactive. */
  rotate(): Promise<void>;
  /** Creates a keyset that expires within seconds. Another one follows before it does. */
  rotateToExpiring(): Promise<KeysetSummary>;
  /**
   * Runs something during which nobody kills the mint. A mint that dies while it issues a token can have counted its sats
   * already, and then nobody has them.
   */
  whileAlive<T>(use: () => Promise<T>): Promise<T>;
  /** Sets the clocks ahead, so that everything due within `ms` is due now. */
  jump(ms: number): Promise<void>;
  /** How far the clocks are ahead, in milliseconds. */
  aheadMs(): number;
  /** Starts the mint if it is down, and ends all trouble. */
  clear(): Promise<void>;
  counts(): FaultCounts;
}

const SOON_MS = 300;
const MINT_KILLED = 0.1;
/** The part of the mint's deaths that happen in the middle of swaps. */
const KILLED_MIDWAY = 0.3;
/** The part of swaps that the mint dies in after the first, in lives in which it does so. */
const DIES_IN_SWAP = 0.3;
/** The shortest time that proofs are left pending, as a part of the longest. */
const SHORTEST_PENDING = 0.2;
/** Longer than the mint lives on. */
const NEVER_MS = 60_000;
const ROTATED = 0.01;
const KEYS_FAIL = 0.08;
const THREE_DAYS_SECONDS = 3 * 24 * 60 * 60;
const EXPIRES_WITHIN_SECONDS = [8, 25] as const;
/** How long before the active keyset expires another one is created. */
const ROTATED_BEFORE_MS = 4_000;
/** A killed mint takes seconds to start on a busy machine. */
const MOST_TRIES = 300;
const TRY_AGAIN_MS = 100;

/**
 * Creates the {@link FaultSchedule} of a run.
 *
 * A temporary refusal (`error` before the commit) never meets an earlier request that is still on its way.
 * While such requests may arrive (`isLate`), swaps are lost and late; otherwise they are refused. The mint is
 * killed in between.
 *
 * Proofs that it leaves pending stay so for up to `pendingSeconds`, over kills and calm times.
 */
export const createFaultSchedule = (
  mint: TestMintProcess,
  random: () => number,
  pendingSeconds: number,
): FaultSchedule => {
  const counts: FaultCounts = {
    mintKills: 0,
    rotations: 0,
    expiringKeysets: 0,
    timeJumps: 0,
    rateLimits: 0,
    lags: 0,
    midwayDeaths: 0,
    lies: 0,
    losses: 0,
    repeats: 0,
  };
  let isLate = true;
  let isMild = false;
  let aheadMs = 0;
  let lagSeconds: number | undefined;
  let isStalled = false;
  let isDyingMidway = false;
  let isLying = false;
  /** When the active keyset must have a successor, by the mint's clock. */
  let rotateAtMs = Number.POSITIVE_INFINITY;

  const pick = <T>(...from: [T, ...T[]]): T => from[Math.floor(random() * from.length)] ?? from[0];
  const when = () => pick<'before' | 'after'>('before', 'after');
  const now = () => Date.now() + aheadMs;

  /** Retries, because the mint may be killed and started again at any moment. */
  const eventually = async <T>(control: () => Promise<T>): Promise<T> => {
    for (let tries = 1; ; tries++) {
      try {
        return await control();
      } catch (error) {
        if (tries >= MOST_TRIES) throw error;
        await sleep(TRY_AGAIN_MS);
      }
    }
  };

  const diesInSwap = () =>
    ({
      kind: 'pending',
      seconds: pendingSeconds * (SHORTEST_PENDING + random() * (1 - SHORTEST_PENDING)),
    }) as const;

  const lost = (): Fault => {
    counts.losses += 1;
    return pick<Fault>({ kind: 'drop', when: when() }, { kind: 'status', when: when() });
  };
  const late = (): Fault =>
    pick<Fault>(
      { kind: 'hang', when: when() },
      { kind: 'slow', delayMs: Math.floor(random() * 1500), when: when() },
      { kind: 'drop', when: when(), delayMs: Math.floor(random() * 800) },
    );
  /** A proxy repeats a request, and the caller gets what the second one gets. */
  const repeated = (): Fault => {
    counts.repeats += 1;
    const lateMs = isLate && random() < 0.4 ? { lateMs: Math.floor(random() * 1500) } : {};
    const ofProxy = pick<RepeatAnswer>({ detail: 'Token already spent.' }, { status: 403, html: true });
    // Only a proxy's own answer can come before the mint has seen the request.
    if ('lateMs' in lateMs && random() < 0.4)
      return { kind: 'repeat', ...lateMs, isUnseen: true, answer: ofProxy };
    const answer = pick<RepeatAnswer | undefined>(
      undefined,
      { code: 11001, detail: 'Token already spent.' },
      { code: 11002, detail: 'proofs are pending' },
      { code: 11003, detail: 'outputs have already been signed before' },
      ofProxy,
    );
    return { kind: 'repeat', ...lateMs, ...(answer ? { answer } : {}) };
  };
  const refused = (): Fault => ({ kind: 'error', code: pick(0, 10001, 11001, 11003, 12002), detail: 'no' });
  const falsified = (): Fault =>
    pick<Fault>(
      { kind: 'cut' },
      { kind: 'refuse' },
      { kind: 'garbage', when: when(), body: pick<'text' | 'empty' | 'shape'>('text', 'empty', 'shape') },
      { kind: 'amounts' },
      { kind: 'signatures' },
      { kind: 'signatures', dleq: true },
      { kind: 'dleq' },
      { kind: 'no-dleq' },
      { kind: 'error', code: 11003, detail: 'said no and did it', when: 'after' },
      { kind: 'status', status: 429, retryAfterSeconds: 1 },
      { kind: 'pending', seconds: 1 + random() * 2 },
    );

  const swapFault = (): Fault => {
    const chance = random();
    if (chance < 0.3) return lost();
    if (chance < 0.55) return repeated();
    if (chance < 0.75) return falsified();
    return isLate ? late() : refused();
  };
  const otherFault = (path: FaultPath): Fault =>
    path === '/v1/restore' && random() < 0.5
      ? { kind: 'partial', keep: 1 }
      : pick(lost(), falsified(), late(), refused());

  const setFault = async () => {
    const path =
      !isMild && random() < KEYS_FAIL
        ? '/v1/keys'
        : pick<FaultPath>('/v1/swap', '/v1/swap', '/v1/swap', '/v1/checkstate', '/v1/restore');
    const fault = path === '/v1/swap' ? swapFault() : otherFault(path);
    await mint.fail(path, {
      ...fault,
      times: 1 + Math.floor(random() * 4),
      probability: 0.4 + random() * 0.6,
    });
  };

  /** Loses the answers of swaps, and then makes the mint restore only a part of the signatures. */
  const loseAndTellPart = async () => {
    await mint.fail('/v1/swap', { ...lost(), when: 'after', times: 3 });
    await mint.fail('/v1/restore', { kind: 'partial', keep: 1, times: 4 });
  };

  /** Delays swaps until the wallet asks what became of them. */
  const doLate = async () => {
    await mint.fail('/v1/swap', { kind: 'hang', times: 4 });
    for (const path of ['/v1/checkstate', '/v1/restore'] as const) {
      await mint.fail(path, { kind: 'slow', delayMs: 400, when: 'after', times: 4 });
    }
    // Longer than the server waits for the swap.
    await sleep(600 + random() * 1000);
    await mint.clearFaults('/v1/swap');
  };

  const setLasting = async () => {
    if (lagSeconds !== undefined) await mint.fail('/v1/restore', { kind: 'lag', seconds: lagSeconds });
    if (isLying) {
      await mint.fail('/v1/checkstate', { kind: 'says-spent', share: 0.2 + random() * 0.8 });
      // So that the wallet asks.
      await mint.fail('/v1/swap', { ...lost(), times: 2 });
    }
    if (isDyingMidway) {
      await mint.fail('/v1/swap', { ...diesInSwap(), times: 1 });
      await mint.fail('/v1/swap', { ...diesInSwap(), probability: DIES_IN_SWAP });
    }
    if (!isStalled) return;
    await mint.fail('/v1/swap', { kind: 'status', when: 'after', probability: 0.2 });
    await mint.fail('/v1/swap', { kind: 'status' });
  };

  const calm = async () => {
    await mint.clearFaults();
    await setLasting();
  };

  const setClock = async () => {
    if (aheadMs > 0) await mint.setTime(Math.floor(now() / 1000));
  };

  const life = createKeyedLock();
  const killMint = (awayMs: number) => life.run('mint', () => killAndStart(awayMs));

  const killAndStart = async (awayMs: number) => {
    counts.mintKills += 1;
    if (random() < KILLED_MIDWAY) {
      counts.midwayDeaths += 1;
      await mint.fail('/v1/swap', { ...diesInSwap(), delayMs: NEVER_MS });
      await sleep(random() * SOON_MS);
    }
    await mint.kill();
    await sleep(awayMs);
    await mint.start();
    await setClock();
    await setLasting();
  };

  const rotate = async (isLasting = false) => {
    counts.rotations += 1;
    rotateAtMs = Number.POSITIVE_INFINITY;
    const expires = !isLasting && random() < 0.5;
    await mint.rotate({
      inputFeePpk: pick(0, 100, 250),
      version: pick<1 | 2>(1, 2),
      ...(expires ? { expiresInSeconds: THREE_DAYS_SECONDS } : {}),
    });
  };

  /** Creates a keyset that lasts beyond a time, if no active one does. */
  const rotateFor = async (untilMs: number) => {
    const keysets = await mint.keysets();
    const lasts = keysets.some(
      ({ active, finalExpirySeconds = Number.POSITIVE_INFINITY }) =>
        active && finalExpirySeconds * 1000 > untilMs,
    );
    if (!lasts) await rotate(true);
  };

  const makeTrouble = async () => {
    await setClock();
    const chance = random();
    if (now() >= rotateAtMs) await rotate();
    else if (chance < MINT_KILLED) {
      if (isMild) return;
      await killMint(random() * SOON_MS);
      isLate = random() < 0.6;
    } else if (chance < MINT_KILLED + ROTATED) await rotate();
    else if (chance < 0.18) await loseAndTellPart();
    else if (chance < 0.25 && isLate) await doLate();
    else if (chance < 0.5) await setFault();
    else if (chance < 0.7) await calm();
  };

  return {
    async run(isOpen) {
      for (let failures = 0; isOpen(); ) {
        try {
          await makeTrouble();
          failures = 0;
        } catch (error) {
          // A connection to a mint that was just killed, on a busy machine.
          failures += 1;
          if (failures >= MOST_TRIES) throw error;
          // The mint took too long to start.
          if (mint.pid() === undefined) await mint.start().catch(() => undefined);
        }
        await sleep(random() * SOON_MS);
      }
    },
    async setMild(value) {
      isMild = value;
      if (value && mint.pid() !== undefined) await calm();
    },
    async loseSwaps(times) {
      await eventually(() => mint.fail('/v1/swap', { ...lost(), times }));
    },
    async stall() {
      isStalled = true;
      await eventually(calm);
    },
    async limitRate() {
      counts.rateLimits += 1;
      const limit = {
        requests: 3 + Math.floor(random() * 25),
        seconds: 1 + Math.floor(random() * 4),
        // Otherwise, the wallet pauses for longer than a process lives.
        retryAfter: counts.rateLimits % 4 !== 0,
        paths: pick<FaultPath[]>(['*'], ['*'], ['/v1/swap'], ['/v1/checkstate', '/v1/restore']),
        window: pick<'sliding' | 'elastic'>('sliding', 'elastic'),
      };
      await eventually(() => mint.setRateLimit(limit));
    },
    async lag() {
      counts.lags += 1;
      lagSeconds = 2 + Math.floor(random() * 20);
      await eventually(calm);
    },
    async leavePending() {
      counts.midwayDeaths += 1;
      isDyingMidway = true;
      await eventually(calm);
    },
    async lie() {
      counts.lies += 1;
      isLying = true;
      await eventually(calm);
    },
    async lift() {
      lagSeconds = undefined;
      isStalled = false;
      isDyingMidway = false;
      isLying = false;
      await eventually(async () => {
        await mint.setRateLimit();
        await calm();
      });
    },
    rotate: () => eventually(rotate),
    async rotateToExpiring() {
      counts.rotations += 1;
      counts.expiringKeysets += 1;
      const [least, most] = EXPIRES_WITHIN_SECONDS;
      const options = {
        expiresInSeconds: Math.floor(least + random() * (most - least)),
        keepOld: random() < 0.3,
        inputFeePpk: pick(0, 100),
        version: pick<1 | 2>(1, 2),
      };
      const made = await eventually(async () => {
        await setClock();
        return mint.rotate(options);
      });
      rotateAtMs = now() + options.expiresInSeconds * 1000 - ROTATED_BEFORE_MS;
      return made;
    },
    whileAlive: (use) => life.run('mint', use),
    async jump(ms) {
      counts.timeJumps += 1;
      await eventually(() => rotateFor(now() + ms + THREE_DAYS_SECONDS * 500));
      aheadMs += ms;
      await eventually(setClock);
    },
    aheadMs: () => aheadMs,
    async clear() {
      lagSeconds = undefined;
      isStalled = false;
      isDyingMidway = false;
      isLying = false;
      if (mint.pid() === undefined) await mint.start();
      await eventually(async () => {
        await setClock();
        await mint.setRateLimit();
        await calm();
        await rotateFor(now() + THREE_DAYS_SECONDS * 500);
      });
    },
    counts: () => counts,
  };
};
