import { Agent } from 'node:http';
import { performance } from 'node:perf_hooks';
import { generateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { mnemonicSeed } from '../../src/server/wallet/mint/cashu-mint.ts';
import type { CashuUse, RestoreJob } from './bare-cashu.ts';
import type { Section } from './figures.ts';
import type { WalletServer } from './measure-store.ts';
import type { Plan } from './plan.ts';
import type { Child } from './processes.ts';
import { measureInTurn } from './rounds.ts';
import { spreadOf } from './statistics.ts';
import { post } from './wallet-load.ts';
import type { BenchMint } from './wallet-mint.ts';

/** Our server on an empty wallet, new for each round, and cashu-ts alone in a process, at the same mint. */
export interface RestoreContenders {
  startOurs(): Promise<WalletServer>;
  cashu: Child;
  mint: BenchMint;
}

const RESTORE = '/api/wallet/restore';

const restoreOurs = async ({ server, operatorToken }: WalletServer, mnemonic: string, proofs: number) => {
  const agent = new Agent();
  const begunMs = performance.now();
  const { result, loop } = await server.during(() =>
    post(agent, `${server.url}${RESTORE}`, { mnemonic }, operatorToken),
  );
  const elapsedMs = performance.now() - begunMs;
  agent.destroy();
  if (result.status !== 200 || JSON.parse(result.text).proofs !== proofs) {
    throw new Error(`restore answered ${result.status}: ${result.text}`);
  }
  return { elapsedMs, cpuMs: loop.processCpuMs };
};

/** Proofs per second that are restored from backup words, beside cashu-ts's `batchRestore`, which checks no states and stores nothing. */
export const measureRestore = async (
  { startOurs, cashu, mint }: RestoreContenders,
  plan: Plan,
  tell: (line: string) => void,
): Promise<Section> => {
  const { rounds, proofs } = plan.wallet.restores;
  const name = `restore of ${proofs.toLocaleString('en')} proofs`;
  tell(`wallet: ${name}`);
  const mnemonic = generateMnemonic(wordlist);
  await mint.signCounters(mnemonic, proofs);
  const seed = Buffer.from(await mnemonicSeed(mnemonic)).toString('hex');

  const pairs = await measureInTurn(
    rounds,
    async () => {
      const ours = await startOurs();
      try {
        return await restoreOurs(ours, mnemonic, proofs);
      } finally {
        await ours.server.end();
      }
    },
    async () => (await cashu.ask({ work: 'restore', seed, proofs } satisfies RestoreJob)) as CashuUse,
  );
  const perSecond = ({ elapsedMs }: CashuUse) => (proofs * 1000) / elapsedMs;
  const ours = spreadOf(pairs.map((pair) => perSecond(pair.ours))).median;
  const baseline = spreadOf(pairs.map((pair) => perSecond(pair.baseline))).median;
  const cpuMs = (of: 'ours' | 'baseline') => spreadOf(pairs.map((pair) => pair[of].cpuMs / proofs)).median;
  return {
    title: `Proofs per second, restored into an empty wallet; beside: cashu-ts's batchRestore, which checks no states; result: ours / cashu-ts`,
    figures: [
      {
        id: `wallet.restore.${proofs}`,
        name,
        unit: 'per second',
        ours,
        baseline,
        result: {
          kind: 'ratio',
          spread: spreadOf(pairs.map((pair) => perSecond(pair.ours) / perSecond(pair.baseline))),
        },
        target: { at: 'least', value: 2 },
        note: `CPU ${cpuMs('ours').toFixed(1)} : ${cpuMs('baseline').toFixed(1)} ms a proof`,
        details: { pairs },
      },
    ],
  };
};
