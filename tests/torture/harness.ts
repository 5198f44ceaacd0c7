import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Step } from '../../src/server/wallet/operations/decide.ts';
import { bundleServer } from '../support/bundle.ts';
import { seededRandom } from '../support/mint/faults.ts';
import { startTestMintProcess } from '../support/mint/test-mint-process.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { spawnWaiting, type WalletProcessOptions, walletEnvironment } from '../support/wallet-process.ts';
import { createClients } from './clients.ts';
import { createDirectories, walletOf } from './directories.ts';
import { createEvents, type LifeManners } from './events.ts';
import { createFaultSchedule } from './fault-schedule.ts';
import { readWallet, type WalletContent } from './leftovers.ts';
import { createPrepaidCustomers, issueDeposits } from './prepaid.ts';
import type { TortureOptions, TortureReport } from './report.ts';
import { startSecondMint } from './second-mint.ts';
import { findSecrets, secretsOfToken, secretsOfWallet } from './secrets.ts';
import { settleAndAddUp } from './settlement.ts';
import { issueTokens } from './tokens.ts';

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
/** As long as a mint may need that somebody has to start again. */
const LONGEST_PENDING_SECONDS = 300;
/** The longest life that ends at any moment, as a part of that. */
const RANDOM_LIFE = 0.47;
/** One life in this many ends as a person would end it. */
const GENTLE_EVERY = 25;
const TOKENS_A_KILL = 4;
const DEPOSITS_A_KILL = 2;
/** Of the second mint, for each life that uses it. */
const SECOND_TOKENS_A_KILL = 0.5;
const FEWEST_SECOND_TOKENS = 20;
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
  decisionTimes: { confirmAfterMs: 1500, confirmSilentAfterMs: 1500 },
  hurry: { longerThanMs: 5_000, atMostMs: 400 },
};

/** What a run that isn't short must have seen, besides kills. */
const WANTED = [
  'copies',
  'rollbacks',
  'secondWallets',
  'rotations',
  'expiringKeysets',
  'timeJumps',
  'rateLimits',
  'lags',
  'leftPending',
  'liedAbout',
  'rescans',
  'secondMints',
  'wrongClocks',
  'repeats',
] as const;

interface Plan {
  step?: Step;
  occurrence: number;
  afterMs: number;
  /** Its time begins when it listens. Others may be killed while they start. */
  startsFirst: boolean;
  isGentle: boolean;
  manners: LifeManners;
}

/** Kills the server `kills` times under load while everything else fails too, and adds up at the end. */
export const torture = async ({
  kills,
  isShort = false,
  seed,
  directory,
  lifeMs = LIFE_MS,
  pendingSeconds = LONGEST_PENDING_SECONDS,
  onProgress = () => undefined,
}: TortureOptions): Promise<TortureReport> => {
  await bundleServer();
  const startedAt = performance.now();
  const random = seededRandom(seed);
  const mint = await startTestMintProcess({
    directory: join(directory, 'mint'),
    randomSeed: seed,
    keysets: [
      { version: 1, inputFeePpk: 250 },
      { version: 2, inputFeePpk: 100 },
    ],
  });
  const given = await issueTokens(mint, kills * TOKENS_A_KILL, seededRandom(seed + 1));
  const deposits = await issueDeposits(mint, kills * DEPOSITS_A_KILL, seededRandom(seed + 6));
  const secondTokens = Math.max(FEWEST_SECOND_TOKENS, Math.ceil(kills * SECOND_TOKENS_A_KILL));
  const secondMint = await startSecondMint(mint, join(directory, 'second-mint'), secondTokens, {
    tokens: seededRandom(seed + 7),
    clients: seededRandom(seed + 8),
    random: seededRandom(seed + 9),
  });
  const newContent = (): WalletContent => ({ tokens: [], sendOutputs: [], randomOutputs: [], held: [] });
  /** Content that only removed data held, by mint. */
  const removed = new Map([mint, secondMint.mint].map(({ url }) => [url, newContent()]));
  const directories = createDirectories(directory, seededRandom(seed + 5), (wallet) => {
    for (const [url, content] of removed) {
      const { tokens, sendOutputs, randomOutputs, held } = readWallet(wallet, url);
      content.tokens.push(...tokens);
      content.sendOutputs.push(...sendOutputs);
      content.randomOutputs.push(...randomOutputs);
      const before = new Set(content.held.map(({ y }) => y));
      content.held.push(...held.filter(({ y }) => !before.has(y)));
    }
  });
  const { main } = directories;

  const faults = createFaultSchedule(mint, seededRandom(seed + 2), pendingSeconds);
  const clients = createClients(mint, given, seededRandom(seed + 3));
  const { promises } = clients;
  const problems = promises.problems;
  const prepaid = createPrepaidCustomers(mint, deposits, problems, seededRandom(seed + 10));
  const releases = () => promises.answers.get('release 200') ?? 0;
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
  /** Starts the count of another life. */
  const beginLife = () => {
    lives += 1;
    return lives;
  };

  const startNext = (launchOptions: Partial<WalletProcessOptions>, wrongByMs = 0) => {
    const aheadMs = faults.aheadMs() + wrongByMs;
    const server = waiting.start({ environment, aheadMs, ...launchOptions });
    waiting = spawnWaiting(main.path);
    current = server;
    const life = beginLife();
    main.lives.add(life);
    keepLog(`--- life ${life}\n`);
    return { server, life, lives: new Set(main.lives) };
  };

  const events = createEvents({
    mint,
    secondMint,
    directories,
    faults,
    clients,
    draws: { event: seededRandom(seed + 4), random },
    isShort,
    keepLog,
    beginLife,
    secondLaunch: () => ({ environment, aheadMs: faults.aheadMs(), ...HURRIED }),
  });

  const prepareFaults = async ({ step }: Plan) => {
    if (step === 'states-known' || step === 'outputs-restored') await faults.loseSwaps(3);
    if (step === 'operation-replanned') await faults.rotate();
  };

  /** Runs a server to its end. Returns what killed it; undefined if it ended on its own. */
  const live = async (plan: Plan): Promise<string | undefined> => {
    const { step, occurrence, afterMs, startsFirst, isGentle, manners } = plan;
    const { isElsewhere = false, wrongByMs } = manners;
    const { server, ...life } = startNext(
      {
        ...HURRIED,
        ...(isElsewhere ? { environment: walletEnvironment(secondMint.mint.url) } : {}),
        ...(step && !isGentle ? { killAt: { step, occurrence } } : {}),
      },
      wrongByMs,
    );
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
        const visit = { address, ...life, isThere: server.isRunning };
        await Promise.all([
          isElsewhere ? secondMint.visit(visit) : clients.visit(visit, { ...manners, badFirst }),
          prepaid.visit(visit, isElsewhere),
        ]);
      },
      () => undefined,
    );
    const signal = await server.exited;
    clearTimeout(end);
    await visited;
    keepLog(server.stderr());
    events.audit();
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
    const goesOn = async () => {
      if (killed < kills) return true;
      if (isShort) return false;
      // The mint may be away.
      const troubled = await mint.troubled().catch(() => ({ leftPending: 0, liedAbout: 0 }));
      const namedSteps = Object.keys(killsBy).filter((by) => by !== 'random').length;
      const happened = { ...faults.counts(), ...events.counts, ...troubled };
      const wanted = WANTED.map((name) => happened[name]);
      wanted.push(happened.losses, releases(), killsBy.random ?? 0);
      const sawEnough = namedSteps >= NAMED_STEPS && wanted.every((count) => count > 0);
      return !sawEnough && killed < kills * MOST_KILLS_FACTOR;
    };
    for (let turn = 0; problems.length < MOST_PROBLEMS && (await goesOn()); turn++) {
      const manners = await events.meet(lives);
      const { releases: isReleasing = false, isElsewhere = false } = manners;
      const isStep = turn % 2 === 0 && !isReleasing && !manners.rescans && !isElsewhere;
      const step = isStep ? STEPS[(turn / 2) % STEPS.length] : undefined;
      const isLong = isStep || isReleasing || manners.rescans || isElsewhere || manners.isLong;
      const plan: Plan = {
        ...(step === undefined ? {} : { step }),
        occurrence: step && SELDOM.includes(step) ? 1 : 1 + Math.floor(random() * 3),
        // Only an operation that has waited for a while can be released.
        afterMs: pace * (isReleasing ? LIFE_MS : isLong ? lifeMs : random() * lifeMs * RANDOM_LIFE),
        startsFirst: isLong === true || random() < 0.7,
        isGentle: turn % GENTLE_EVERY === GENTLE_EVERY - 1,
        manners,
      };
      // The mint may die during this call, which then leaves it as it was.
      await faults.setMild(isLong === true).catch(() => undefined);
      const releasedBefore = releases();
      const by = await live(plan);
      // On a busy machine a life is over before it reaches anything.
      const isTooShort =
        isReleasing && !isElsewhere ? releases() === releasedBefore : step !== undefined && by === 'random';
      if (isTooShort) pace = Math.min(pace * LONGER, LONGEST_LIFE_FACTOR);
      else if (by === step) pace = Math.max(pace / LONGER, 1);
      if (killed >= kills) {
        const more = () => issueTokens(mint, TOKENS_A_KILL, random, given.length).catch(() => []);
        clients.add(await faults.whileAlive(more));
      }
      showProblems();
      if (by === undefined) continue;
      killed += 1;
      killsBy[by] = (killsBy[by] ?? 0) + 1;
      if (killed % PROGRESS_EVERY === 0) {
        const rate = (killed / seconds()).toFixed(2);
        const { rollbacks, secondWallets } = events.counts;
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
    await events.endSecond();
    const settlement = await settleAndAddUp({
      mint,
      main,
      given,
      removed: removed.get(mint.url) ?? newContent(),
      removedOfSecond: removed.get(secondMint.mint.url) ?? newContent(),
      clients,
      prepaid,
      secondMint,
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
    await events.checkHeld();

    const texts = [...given, ...secondMint.given].map(({ text }) => text);
    const secrets = new Set([...texts, ...prepaid.tokens()].flatMap(secretsOfToken));
    for (const secret of [...prepaid.keys(), ...secretsOfWallet(walletOf(main))]) secrets.add(secret);
    for (const place of findSecrets(readFileSync(logPath, 'utf8'), secrets))
      problems.push(`a secret in a log: ${place}`);

    return {
      seed,
      kills: killed,
      killsBy,
      ...faults.counts(),
      ...events.counts,
      releases: releases(),
      ...(await mint.troubled()),
      ...settlement,
      answers: Object.fromEntries(
        [
          ...promises.answers,
          ...prepaid.answers,
          ...[...secondMint.clients.promises.answers].map(
            ([name, count]) => [`second ${name}`, count] as const,
          ),
        ].sort(),
      ),
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
    await events.discard();
    await secondMint.close();
    await mint.close();
  }
};
