import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { saveAnswers } from './answers.ts';
import type { Section } from './figures.ts';
import { fillWallet } from './fill-wallet.ts';
import { makeRoot } from './make-roots.ts';
import { measureCashuWork } from './measure-cashu.ts';
import { measureRedeem } from './measure-receive.ts';
import { measureRestore } from './measure-restore.ts';
import { measureStore, measureStoreStart, type WalletServer } from './measure-store.ts';
import { type Case, measureThroughput } from './measure-throughput.ts';
import type { Plan } from './plan.ts';
import { type Run, start } from './processes.ts';
import { type ServerKinds, settle, startServer } from './servers.ts';
import { type BenchMint, startBenchMint } from './wallet-mint.ts';
import type { Workspace } from './workspace.ts';

const BALANCE = '/api/wallet/balance';
const BALANCE_CASE: Case = { id: 'balance', name: 'balance', paths: [BALANCE], isTarget: true };
/** As many as a page of the history holds when nobody asks for another number. */
const PAGE = 50;
/** 10,000 open charges for the 100,000 operations of a full wallet. */
const OPERATIONS_A_CHARGE = 10;

/** A server of ours on a wallet of its own, as a run. */
interface WalletRun {
  directory: string;
  run: Run;
}

const startOn = async ({ directory, run }: WalletRun, probe: string): Promise<WalletServer> => {
  const server = await startServer(run, probe);
  const operatorToken = readFileSync(join(directory, 'operator-token'), 'utf8').trim();
  return { server, operatorToken };
};

const measureWithMint = async (
  mint: BenchMint,
  workspace: Workspace,
  kinds: ServerKinds,
  plan: Plan,
  tell: (line: string) => void,
): Promise<Section[]> => {
  const probe = workspace.plainModule('loop-probe');
  const rootPath = workspace.path('wallet-root');
  makeRoot(rootPath, 1, 1);
  const walletRun = (name: string): WalletRun => {
    const directory = workspace.path(name);
    return { directory, run: kinds.ours(rootPath, { directory, mintUrl: mint.url }) };
  };
  const fill = async (on: WalletRun, count: number) => {
    tell(`filling a wallet with ${count.toLocaleString('en')} operations and proofs`);
    // A server makes the database and the seed.
    await (await startOn(on, probe)).server.end();
    const openCharges = count / OPERATIONS_A_CHARGE;
    await fillWallet(on.directory, {
      operations: count,
      openCharges,
      proofs: count,
      keysetId: mint.keysetId,
    });
  };

  const { server: ours } = await startOn(walletRun('wallet-ours'), probe);
  await settle(ours);
  const cashu = start({
    module: workspace.plainModule('bare-cashu'),
    args: [mint.url],
    cwd: workspace.path('data'),
  });
  const sections = [await measureCashuWork({ ours, cashu, mint }, plan, tell)];
  let restores = 0;
  const startOurs = () => startOn(walletRun(`wallet-restore-${++restores}`), probe);
  sections.push(await measureRestore({ startOurs, cashu, mint }, plan, tell));
  await cashu.end();

  const answersFile = await saveAnswers(ours.url, [BALANCE], workspace.path('answers-balance.json'));
  const contenders = {
    ours,
    express: await startServer(kinds.express(answersFile, 'json'), probe),
    expressEnd: await startServer(kinds.express(answersFile, 'end'), probe),
    http: await startServer(kinds.http(answersFile), probe),
  };
  const balancePlan = { ...plan, throughput: { ...plan.throughput, rounds: plan.wallet.balanceRounds } };
  sections.push(await measureThroughput(contenders, [BALANCE_CASE], balancePlan, tell));
  const { express, expressEnd, http } = contenders;
  await Promise.all([express.end(), expressEnd.end(), http.end()]);

  const sampler = { module: workspace.plainModule('health-sampler'), cwd: workspace.path('data') };
  sections.push(await measureRedeem(ours, mint, sampler, plan, tell));
  await ours.end();

  const runs = {
    full: walletRun('wallet-full'),
    page: walletRun('wallet-page'),
    empty: walletRun('wallet-empty'),
  };
  await fill(runs.full, plan.wallet.stored);
  await fill(runs.page, PAGE);
  const stores = {
    full: await startOn(runs.full, probe),
    page: await startOn(runs.page, probe),
    empty: await startOn(runs.empty, probe),
  };
  await Promise.all(Object.values(stores).map(({ server }) => settle(server)));
  const store = await measureStore(stores, mint, plan, tell);
  for (const { server } of Object.values(stores)) await server.end();
  const startFigure = await measureStoreStart(runs.full.run, runs.empty.run, plan, tell);
  sections.push({ ...store, figures: [...store.figures, startFigure] });
  return sections;
};

/** The figures of the wallet, all at one test mint. */
export const benchWallet = async (
  workspace: Workspace,
  kinds: ServerKinds,
  plan: Plan,
  tell: (line: string) => void,
): Promise<Section[]> => {
  tell('starting the test mint');
  const mint = await startBenchMint(workspace.path('mint'));
  try {
    return await measureWithMint(mint, workspace, kinds, plan, tell);
  } finally {
    await mint.close();
  }
};
