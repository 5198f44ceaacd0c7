import { performance } from 'node:perf_hooks';
import type { Figure, Section } from './figures.ts';
import { type Sampler, sampleDuring } from './measure-latency.ts';
import type { Plan } from './plan.ts';
import type { Server } from './servers.ts';
import { percentile, spreadOf } from './statistics.ts';
import { postTokens } from './wallet-load.ts';
import type { BenchMint } from './wallet-mint.ts';

/** How long health takes to answer while a token of very many proofs is redeemed, from beginning to end. */
export const measureRedeem = async (
  server: Server,
  mint: BenchMint,
  sampler: Sampler,
  plan: Plan,
  tell: (line: string) => void,
): Promise<Section> => {
  const { hugeProofs, hugeWithDleq } = plan.wallet;
  const figures: Figure[] = [];
  for (const withDleq of hugeWithDleq ? [false, true] : [false]) {
    const name = `token of ${hugeProofs.toLocaleString('en')} proofs, ${withDleq ? 'with' : 'without'} DLEQ`;
    tell(`p99 of health: ${name}`);
    const token = await mint.hugeToken(hugeProofs, withDleq);
    const begunMs = performance.now();
    const { result: samples, loop } = await server.during(() =>
      sampleDuring(sampler, server.url, plan, () => postTokens(server.url, 'receive', [token], 1)),
    );
    const seconds = (performance.now() - begunMs) / 1000;
    const p50Ms = percentile(samples, 0.5);
    const maxMs = Math.max(...samples);
    figures.push({
      id: `redeem.${hugeProofs}.${withDleq ? 'with' : 'without'}-dleq`,
      name,
      unit: 'ms',
      ours: percentile(samples, 0.99),
      result: { kind: 'value', spread: spreadOf([percentile(samples, 0.99)]) },
      note: `p50 ${p50Ms.toFixed(1)} ms, longest ${maxMs.toFixed(0)} ms, loop late by ${loop.maxDelayMs.toFixed(0)} ms at most; took ${seconds.toFixed(1)} s`,
      details: { p50Ms, maxMs, samples: samples.length, loop, seconds },
    });
  }
  return {
    title: `p99 of GET /api/health, one request every ${plan.latency.everyMs} ms, while a large token is redeemed; result: ours`,
    figures,
  };
};
