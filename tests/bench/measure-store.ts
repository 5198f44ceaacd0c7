import type { Figure, Section } from './figures.ts';
import { putLoad } from './load.ts';
import { startOnce } from './measure-start.ts';
import type { Plan } from './plan.ts';
import type { Run } from './processes.ts';
import { measureInTurn, type Pair } from './rounds.ts';
import type { Server } from './servers.ts';
import { spreadOf } from './statistics.ts';
import { postTokens } from './wallet-load.ts';
import type { BenchMint } from './wallet-mint.ts';

/** A server on a wallet, and what shows that it is the operator who asks. */
export interface WalletServer {
  server: Server;
  operatorToken: string;
}

/** The same server on a wallet of very many operations, on one with a page of them, and on one that never had any. */
export interface Stores {
  full: WalletServer;
  page: WalletServer;
  empty: WalletServer;
}

interface Cost {
  /** A request, with all that is under way. */
  ms: number;
  /** Of our main thread. */
  mainCpuMs: number;
}

interface StoreCase {
  id: string;
  name: string;
  beside: 'page' | 'empty';
  measure(on: WalletServer): Promise<Cost>;
  isTarget: boolean;
}

const TARGET = { at: 'most', value: 1.5 } as const;
const BALANCE = '/api/wallet/balance';
const HISTORY = '/api/wallet/history';

const toFigure = ({ id, name, isTarget }: StoreCase, pairs: readonly Pair<Cost>[]): Figure => {
  const medianOf = (of: 'ours' | 'baseline', what: keyof Cost) =>
    spreadOf(pairs.map((pair) => pair[of][what])).median;
  const cpuMs = (of: 'ours' | 'baseline') => medianOf(of, 'mainCpuMs').toFixed(3);
  return {
    id: `store.${id}`,
    name,
    unit: 'ms',
    ours: medianOf('ours', 'ms'),
    baseline: medianOf('baseline', 'ms'),
    result: { kind: 'ratio', spread: spreadOf(pairs.map(({ ours, baseline }) => ours.ms / baseline.ms)) },
    target: isTarget ? TARGET : undefined,
    note: `main thread ${cpuMs('ours')} : ${cpuMs('baseline')} ms`,
    details: { full: pairs.map(({ ours }) => ours), beside: pairs.map(({ baseline }) => baseline) },
  };
};

/** What balance, history and receive cost with a full store, beside one that is empty. */
export const measureStore = async (
  stores: Stores,
  mint: BenchMint,
  plan: Plan,
  tell: (line: string) => void,
): Promise<Section> => {
  const { connections, wallet, warmSeconds } = plan;

  const ask = async (
    { server, operatorToken }: WalletServer,
    path: string,
    seconds = wallet.store.seconds,
  ) => {
    const headers = { authorization: `Bearer ${operatorToken}` };
    const { result, loop } = await server.during(() =>
      putLoad(server.url, { paths: [path], headers, connections, seconds }),
    );
    return { ms: 1000 / result.perSecond, mainCpuMs: loop.cpuMs / result.requests };
  };

  const receive = async ({ server }: WalletServer): Promise<Cost> => {
    const tokens = await mint.tokens(wallet.receives.tokens, false);
    const { result, loop } = await server.during(() => postTokens(server.url, 'receive', tokens, 1));
    return { ms: result / tokens.length, mainCpuMs: loop.cpuMs / tokens.length };
  };

  const cases: StoreCase[] = [
    { id: 'balance', name: 'balance', beside: 'empty', measure: (on) => ask(on, BALANCE), isTarget: true },
    {
      id: 'history.page',
      name: 'history, a page of 50 : a page of 50',
      beside: 'page',
      measure: (on) => ask(on, HISTORY),
      isTarget: true,
    },
    {
      id: 'history.empty',
      name: 'history, a page of 50 : no entry',
      beside: 'empty',
      measure: (on) => ask(on, HISTORY),
      isTarget: false,
    },
    // Last: after it no store is empty.
    { id: 'receive', name: 'receive, without DLEQ', beside: 'empty', measure: receive, isTarget: true },
  ];

  for (const path of [BALANCE, HISTORY]) {
    for (const store of Object.values(stores)) await ask(store, path, warmSeconds);
  }
  const figures: Figure[] = [];
  for (const one of cases) {
    tell(`full store: ${one.name}`);
    if (one.id === 'receive') {
      await receive(stores.full);
      await receive(stores.empty);
    }
    const { full, [one.beside]: other } = stores;
    const pairs = await measureInTurn(
      wallet.store.rounds,
      () => one.measure(full),
      () => one.measure(other),
    );
    figures.push(toFigure(one, pairs));
  }
  const stored = wallet.stored.toLocaleString('en');
  return {
    title: `Time per request with ${stored} operations and proofs and a tenth as many open charges in the store, ${wallet.store.rounds} rounds; beside: an empty one; result: median of each round's full / empty`,
    figures,
  };
};

/** Start to first answer with a full store, beside an empty one. */
export const measureStoreStart = async (
  full: Run,
  empty: Run,
  plan: Plan,
  tell: (line: string) => void,
): Promise<Figure> => {
  tell('full store: start to first answer');
  await startOnce(full);
  await startOnce(empty);
  const pairs = await measureInTurn(
    plan.wallet.starts,
    () => startOnce(full),
    () => startOnce(empty),
  );
  const ours = pairs.map((pair) => pair.ours);
  const baseline = pairs.map((pair) => pair.baseline);
  return {
    id: 'store.start',
    name: 'spawn to first 200 of health',
    unit: 'ms',
    ours: spreadOf(ours).median,
    baseline: spreadOf(baseline).median,
    result: { kind: 'ratio', spread: spreadOf(pairs.map((pair) => pair.ours / pair.baseline)) },
    details: { ours, baseline },
  };
};
