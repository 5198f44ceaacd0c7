// `npm run bench`: how fast our routes are beside bare Express and node:http, and our wallet beside bare cashu-ts, in one run
// on this machine. With `--peer COMMAND`: our routes beside another server of the same routes. Timings are printed with their
// targets and are never a reason to fail: who reads them knows what else the machine did.
import { writeFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { build } from '../../scripts/build.ts';
import { benchChanges } from './bench-changes.ts';
import { benchChecks } from './bench-checks.ts';
import { benchDesktop } from './bench-desktop.ts';
import { benchMatrix } from './bench-matrix.ts';
import { benchPeer } from './bench-peer.ts';
import { benchPricing } from './bench-pricing.ts';
import { benchRoutes } from './bench-routes.ts';
import { benchSell } from './bench-sell.ts';
import { benchSessions } from './bench-sessions.ts';
import { benchWallet } from './bench-wallet.ts';
import type { Section } from './figures.ts';
import { lookAtMachine } from './machine.ts';
import { type Part, type Plan, readOptions } from './plan.ts';
import { endAllNow } from './processes.ts';
import { type Report, toJson, toTable } from './report.ts';
import { createServerKinds } from './servers.ts';
import { makeWorkspace, type Workspace } from './workspace.ts';

// Standard output is for the report alone, so that it can be kept.
const tell = (line: string) => process.stderr.write(`… ${line}\n`);

const PART_BENCHES = {
  routes: benchRoutes,
  wallet: benchWallet,
  sell: benchSell,
  pricing: benchPricing,
  sessions: benchSessions,
  checks: benchChecks,
  matrix: benchMatrix,
  changes: benchChanges,
  desktop: benchDesktop,
  peer: benchPeer,
};

const measureAll = async (workspace: Workspace, plan: Plan, parts: readonly Part[]): Promise<Section[]> => {
  tell('building');
  if (!build()) throw new Error('the build failed');
  const kinds = createServerKinds(workspace);
  const sections: Section[] = [];
  for (const part of parts) sections.push(...(await PART_BENCHES[part](workspace, kinds, plan, tell)));
  return sections;
};

const run = async () => {
  const { plan, parts, jsonFile } = readOptions(process.argv.slice(2));
  const workspace = makeWorkspace();
  const cleanUp = () => {
    endAllNow();
    workspace.remove();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      cleanUp();
      process.exit(130);
    });
  }
  const begunMs = performance.now();
  const machine = lookAtMachine();
  try {
    const sections = await measureAll(workspace, plan, parts);
    const report: Report = {
      machine,
      loadAverageAtEnd: lookAtMachine().loadAverage,
      plan,
      seconds: (performance.now() - begunMs) / 1000,
      sections,
    };
    console.log(toTable(report));
    if (jsonFile) writeFileSync(jsonFile, toJson(report));
  } finally {
    cleanUp();
  }
};

run().catch((error: unknown) => {
  process.stderr.write(`The bench could not finish: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
});
