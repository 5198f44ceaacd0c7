import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Step } from '../../src/server/wallet/operations/swap-attempt.ts';
import { bundleServer } from '../support/bundle.ts';
import { seededRandom } from '../support/mint/faults.ts';
import { startTestMintProcess } from '../support/mint/test-mint-process.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { spawnWaiting, type WalletProcessOptions, walletEnvironment } from '../support/wallet-process.ts';
import { findPhantoms, type Sums } from './audit.ts';
import { createClients, type Manners } from './clients.ts';
import { createDirectories, walletOf } from './directories.ts';
import { createDeck } from './events.ts';
import { createFaultSchedule, type FaultCounts } from './fault-schedule.ts';
import { readWallet, type WalletContent } from './leftovers.ts';
import { type SecondWallet, startSecondWallet } from './second-wallet.ts';
import { findSecrets, secretsOfToken, secretsOfWallet } from './secrets.ts';
import { settleAndAddUp } from './settlement.ts';
import { issueExpiring, issueTokens } from './tokens.ts';

/** The options of a run. */
export interface TortureOptions {
  /**
   * How often the server is killed, at least. The run continues until it was killed at {@link NAMED_STEPS} steps, and
   * each kind of event has happened.
   */
  kills: number;
  /** Ends after these kills, whatever has happened. */
  isShort?: boolean;
  seed: number;
  /** An empty directory for the data of the servers and the mint. */
  directory: string;
  /** The longest that a server lives. Default 3,000. Shorter lives make more kills in an hour. */
  lifeMs?: number | undefined;
  /** Called occasionally. */
  onProgress?(line: string): void;
}

/** The events of a run in addition to kills and faults. */
export interface EventCounts {
  /** Copies of a killed or stopped server's data, and how often one was put back. */
  copies: number;
  rollbacks: number;
  /** Servers that lived next to the first on a copy of its data, and how many took its place. */
  secondWallets: number;
  takeovers: number;
  /** Pending operations that the operator released. */
  releases: number;
  rescans: number;
}

/** The result of a run. */
export interface TortureReport extends FaultCounts, EventCounts {
  seed: number;
  kills: number;
  /** Kills at each named step, and `random` for kills at any moment. */
  killsBy: Record<string, number>;
  operations: Record<string, number>;
  answers: Record<string, number>;
  /** The sums after everything settled, and after all was taken out of the wallet. */
  sums: Sums;
  sumsAfterTakingOut: Sums;
  /** Sats of sends whose token nobody saw before a rollback removed it. */
  unseen: number;
  /** Sats that the last rescan found. */
  foundByRescan: number;
  /** Tokens that paid in forgotten lives, and were handed in once more at the end. */
  retriedForgotten: number;
  /** The rest in the wallet, too little to pay its own fee. */
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

/** Rare steps. A server is killed at the first one. */
const SELDOM: readonly Step[] = ['operation-failed', 'operation-replanned', 'outputs-restored'];

/** A server that doesn't reach its step is killed after this long. */
const LIFE_MS = 3000;
/** The longest life that ends at any moment, as a part of that. */
const RANDOM_LIFE = 0.47;
/** One life in this many ends as a person would end it. */
const GENTLE_EVERY = 25;
const TOKENS_A_KILL = 4;
/** On a busy machine. */
const LONGEST_START_MS = PATIENCE_MS;
const PROGRESS_EVERY = 20;
const MOST_PROBLEMS = 20;
/** Named steps that a run must be killed at. A slow machine needs more than `kills` to reach them. */
export const NAMED_STEPS = 2;
/** A run that still hasn't seen enough ends after this many times its kills. Something is wrong then. */
const MOST_KILLS_FACTOR = 20;
/** Lives grow by this factor, up to the longest, whenever one was too short to reach its step. */
const LONGER = 1.5;
const LONGEST_LIFE_FACTOR = 40;
/** Short times while servers are killed, so that each life sees much. */
const HURRIED: Partial<WalletProcessOptions> = {
  mintTimeoutMs: 700,
  requestDeadlineMs: 1500,
  confirmAfterMs: 1500,
  hurry: { longerThanMs: 5_000, atMostMs: 400 },
};

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Past a recheck, past the silence after which another copy counts as gone, past expiries within days. */
const JUMPS_MS = [70_000, 11 * MINUTE_MS, 11 * MINUTE_MS, 2 * HOUR_MS, 24 * HOUR_MS];

/** What a run must have seen, besides kills and releases. */
const WANTED = [
  'losses',
  'copies',
  'rollbacks',
  'secondWallets',
  'rotations',
  'expiringKeysets',
  'timeJumps',
  'rateLimits',
  'lags',
  'rescans',
] as const;

interface Plan {
  step?: Step;
  occurrence: number;
  afterMs: number;
  /** Its time begins when it listens. Others may be killed while they start. */
  startsFirst: boolean;
  isGentle: boolean;
  manners: Manners;
}

/** Kills the server `kills` times under load while everything else fails too, and adds up at the end. */
export const torture = async ({
  kills,
  isShort = false,
  seed,
  directory,
  lifeMs = LIFE_MS,
  onProgress = () => undefined,
}: TortureOptions): Promise<TortureReport> => {
  await bundleServer();
  const startedAt = performance.now();
  const random = seededRandom(seed);
  const directories = createDirectories(directory, seededRandom(seed + 5));
  const { main } = directories;
  const mint = await startTestMintProcess({
    directory: join(directory, 'mint'),
    randomSeed: seed,
    keysets: [
      { version: 1, inputFeePpk: 250 },
      { version: 2, inputFeePpk: 100 },
    ],
  });
  const given = await issueTokens(mint, kills * TOKENS_A_KILL, seededRandom(seed + 1));

  const faults = createFaultSchedule(mint, seededRandom(seed + 2));
  const clients = createClients(mint, given, seededRandom(seed + 3));
  const draw = createDeck(seededRandom(seed + 4));
  const { promises } = clients;
  const problems = promises.problems;
  const events: EventCounts = {
    copies: 0,
    rollbacks: 0,
    secondWallets: 0,
    takeovers: 0,
    releases: 0,
    rescans: 0,
  };
  /** Content that only removed data held. */
  const removed: WalletContent = { tokens: [], sendOutputs: [], held: [] };
  const seconds = () => (performance.now() - startedAt) / 1000;
  const progress = (line: string) => onProgress(`${seconds().toFixed(0).padStart(4)} s  ${line}`);
  progress(`${given.length} tokens issued`);
  const environment = walletEnvironment(mint.url);
  const logPath = join(directory, 'server.log');
  const keepLog = (text: string) => appendFileSync(logPath, text);
  let problemsShown = 0;
  /** Reports problems at once, because a run can take hours. */
  const showProblems = () => {
    for (; problemsShown < problems.length; problemsShown++)
      progress(`life ${lives}: ${problems[problemsShown]}`);
  };
  let lives = 0;
  let waiting = spawnWaiting(main.path);
  let current: { kill(): Promise<void> } | undefined;
  let second: (SecondWallet & { endsAtLife: number }) | undefined;

  const startNext = (launchOptions: Partial<WalletProcessOptions>) => {
    const server = waiting.start({ environment, aheadMs: faults.aheadMs(), ...launchOptions });
    waiting = spawnWaiting(main.path);
    current = server;
    lives += 1;
    main.lives.add(lives);
    keepLog(`--- life ${lives}\n`);
    return { server, life: lives, lives: new Set(main.lives) };
  };

  const keepRemoved = ({ tokens, sendOutputs }: WalletContent) => {
    removed.tokens.push(...tokens);
    removed.sendOutputs.push(...sendOutputs);
  };

  /** Both servers have ended. The mint must have signed every proof that they count. */
  const checkHeld = async () => {
    const held = [main, ...(second ? [second.directory] : [])].flatMap(
      (each) => readWallet(walletOf(each)).held,
    );
    problems.push(...(await findPhantoms(mint, held).catch(() => [])));
  };

  const endSecond = async () => {
    if (!second) return;
    keepLog(await second.end(random() < 0.5));
    await checkHeld();
    const takesOver = random() < 0.35;
    if (takesOver) events.takeovers += 1;
    keepRemoved(takesOver ? directories.takeOver(second.directory) : directories.end(second.directory));
    keepLog(`--- the second wallet ${takesOver ? 'took over' : 'was removed'}\n`);
    second = undefined;
  };

  /** Causes the event before a life. Returns how its clients behave. */
  const meet = async (): Promise<Manners> => {
    await faults.lift();
    if (second && lives >= second.endsAtLife) await endSecond();
    if (!directories.hasWallet()) return {};
    const event = events.copies === 0 ? 'copy' : draw();
    keepLog(`--- ${event}\n`);
    switch (event) {
      case 'copy':
        events.copies += 1;
        directories.takeCopy();
        break;
      case 'rollback':
        events.rollbacks += 1;
        keepRemoved(directories.rollBack());
        break;
      case 'second': {
        if (second) break;
        events.secondWallets += 1;
        lives += 1;
        const launchOptions = { environment, aheadMs: faults.aheadMs(), ...HURRIED };
        const endsAtLife = lives + 2 + Math.floor(random() * 4);
        second = { ...startSecondWallet(directories.split(), lives, launchOptions, clients), endsAtLife };
        break;
      }
      case 'expiry':
        clients.add(await issueExpiring(mint, (await faults.rotateToExpiring()).id, random));
        break;
      case 'jump':
        await faults.jump(JUMPS_MS[Math.floor(random() * JUMPS_MS.length)] ?? MINUTE_MS);
        break;
      case 'rate-limit':
        await faults.limitRate();
        break;
      case 'lag':
        await faults.lag();
        break;
      case 'release':
        await faults.stall();
        return { releases: true };
      case 'rescan':
        events.rescans += 1;
        return { rescans: true };
      case 'nothing':
        break;
    }
    return {};
  };

  const prepareFaults = async ({ step }: Plan) => {
    if (step === 'states-known' || step === 'outputs-restored') await faults.loseSwaps(3);
    if (step === 'operation-replanned') await faults.rotate();
  };

  /** Runs a server to its end. Returns what killed it; undefined if it ended on its own. */
  const live = async (plan: Plan): Promise<string | undefined> => {
    const { step, occurrence, afterMs, startsFirst, isGentle, manners } = plan;
    const { server, ...life } = startNext({
      ...HURRIED,
      ...(step && !isGentle ? { killAt: { step, occurrence } } : {}),
    });
    let isOurs = false;
    let end: NodeJS.Timeout | undefined;
    const endAfter = (ms: number) => {
      clearTimeout(end);
      end = setTimeout(() => {
        isOurs = true;
        void (isGentle ? server.stop() : server.kill());
      }, ms);
    };
    endAfter(startsFirst ? LONGEST_START_MS : afterMs);
    const visited = server.listening.then(
      async (address) => {
        if (startsFirst) endAfter(afterMs);
        // Only a server that knows the old keyset notices a rotation midway.
        const prepared = sleep(step === 'operation-replanned' ? 900 : 0).then(() => prepareFaults(plan));
        prepared.catch(() => undefined);
        const badFirst = step === 'operation-failed';
        await clients.visit({ address, ...life, isThere: server.isRunning }, { ...manners, badFirst });
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
    let pace = 1;
    let isOver = false;
    const running = faults.run(() => !isOver);
    // A failure is reported where it is awaited. Until then it must not be an unhandled rejection.
    running.catch(() => undefined);
    const goesOn = () => {
      const namedSteps = Object.keys(killsBy).filter((by) => by !== 'random').length;
      const happened = { ...faults.counts(), ...events };
      const wanted = [...WANTED.map((name) => happened[name]), clients.released.length, killsBy.random ?? 0];
      const sawEnough = namedSteps >= NAMED_STEPS && wanted.every((count) => count > 0);
      if (isShort) return killed < kills;
      return killed < (sawEnough ? kills : kills * MOST_KILLS_FACTOR);
    };
    for (let turn = 0; goesOn() && problems.length < MOST_PROBLEMS; turn++) {
      const manners = await meet();
      const isStep = turn % 2 === 0 && !manners.releases && !manners.rescans;
      const step = isStep ? STEPS[(turn / 2) % STEPS.length] : undefined;
      const isLong = isStep || manners.releases || manners.rescans;
      const plan: Plan = {
        ...(step === undefined ? {} : { step }),
        occurrence: step && SELDOM.includes(step) ? 1 : 1 + Math.floor(random() * 3),
        // Only an operation that has waited for a while can be released.
        afterMs: pace * (manners.releases ? LIFE_MS : isLong ? lifeMs : random() * lifeMs * RANDOM_LIFE),
        startsFirst: isLong === true || random() < 0.7,
        isGentle: turn % GENTLE_EVERY === GENTLE_EVERY - 1,
        manners,
      };
      // The mint may die during this call, which then leaves it as it was.
      await faults.setMild(isLong === true).catch(() => undefined);
      const releasedBefore = clients.released.length;
      const by = await live(plan);
      // On a busy machine a life is over before it reaches anything.
      const isTooShort = manners.releases
        ? clients.released.length === releasedBefore
        : step !== undefined && by === 'random';
      if (isTooShort) pace = Math.min(pace * LONGER, LONGEST_LIFE_FACTOR);
      else if (by === step) pace = Math.max(pace / LONGER, 1);
      if (killed >= kills) {
        const more = await issueTokens(mint, TOKENS_A_KILL, random).catch(() => []);
        clients.add(more);
      }
      showProblems();
      if (by === undefined) continue;
      killed += 1;
      killsBy[by] = (killsBy[by] ?? 0) + 1;
      if (killed % PROGRESS_EVERY === 0) {
        const rate = (killed / seconds()).toFixed(2);
        const { rollbacks, secondWallets } = events;
        progress(
          `${killed} kills, ${rate} a second; ${rollbacks} rollbacks, ${secondWallets} second wallets, ${problems.length} problems`,
        );
      }
    }
    isOver = true;
    await running;
    return killed;
  };

  try {
    const killed = await killOften();
    await faults.clear();
    await endSecond();
    const settlement = await settleAndAddUp({
      mint,
      main,
      given,
      removed,
      clients,
      clocks: faults,
      progress,
      async start(launchOptions) {
        const { server, ...life } = startNext(launchOptions);
        const visit = { address: await server.listening, ...life, isThere: server.isRunning };
        const stop = async () => {
          await server.stop();
          keepLog(server.stderr());
        };
        return { visit, stop };
      },
    });
    await checkHeld();

    const secrets = new Set(given.flatMap(({ text }) => secretsOfToken(text)));
    for (const secret of secretsOfWallet(walletOf(main))) secrets.add(secret);
    for (const place of findSecrets(readFileSync(logPath, 'utf8'), secrets))
      problems.push(`a secret in a log: ${place}`);

    return {
      seed,
      kills: killed,
      killsBy,
      ...faults.counts(),
      ...events,
      releases: clients.released.length,
      ...settlement,
      answers: Object.fromEntries([...promises.answers].sort()),
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
    await second?.end(false);
    await mint.close();
  }
};
