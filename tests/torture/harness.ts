import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Step } from '../../src/server/wallet/attempt.ts';
import { compileServer } from '../support/compile-cache.ts';
import { seededRandom } from '../support/mint/faults.ts';
import { startTestMintProcess } from '../support/mint/test-mint-process.ts';
import { spawnWaiting, type WalletOrders, walletEnvironment } from '../support/wallet-process.ts';
import { type Address, must, readHistory } from './ask.ts';
import { addUp, findContradictions, findLost, type Sums, takeAllOut } from './audit.ts';
import { createCustomers } from './customers.ts';
import { findSecrets, secretsOfToken, secretsOfWallet } from './secrets.ts';
import { issueTokens } from './tokens.ts';
import { createWeather } from './weather.ts';

/** What a run is to be. */
export interface TortureOptions {
  /** How often the server is killed. */
  kills: number;
  seed: number;
  /** An empty directory for the data of the server and of the mint. */
  directory: string;
  /** Called now and then. */
  onProgress?(line: string): void;
}

/** What a run came to. */
export interface TortureReport {
  seed: number;
  kills: number;
  /** Kills at each named step, and `random` for those at any moment. */
  killsBy: Record<string, number>;
  mintKills: number;
  rotations: number;
  /** Answers, and requests, that were to be lost on their way. */
  losses: number;
  operations: Record<string, number>;
  answers: Record<string, number>;
  /** After all was calm, and after all was taken out of the wallet. */
  sums: Sums;
  sumsAfterTakingOut: Sums;
  /** Too little to pay its own fee. */
  left: number;
  seconds: number;
  /** Empty when no sat and no promise was lost. */
  problems: string[];
}

const STEPS: readonly Step[] = [
  'operation-written',
  'swap-answered',
  'operation-completed',
  'states-known',
  'outputs-restored',
  'operation-failed',
  'operation-replanned',
];

/** These come seldom; a server is killed at the first. */
const SELDOM: readonly Step[] = ['operation-failed', 'operation-replanned', 'outputs-restored'];

/** A server whose step does not come is killed after this long all the same. */
const LIFE_MS = 3000;
const RANDOM_LIFE_MS = 1400;
/** Every so many lives one ends as a user would end it. */
const GENTLE_EVERY = 25;
const TOKENS_A_KILL = 4;
const SETTLED_WITHIN_MS = 120_000;
const PROGRESS_EVERY = 20;
/** While it is killed: short, so that each life sees much. */
const HURRIED: Partial<WalletOrders> = {
  mintTimeoutMs: 700,
  walletDeadlineMs: 1500,
  walletConfirmMs: 1500,
  hurry: { longerThanMs: 8_000, atMostMs: 400 },
};

interface Plan {
  step?: Step;
  occurrence: number;
  afterMs: number;
}

const countBy = (names: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const name of [...names].sort()) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
};

/** Kills the server `kills` times under load, in all weathers of the mint, and adds up in the end. */
export const torture = async ({
  kills,
  seed,
  directory,
  onProgress = () => undefined,
}: TortureOptions): Promise<TortureReport> => {
  const startedAt = performance.now();
  const random = seededRandom(seed);
  const data = join(directory, 'data');
  mkdirSync(join(data, 'root'), { recursive: true });
  const mint = await startTestMintProcess({
    directory: join(directory, 'mint'),
    randomSeed: seed,
    keysets: [
      { version: 1, inputFeePpk: 250 },
      { version: 2, inputFeePpk: 100 },
    ],
  });
  const given = await issueTokens(mint, kills * TOKENS_A_KILL, seededRandom(seed + 1));

  const weather = createWeather(mint, seededRandom(seed + 2));
  const customers = createCustomers(mint, given, seededRandom(seed + 3));
  const { promises } = customers;
  const problems = promises.problems;
  const seconds = () => (performance.now() - startedAt) / 1000;
  const progress = (line: string) => onProgress(`${seconds().toFixed(0).padStart(4)} s  ${line}`);
  progress(`${given.length} tokens issued`);
  const environment = walletEnvironment(mint.url);
  const logPath = join(directory, 'server.log');
  const keepLog = (text: string) => appendFileSync(logPath, text);
  await compileServer();
  let waiting = spawnWaiting(data);
  let current: { kill(): Promise<void> } | undefined;

  const startNext = (orders: Partial<WalletOrders>) => {
    const server = waiting.start({ environment, ...orders });
    waiting = spawnWaiting(data);
    current = server;
    return server;
  };

  const prepareWeather = async ({ step }: Plan) => {
    if (step === 'states-known' || step === 'outputs-restored') await weather.loseSwaps(3);
    if (step === 'operation-replanned') await weather.rotate();
  };

  /** From the start of a server to its end; returns what killed it, undefined for an end of its own. */
  const live = async (plan: Plan, isGentle: boolean): Promise<string | undefined> => {
    const { step, occurrence, afterMs } = plan;
    const server = startNext({ ...HURRIED, ...(step && !isGentle ? { killAt: { step, occurrence } } : {}) });
    let isOurs = false;
    const end = setTimeout(() => {
      isOurs = true;
      void (isGentle ? server.stop() : server.kill());
    }, afterMs);
    const visited = server.listening.then(
      async (address) => {
        // A rotation is noticed in the middle only by a server that knows the old keyset.
        const prepared = sleep(step === 'operation-replanned' ? 900 : 0).then(() => prepareWeather(plan));
        prepared.catch(() => undefined);
        await customers.visit(address, server.isRunning, step === 'operation-failed');
      },
      () => undefined,
    );
    const signal = await server.exited;
    clearTimeout(end);
    await visited;
    keepLog(server.stderr());
    if (signal === 'SIGKILL') return isOurs ? 'random' : step;
    if (!isGentle) problems.push(`the server ended by itself: ${server.stderr().slice(-1000)}`);
    return undefined;
  };

  const killsBy: Record<string, number> = {};
  const killOften = async () => {
    let killed = 0;
    let isOver = false;
    const blowing = weather.blow(() => !isOver);
    // Whoever waits for it is told; until then it is nobody's unhandled rejection.
    blowing.catch(() => undefined);
    for (let life = 0; killed < kills && problems.length < 20; life++) {
      const isStep = life % 2 === 0;
      const step = isStep ? STEPS[(life / 2) % STEPS.length] : undefined;
      const plan: Plan = {
        ...(step === undefined ? {} : { step }),
        occurrence: step && SELDOM.includes(step) ? 1 : 1 + Math.floor(random() * 3),
        afterMs: isStep ? LIFE_MS : random() * RANDOM_LIFE_MS,
      };
      // The mint may die in the middle of it, and it is then as it was.
      await weather.setMild(isStep).catch(() => undefined);
      const by = await live(plan, life % GENTLE_EVERY === GENTLE_EVERY - 1);
      if (by === undefined) continue;
      killed += 1;
      killsBy[by] = (killsBy[by] ?? 0) + 1;
      if (killed % PROGRESS_EVERY === 0) {
        const rate = (killed / seconds()).toFixed(2);
        progress(`${killed} kills, ${rate} a second; of the mint: ${weather.counts().mintKills}`);
      }
    }
    isOver = true;
    await blowing;
    return killed;
  };

  /** Waits until nothing is pending any more. */
  const settle = async (address: Address) => {
    const giveUpAt = performance.now() + SETTLED_WITHIN_MS;
    for (;;) {
      const { pending } = await must(address, { method: 'GET', path: '/api/wallet/balance' });
      const history = await readHistory(address);
      if (pending === 0 && history.every(({ state }) => state !== 'pending')) return history;
      if (performance.now() > giveUpAt) return history;
      await sleep(200);
    }
  };

  try {
    const killed = await killOften();
    await weather.clear();
    const server = startNext({
      walletConfirmMs: 2_000,
      hurry: { longerThanMs: 20_000, atMostMs: 5_000 },
    });
    const address = await server.listening;
    progress('killed enough; waiting until all has ended');
    await settle(address);
    progress('settled; asking again');
    // What customers did not hear of they ask for again; each token must then have paid, or be free.
    await customers.insist(address);
    const history = await settle(address);
    for (const { name, isOpen, isGood } of given) {
      if (isOpen && isGood) problems.push(`${name} has no final answer`);
    }
    progress('adding up');
    const sums = await addUp(address, mint, history, given);
    problems.push(...findContradictions(history, sums.balance, promises));
    if (sums.difference !== 0) {
      problems.push(`difference: ${sums.difference} sat`, ...(await findLost(mint, history, promises)));
    }
    progress(`difference ${sums.difference}; taking all out`);
    const { left, problems: unpaid } = await takeAllOut(address);
    problems.push(...unpaid);
    const sumsAfterTakingOut = await addUp(address, mint, await settle(address), given);
    if (sumsAfterTakingOut.difference !== sums.difference) {
      problems.push(`difference after taking out: ${sumsAfterTakingOut.difference} sat`);
    }

    await server.stop();
    keepLog(server.stderr());
    const secrets = new Set(given.flatMap(({ text }) => secretsOfToken(text)));
    for (const secret of secretsOfWallet(join(data, 'data/wallet'))) secrets.add(secret);
    for (const place of findSecrets(readFileSync(logPath, 'utf8'), secrets))
      problems.push(`a secret in a log: ${place}`);

    return {
      seed,
      kills: killed,
      killsBy,
      ...weather.counts(),
      operations: countBy(history.map(({ kind, state }) => `${kind} ${state}`)),
      answers: Object.fromEntries([...promises.answers].sort()),
      sums,
      sumsAfterTakingOut,
      left,
      seconds: Math.round(seconds()),
      problems,
    };
  } catch (error) {
    throw new Error(`the run of seed ${seed} broke off: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  } finally {
    waiting.discard();
    await current?.kill();
    await mint.close();
  }
};
