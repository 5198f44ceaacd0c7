import type { CashuJob, CashuUse, WalletWork } from './bare-cashu.ts';
import type { Figure, Section } from './figures.ts';
import type { Plan } from './plan.ts';
import type { Child } from './processes.ts';
import { measureInTurn, type Pair } from './rounds.ts';
import type { Server } from './servers.ts';
import { spreadOf } from './statistics.ts';
import { postTokens } from './wallet-load.ts';
import type { BenchMint } from './wallet-mint.ts';

/** Our server, and cashu-ts alone in a process, at the same mint. */
export interface WalletContenders {
  ours: Server;
  cashu: Child;
  mint: BenchMint;
}

interface WalletCase {
  id: string;
  name: string;
  work: WalletWork;
  withDleq: boolean;
  /** Proofs of each token; 3 to 5 when absent. */
  proofs?: number;
  /** Ours has validated the token before. */
  repeated?: boolean;
  concurrency: number;
  target?: NonNullable<Figure['target']> | undefined;
}

interface Measured {
  perSecond: number;
  /** Processor time a token: all threads, and our main thread. */
  cpuMs: number;
  mainCpuMs?: number;
  elapsedMs: number;
  /** The mint had a core so long meanwhile. */
  mintCpuMs: number;
}

const CONCURRENCIES = [1, 4];
const RECEIVE_TARGET = { at: 'least', value: 0.8 } as const;
const VALIDATE_TARGET = { at: 'least', value: 0.9 } as const;

const receiveCases = CONCURRENCIES.flatMap((concurrency) =>
  [false, true].map((withDleq): WalletCase => {
    const dleq = withDleq ? 'with' : 'without';
    return {
      id: `receive.${dleq}-dleq.c${concurrency}`,
      name: `receive, ${dleq} DLEQ, ${concurrency} at a time`,
      work: 'receive',
      withDleq,
      concurrency,
      target: RECEIVE_TARGET,
    };
  }),
);

/** Charge, pay and settle: two swaps of ours, and the same two without a store. */
const sellCases = CONCURRENCIES.map(
  (concurrency): WalletCase => ({
    id: `sell.c${concurrency}`,
    name: `charge, pay and settle with change, ${concurrency} at a time`,
    work: 'sell',
    withDleq: false,
    concurrency,
    target: RECEIVE_TARGET,
  }),
);

const validateCases = CONCURRENCIES.flatMap((concurrency): WalletCase[] => {
  const common = { work: 'validate', concurrency } as const;
  const atATime = `${concurrency} at a time`;
  return [
    {
      ...common,
      id: `validate.without-dleq.c${concurrency}`,
      name: `validate, without DLEQ, ${atATime}`,
      withDleq: false,
      target: VALIDATE_TARGET,
    },
    {
      ...common,
      id: `validate.with-dleq.c${concurrency}`,
      name: `validate, with DLEQ, ${atATime}`,
      withDleq: true,
    },
    {
      ...common,
      id: `validate.repeated.c${concurrency}`,
      name: `validate again, with DLEQ, ${atATime}`,
      withDleq: true,
      repeated: true,
    },
  ];
});

/** Tokens of an agent that saved up: many proofs, where checking them is most of the work. */
const largeCases = (proofs: number): WalletCase[] => [
  {
    id: `receive.${proofs}-proofs.with-dleq`,
    name: `receive ${proofs} proofs, with DLEQ`,
    work: 'receive',
    withDleq: true,
    proofs,
    concurrency: 1,
    target: { at: 'least', value: 1.5 },
  },
  {
    id: `validate.${proofs}-proofs.with-dleq`,
    name: `validate ${proofs} proofs, with DLEQ`,
    work: 'validate',
    withDleq: true,
    proofs,
    concurrency: 1,
    target: { at: 'least', value: 5 },
  },
  {
    id: `validate.${proofs}-proofs.without-dleq`,
    name: `validate ${proofs} proofs, without DLEQ`,
    work: 'validate',
    withDleq: false,
    proofs,
    concurrency: 1,
    target: { at: 'least', value: 0.95 },
  },
];

const measureOurs = async (
  { ours, mint }: WalletContenders,
  { work, concurrency }: WalletCase,
  tokens: readonly string[],
): Promise<Measured> => {
  const mintBefore = mint.cpuMs() ?? Number.NaN;
  const { result: elapsedMs, loop } = await ours.during(() =>
    postTokens(ours.url, work, tokens, concurrency),
  );
  return {
    perSecond: (tokens.length * 1000) / elapsedMs,
    cpuMs: loop.processCpuMs / tokens.length,
    mainCpuMs: loop.cpuMs / tokens.length,
    elapsedMs,
    mintCpuMs: (mint.cpuMs() ?? Number.NaN) - mintBefore,
  };
};

const measureCashu = async (
  { cashu, mint }: WalletContenders,
  { work, concurrency }: WalletCase,
  tokens: string[],
): Promise<Measured> => {
  const mintBefore = mint.cpuMs() ?? Number.NaN;
  const job: CashuJob = { work, tokens, concurrency };
  const { elapsedMs, cpuMs } = (await cashu.ask({ ...job })) as CashuUse;
  return {
    perSecond: (tokens.length * 1000) / elapsedMs,
    cpuMs: cpuMs / tokens.length,
    elapsedMs,
    mintCpuMs: (mint.cpuMs() ?? Number.NaN) - mintBefore,
  };
};

const total = (rounds: readonly Measured[], what: 'elapsedMs' | 'mintCpuMs') =>
  rounds.reduce((sum, round) => sum + round[what], 0);

/** Its time is told in steps of 10 ms for each round. */
const SHORTEST_SHARE_MS = 400;

/** How much of one core the mint had: near 1 it is the mint that is measured. */
const mintShareOf = (rounds: readonly Measured[]) => {
  const elapsedMs = total(rounds, 'elapsedMs');
  return elapsedMs < SHORTEST_SHARE_MS ? Number.NaN : total(rounds, 'mintCpuMs') / elapsedMs;
};

const percent = (share: number) => (Number.isNaN(share) ? '?' : `${(share * 100).toFixed(0)}%`);

const toFigure = ({ id, name, target }: WalletCase, pairs: readonly Pair<Measured>[]): Figure => {
  const ours = pairs.map((pair) => pair.ours);
  const cashu = pairs.map((pair) => pair.baseline);
  const medianOf = (rounds: readonly Measured[], what: 'perSecond' | 'cpuMs') =>
    spreadOf(rounds.map((round) => round[what])).median;
  const mainCpuMs = spreadOf(ours.map((round) => round.mainCpuMs ?? Number.NaN)).median;
  const cpu = `${medianOf(ours, 'cpuMs').toFixed(1)} : ${medianOf(cashu, 'cpuMs').toFixed(1)}`;
  return {
    id: `wallet.${id}`,
    name,
    unit: 'per second',
    ours: medianOf(ours, 'perSecond'),
    baseline: medianOf(cashu, 'perSecond'),
    result: {
      kind: 'ratio',
      spread: spreadOf(pairs.map((pair) => pair.ours.perSecond / pair.baseline.perSecond)),
    },
    target,
    note: `CPU ${cpu} ms a token, main thread ${mainCpuMs.toFixed(1)} ms; mint ${percent(mintShareOf(ours))} : ${percent(mintShareOf(cashu))} of a core`,
    details: {
      ours,
      cashu,
      mintCoreShare: { ours: mintShareOf(ours), cashu: mintShareOf(cashu) },
    },
  };
};

const amountOf = ({ work, target, proofs, withDleq }: WalletCase, { wallet }: Plan) => {
  if (proofs !== undefined) return withDleq ? wallet.larges : wallet.largesWithoutDleq;
  if (!target) return wallet.information;
  return work === 'validate' ? wallet.validates : wallet.receives;
};

const measureCase = async (contenders: WalletContenders, one: WalletCase, plan: Plan): Promise<Figure> => {
  const { ours, mint } = contenders;
  const { rounds, tokens: count } = amountOf(one, plan);
  const fresh = () => mint.tokens(count, one.withDleq, one.proofs);
  const measureFresh = async () => {
    const tokens = await fresh();
    if (one.repeated) await postTokens(ours.url, 'validate', tokens, one.concurrency);
    return measureOurs(contenders, one, tokens);
  };
  const pairs = await measureInTurn(rounds, measureFresh, async () =>
    measureCashu(contenders, one, await fresh()),
  );
  return toFigure(one, pairs);
};

const WARM_TOKENS = 12;

/** Receives and validates per second beside cashu-ts without a store: fresh tokens each time, at the same mint. */
export const measureCashuWork = async (
  contenders: WalletContenders,
  plan: Plan,
  tell: (line: string) => void,
): Promise<Section> => {
  const { ours, cashu, mint } = contenders;
  for (const work of ['validate', 'receive', 'sell'] as const) {
    await postTokens(ours.url, work, await mint.tokens(WARM_TOKENS, true), 1);
    const job: CashuJob = { work, tokens: await mint.tokens(WARM_TOKENS, true), concurrency: 1 };
    await cashu.ask({ ...job });
  }
  const figures: Figure[] = [];
  for (const one of [
    ...receiveCases,
    ...sellCases,
    ...validateCases,
    ...largeCases(plan.wallet.largeProofs),
  ]) {
    tell(`wallet: ${one.name}`);
    figures.push(await measureCase(contenders, one, plan));
  }
  return {
    title: `Tokens per second, 100 sat in 3 to 5 proofs or as named, fresh ones each time; beside: cashu-ts without a store; result: median of each round's ours / cashu-ts`,
    figures,
  };
};
