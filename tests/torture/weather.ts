import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault, FaultPath } from '../support/mint/test-mint.ts';
import type { TestMintProcess } from '../support/mint/test-mint-process.ts';

/** What happens to the mint and the connections to it while the server lives and dies. */
export interface Weather {
  /** Makes bad weather as long as `isOpen`. */
  blow(isOpen: () => boolean): Promise<void>;
  /** The mint stays up and its keys can be had while it is mild, so that a server comes far. */
  setMild(isMild: boolean): Promise<void>;
  /** Loses this many swaps or their answers, so that the server has to find out. */
  loseSwaps(times: number): Promise<void>;
  /** A new keyset; the old ones become inactive. */
  rotate(): Promise<void>;
  /** The mint is up, and all goes well. */
  clear(): Promise<void>;
  /** How often the mint was killed, it rotated, and its answers or requests to it were to be lost. */
  counts(): { mintKills: number; rotations: number; losses: number };
}

const SOON_MS = 300;
const MINT_KILLED = 0.1;
const ROTATED = 0.01;
const KEYS_FAIL = 0.08;
const THREE_DAYS_SECONDS = 3 * 24 * 60 * 60;

/**
 * Makes the {@link Weather} of a run.
 *
 * A refusal that is not for good (`error` before the commit) never meets a request that is on its way since earlier: while
 * those may come, `isLate`, swaps are lost and late, else they are refused. In between the mint is killed.
 */
export const createWeather = (mint: TestMintProcess, random: () => number): Weather => {
  let mintKills = 0;
  let rotations = 0;
  let losses = 0;
  let isLate = true;
  let isMild = false;

  const pick = <T>(...from: [T, ...T[]]): T => from[Math.floor(random() * from.length)] ?? from[0];
  const when = () => pick<'before' | 'after'>('before', 'after');

  const lost = (): Fault => {
    losses += 1;
    return pick<Fault>({ kind: 'drop', when: when() }, { kind: 'status', when: when() });
  };
  const late = (): Fault =>
    pick<Fault>(
      { kind: 'hang', when: when() },
      { kind: 'slow', delayMs: Math.floor(random() * 1500), when: when() },
      { kind: 'drop', when: when(), delayMs: Math.floor(random() * 800) },
    );
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
      { kind: 'pending' },
    );

  const swapFault = (): Fault => {
    const chance = random();
    if (chance < 0.4) return lost();
    if (chance < 0.7) return falsified();
    return isLate ? late() : refused();
  };
  const otherFault = (path: FaultPath): Fault =>
    path === '/v1/restore' && random() < 0.5
      ? // Never none: a mint that denies all it signed is believed (wallet.md).
        { kind: 'partial', keep: 1 }
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

  /** Swaps whose answers are lost, and a mint that then tells a part of the signatures. */
  const loseAndTellPart = async () => {
    await mint.fail('/v1/swap', { ...lost(), when: 'after', times: 3 });
    await mint.fail('/v1/restore', { kind: 'partial', keep: 1, times: 4 });
  };

  /** Swaps that the mint does while the wallet asks what became of them. */
  const doLate = async () => {
    await mint.fail('/v1/swap', { kind: 'hang', times: 4 });
    for (const path of ['/v1/checkstate', '/v1/restore'] as const) {
      await mint.fail(path, { kind: 'slow', delayMs: 400, when: 'after', times: 4 });
    }
    // Longer than the server waits for the swap.
    await sleep(600 + random() * 1000);
    await mint.clearFaults('/v1/swap');
  };

  const calm = async () => {
    await mint.clearFaults();
    await mint.clearPending();
  };

  const killMint = async (awayMs: number) => {
    mintKills += 1;
    await mint.kill();
    await sleep(awayMs);
    await mint.start();
  };

  const rotate = async () => {
    rotations += 1;
    const expires = random() < 0.5;
    await mint.rotate({
      inputFeePpk: pick(0, 100, 250),
      version: pick<1 | 2>(1, 2),
      ...(expires ? { finalExpirySeconds: Math.floor(Date.now() / 1000) + THREE_DAYS_SECONDS } : {}),
    });
  };

  return {
    async blow(isOpen) {
      while (isOpen()) {
        const chance = random();
        if (chance < MINT_KILLED) {
          if (!isMild) {
            await killMint(random() * SOON_MS);
            isLate = random() < 0.6;
          }
        } else if (chance < MINT_KILLED + ROTATED) await rotate();
        else if (chance < 0.18) await loseAndTellPart();
        else if (chance < 0.25 && isLate) await doLate();
        else if (chance < 0.5) await setFault();
        else if (chance < 0.7) await calm();
        await sleep(random() * SOON_MS);
      }
    },
    async setMild(value) {
      isMild = value;
      if (value && mint.pid() !== undefined) await calm();
    },
    async loseSwaps(times) {
      await mint.fail('/v1/swap', { ...lost(), times });
    },
    rotate,
    async clear() {
      if (mint.pid() === undefined) await mint.start();
      await calm();
    },
    counts: () => ({ mintKills, rotations, losses }),
  };
};
