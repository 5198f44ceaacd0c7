import { createECDH, randomBytes } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { plant } from '../support/plant.ts';
import { AGENT_VARIABLES } from '../support/sold-agent.ts';
import { trustRoot } from '../support/trust.ts';
import type { Figure, Section } from './figures.ts';
import type { Plan } from './plan.ts';
import { residentMB } from './processes.ts';
import { type Server, type ServerKinds, settle, startServer } from './servers.ts';
import { spreadOf } from './statistics.ts';
import { type BenchMint, startBenchMint } from './wallet-mint.ts';
import type { Workspace } from './workspace.ts';

const AGENT = 'translator';
const PRICE_SATS = 20;
const RPC_AGENT = fileURLToPath(new URL('../support/rpc-agent.ts', import.meta.url));
/** As in the attack that once closed a shop: 50,000 in two minutes. */
const PRICES_A_SECOND = 420;
/** Strangers who ask at once. */
const STRANGERS = 8;
/** Prices that are asked for before memory is measured: V8 lets its heap grow at first, and dot-mi keeps the newest 2,000. */
const FIRST_PRICES = 25_000;
const BYTES_PER_MB = 1e6;
/** Connections with forged deposits at once, and how long they are at work before somebody buys. */
const FORGERS = 100;
const FORGING_MS = 5_000;
/** As many customers are served at once. */
const AT_ONCE = 2;
const TARGETS = { othersRatio: 2, diskMB: 1, memoryRatio: 1.2 };

const megabytesIn = (...directories: readonly string[]): number =>
  directories
    .flatMap((directory) =>
      readdirSync(directory, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => statSync(join(entry.parentPath, entry.name)).size),
    )
    .reduce((sum, bytes) => sum + bytes / BYTES_PER_MB, 0);

/** Asks for the prices of so many different requests, and pays for none. Returns how many were answered a second. */
const askPrices = async (
  url: string,
  count: number,
  perSecond = Number.POSITIVE_INFINITY,
): Promise<number> => {
  const begunMs = performance.now();
  let asked = 0;
  const stranger = async () => {
    while (asked < count) {
      const number = asked++;
      const dueMs = begunMs + (number / perSecond) * 1_000;
      if (dueMs > performance.now()) await sleep(dueMs - performance.now());
      const response = await fetch(url, { method: 'POST', body: `{"prompt":"Question ${number}"}` });
      await response.arrayBuffer();
      if (response.status !== 402) throw new Error(`a price request answered ${response.status}`);
    }
  };
  await Promise.all(Array.from({ length: STRANGERS }, stranger));
  return (count * 1_000) / (performance.now() - begunMs);
};

/** Buys with each token, `atOnce` at a time. Returns how long each purchase took, in ms. */
const buy = async (url: string, tokens: readonly string[], atOnce: number): Promise<number[]> => {
  const left = [...tokens];
  const times: number[] = [];
  const customer = async () => {
    for (let token = left.pop(); token !== undefined; token = left.pop()) {
      const begunMs = performance.now();
      const headers = { 'X-Cashu': token };
      const response = await fetch(url, { method: 'POST', headers, body: '{"prompt":"Good morning"}' });
      const text = await response.text();
      if (response.status !== 200) throw new Error(`a purchase answered ${response.status}: ${text}`);
      times.push(performance.now() - begunMs);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, customer));
  return times;
};

/** Makes up a token of two proofs, each with a signature that is a point of the curve and nobody's. */
const forgeToken = (mintUrl: string, keysetId: string): string => {
  const proofs = [64, 32].map((amount) => {
    const point = createECDH('secp256k1');
    point.generateKeys();
    const C = point.getPublicKey('hex', 'compressed');
    return { id: keysetId, amount, secret: randomBytes(32).toString('hex'), C };
  });
  const json = JSON.stringify({ token: [{ mint: mintUrl, proofs }], unit: 'sat' });
  return `cashuA${Buffer.from(json).toString('base64url')}`;
};

/** Deposits forged tokens by each connection until `isOver`. Returns how many were answered, by status. */
const depositForged = async (
  url: string,
  mint: BenchMint,
  isOver: () => boolean,
): Promise<Map<number, number>> => {
  const answers = new Map<number, number>();
  const forger = async () => {
    while (!isOver()) {
      const body = JSON.stringify({ cashu_token: forgeToken(mint.url, mint.keysetId) });
      const headers = { 'Content-Type': 'application/json' };
      const response = await fetch(new URL('/v1/balance/create', url), { method: 'POST', headers, body });
      await response.arrayBuffer();
      if (response.ok) throw new Error('a forged deposit was accepted');
      answers.set(response.status, (answers.get(response.status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: FORGERS }, forger));
  return answers;
};

const openShop = async (
  server: Server,
  directory: string,
): Promise<{ url: string; workMs(): Promise<number[]> }> => {
  const operatorToken = readFileSync(join(directory, 'operator-token'), 'utf8').trim();
  const headers = { Authorization: `Bearer ${operatorToken}`, 'Content-Type': 'application/json' };
  await trustRoot({ url: server.url, operatorToken });
  const sale = { agent: AGENT, priceSats: PRICE_SATS, parallel: AT_ONCE, startsWithApp: false };
  const body = JSON.stringify(sale);
  const response = await fetch(`${server.url}/api/services`, { method: 'POST', headers, body });
  const service = await response.json();
  if (!response.ok) throw new Error(`the agent isn't sold: ${JSON.stringify(service)}`);
  return {
    url: service.url,
    /** How long the agent worked for each of the latest requests. */
    async workMs() {
      const answer = await fetch(`${server.url}/api/services/${AGENT}/sales`, { headers });
      const { sales } = await answer.json();
      return sales.map(({ durationMs }: { durationMs: number }) => durationMs);
    },
  };
};

const value = (
  id: string,
  name: string,
  unit: Figure['unit'],
  ours: number,
  more: Partial<Figure> = {},
): Figure => ({
  id,
  name,
  unit,
  ours,
  result: { kind: 'value', spread: spreadOf([ours]) },
  ...more,
});

/** What selling an agent costs, whose pi answers at once, and what strangers without a sat can do to it. */
export const benchSell = async (
  workspace: Workspace,
  kinds: ServerKinds,
  { sell: plan }: Plan,
  tell: (line: string) => void,
): Promise<Section[]> => {
  if (process.platform === 'win32') throw new Error('the program of this agent is a shell script');
  const rootPath = workspace.path('root-sell');
  const directory = workspace.path('wallet-sell');
  cpSync(fileURLToPath(new URL('../../resources/starter-root', import.meta.url)), rootPath, {
    recursive: true,
  });
  await plant(rootPath, { [`agents/${AGENT}/pi-args`]: '--no-tools\n--behave\ngreet\n' });
  const script = `#!/bin/sh\n${AGENT_VARIABLES} PI_TEST_IDS=/dev/null exec '${process.execPath}' '${RPC_AGENT}' "$@"\n`;
  await plant(workspace.path('programs'), { pi: { script } });
  const mint = await startBenchMint(workspace.path('mint-sell'));
  try {
    const run = kinds.ours(rootPath, { directory, mintUrl: mint.url });
    const PATH = [workspace.path('programs'), process.env.PATH].join(delimiter);
    const server = await startServer(
      { ...run, environment: { ...run.environment, PATH } },
      workspace.plainModule('loop-probe'),
    );
    await settle(server);
    const { url, workMs } = await openShop(server, directory);
    const tokens = (count: number) => mint.tokens(count, true);

    tell('selling to one customer, and to two at once');
    await buy(url, await tokens(plan.purchases), 1);
    const alone = await buy(url, await tokens(plan.purchases), 1);
    const works = (await workMs()).slice(0, plan.purchases);
    const begunMs = performance.now();
    await buy(url, await tokens(plan.purchases), AT_ONCE);
    const perSecond = (plan.purchases * 1_000) / (performance.now() - begunMs);

    await askPrices(url, FIRST_PRICES);
    const before = {
      memoryMB: residentMB(server.pid),
      diskMB: megabytesIn(directory, workspace.path('data')),
    };
    tell(`asking for ${plan.prices.toLocaleString('en')} prices, and buying meanwhile`);
    let isAsking = true;
    const asking = askPrices(url, plan.prices, PRICES_A_SECOND).finally(() => {
      isAsking = false;
    });
    const beside: number[] = [];
    const paying = await tokens(plan.purchases);
    while (isAsking && paying.length > 0) beside.push(...(await buy(url, [paying.pop() ?? ''], 1)));
    await asking;
    const after = {
      memoryMB: residentMB(server.pid),
      diskMB: megabytesIn(directory, workspace.path('data')),
    };
    tell('asking for prices as fast as possible');
    const prices = await askPrices(url, FIRST_PRICES);
    tell(`buying beside ${FORGERS} connections with forged deposits`);
    let isOver = false;
    const forging = depositForged(url, mint, () => isOver);
    await sleep(FORGING_MS);
    const besideForgers = await buy(url, await tokens(plan.purchases), 1).finally(() => {
      isOver = true;
    });
    const answers = [...(await forging)].map(([status, count]) => `${count} × ${status}`).join(', ');
    await server.end();

    const aloneMs = spreadOf(alone).median;
    const workedMs = spreadOf(works).median;
    const besideMs = spreadOf(beside).median;
    const ratio = (
      id: string,
      name: string,
      unit: Figure['unit'],
      ours: number,
      baseline: number,
      target: number,
    ): Figure => ({
      id,
      name,
      unit,
      ours,
      baseline,
      result: { kind: 'ratio', spread: spreadOf([ours / baseline]) },
      target: { at: 'most', value: target },
    });
    return [
      {
        title: 'A sale at a flat price, by an agent that answers at once',
        figures: [
          value('sell.purchase', 'purchase, one after another', 'ms', aloneMs, {
            result: { kind: 'value', spread: spreadOf(alone) },
            note: `${workedMs.toFixed(0)} ms of it are the agent’s process, the rest is payment and change`,
          }),
          value('sell.perSecond', `purchases by ${AT_ONCE} customers`, 'per second', perSecond),
          value('sell.prices', 'unpaid requests for a price', 'per second', prices),
        ],
      },
      {
        title: `${plan.prices.toLocaleString('en')} unpaid requests for a price, ${PRICES_A_SECOND} a second; result: after or meanwhile / before`,
        figures: [
          ratio('sell.others', 'purchase by another customer', 'ms', besideMs, aloneMs, TARGETS.othersRatio),
          ratio(
            'sell.memory',
            'memory of dot-mi and the service',
            'MB',
            after.memoryMB,
            before.memoryMB,
            TARGETS.memoryRatio,
          ),
          value('sell.disk', 'what the data folder grew by', 'MB', after.diskMB - before.diskMB, {
            target: { at: 'most', value: TARGETS.diskMB },
          }),
        ],
      },
      {
        title: `Forged deposits by ${FORGERS} connections at once; result: meanwhile / before`,
        figures: [
          {
            ...ratio(
              'sell.forgers',
              'purchase by another customer',
              'ms',
              spreadOf(besideForgers).median,
              aloneMs,
              TARGETS.othersRatio,
            ),
            note: `longest ${Math.max(...besideForgers).toFixed(0)} ms; deposits: ${answers}`,
          },
        ],
      },
    ];
  } finally {
    await mint.close();
  }
};
