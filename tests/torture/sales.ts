import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { bundleServer } from '../support/bundle.ts';
import {
  type CashuCustomer,
  OfferError,
  openCashuCustomer,
  type Settled,
} from '../support/customers/cashu-customer.ts';
import { LostAnswerError } from '../support/customers/post.ts';
import { openPrepaidCustomer } from '../support/customers/prepaid-customer.ts';
import { freePort } from '../support/free-port.ts';
import { seededRandom } from '../support/mint/faults.ts';
import { startTestMintProcess } from '../support/mint/test-mint-process.ts';
import { plant } from '../support/plant.ts';
import { auditWallet } from '../support/wallet-audit.ts';
import { spawnWaiting, type WalletProcess, walletEnvironment } from '../support/wallet-process.ts';

/** What a run of sales is. */
export interface SalesOptions {
  /** How many requests customers pay for, in all. */
  requests: number;
  seed: number;
  /** Where the mint, the server and its root are. */
  directory: string;
  customers?: number;
  onProgress?: (line: string) => void;
}

/** What came of it. All amounts in sats. */
export interface SalesReport {
  seconds: number;
  /** `customer`: requests whose customer was gone in the middle. It then starts again with the token that it wrote down. */
  kills: { server: number; service: number; pi: number; mint: number; customer: number };
  outcomes: Record<string, number>;
  settled: Record<string, number>;
  charges: Record<string, number>;
  /** Customers with neither work nor money, and with both. */
  neither: number;
  both: number;
  sums: {
    issued: number;
    fees: number;
    customers: number;
    prepaid: number;
    wallet: number;
    difference: number;
  };
  problems: string[];
}

const PRICE = 20;
/** Of the mint, for a proof, in thousandths of a sat. */
const FEE_PPK = 100;
const SATS_EACH = 8_192;
/** What customers who pay in advance pay in at once. */
const DEPOSIT = 256;
const PREPAID_CUSTOMERS = 2;
const AGENT = 'seller';
const RPC_AGENT = fileURLToPath(new URL('../support/rpc-agent.ts', import.meta.url));
const LONGEST_WORK_MS = 250;
/** A customer hangs up this often. */
const LOSES = 0.15;
/** The work fails this often. */
const FAILS = 0.1;
const KILL_EVERY_MS = 2_000;
/** The longest time without work before the next kill, in case no customer can get any. */
const MOST_KILL_WAIT_MS = 20_000;
const PROGRESS_EVERY = 50;
const WAIT_MS = 100;
/** Longer than a payment waits for a customer's second try after its service is gone. */
const MOST_END_WAIT_MS = 240_000;

interface Api {
  url: string;
  operatorToken: string;
}

const call = async ({ url, operatorToken }: Api, method: string, path: string, body?: unknown) => {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { Authorization: `Bearer ${operatorToken}`, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
};

/** The ids of the processes whose command names a file. */
const processesOf = (file: string): number[] =>
  execFileSync('ps', ['-axo', 'pid=,args='], { encoding: 'utf8', maxBuffer: 16 * 2 ** 20 })
    .split('\n')
    .filter((line) => line.includes(file))
    .map((line) => Number(line.trim().split(' ', 1)[0]));

const killEach = (ids: readonly number[]) => {
  for (const id of ids) {
    try {
      process.kill(id, 'SIGKILL');
    } catch {
      // It has just ended.
    }
  }
};

/** Trusts the root of a server as an operator does. */
const trust = async (api: Api) => {
  const { script } = (await call(api, 'GET', '/api/root/trust')).body;
  await call(api, 'PUT', '/api/root/trust', { sha256: script?.sha256 ?? null });
};

/**
 * Sells an agent to customers while the server, the service, pi, the mint and the customers die at random. In the end, each
 * customer has work or money and nobody has both, and no sat is missing.
 */
export const tortureSales = async ({
  requests,
  seed,
  directory,
  customers: count = 6,
  onProgress = () => undefined,
}: SalesOptions): Promise<SalesReport> => {
  await bundleServer();
  const startedAt = performance.now();
  const seconds = () => Math.round((performance.now() - startedAt) / 1_000);
  const random = seededRandom(seed);
  const problems: string[] = [];
  const tally = (counts: Record<string, number>, name: string) => {
    counts[name] = (counts[name] ?? 0) + 1;
  };

  const mintDirectory = join(directory, 'mint');
  const dataDirectory = join(directory, 'server');
  mkdirSync(mintDirectory, { recursive: true });
  mkdirSync(dataDirectory, { recursive: true });
  await plant(dataDirectory, {
    'bin/pi': {
      script: `#!/bin/sh\nPI_TEST_IDS='${join(dataDirectory, 'ids')}' exec '${process.execPath}' '${RPC_AGENT}' "$@"\n`,
    },
    ids: '',
    [`root/agents/${AGENT}/pi-args`]: '--no-tools\n--behave\nwork\n',
    [`root/agents/${AGENT}/SYSTEM.md`]: 'You sell.\n',
    'root/shared': null,
  });
  const mint = await startTestMintProcess({ directory: mintDirectory, keysets: [{ inputFeePpk: FEE_PPK }] });
  const port = await freePort();
  const shopUrl = `http://127.0.0.1:${port}/`;

  let server: WalletProcess | undefined;
  let api: Api | undefined;
  const startServer = async () => {
    const started = spawnWaiting(dataDirectory).start({
      environment: walletEnvironment(mint.url, { PATH: `${join(dataDirectory, 'bin')}:${process.env.PATH}` }),
      mintTimeoutMs: 1_500,
      decisionTimes: { confirmAfterMs: 1_500, confirmSilentAfterMs: 1_500 },
      hurry: { longerThanMs: 5_000, atMostMs: 1_000 },
    });
    server = started;
    api = await started.listening;
  };
  /** Starts it at once. dot-mi would wait a few seconds. */
  const startService = async () => {
    if (!api) return;
    const wanted = { agent: AGENT, priceSats: PRICE, port, parallel: 4, startsWithApp: true };
    const { status, body } = await call(api, 'POST', '/api/services', wanted).catch(() => ({
      status: 0,
      body: { error: 'no answer' },
    }));
    if (status !== 201) onProgress(`the service did not start: ${body.error}`);
  };

  await startServer();
  if (!api) throw new Error('the server did not start');
  await trust(api);
  await startService();

  const kills = { server: 0, service: 0, pi: 0, mint: 0, customer: 0 };
  /** The processes of pi that work for a customer. */
  const runs = (): number[] => {
    const ids = new Set(readFileSync(join(dataDirectory, 'ids'), 'utf8').split('\n').map(Number));
    return processesOf(RPC_AGENT).filter((id) => ids.has(id));
  };
  const killOne = async () => {
    const draw = random();
    if (draw < 0.2) {
      let ids = runs();
      // Work is short.
      for (
        let waited = 0;
        isSelling && ids.length === 0 && waited < MOST_KILL_WAIT_MS;
        waited += WAIT_MS / 4
      ) {
        await sleep(WAIT_MS / 4);
        ids = runs();
      }
      kills.pi += ids.length;
      killEach(ids);
    } else if (draw < 0.5) {
      kills.service += 1;
      killEach(processesOf(join(dataDirectory, 'data', 'services')));
      await startService();
    } else if (draw < 0.75) {
      kills.server += 1;
      await server?.kill();
      await startServer();
      await startService();
    } else {
      kills.mint += 1;
      await mint.kill();
      await sleep(random() * 400);
      await mint.start();
    }
  };
  let isSelling = true;
  /** How many customers got work. */
  let works = 0;
  const killing = (async () => {
    while (isSelling) {
      const before = works;
      await sleep(KILL_EVERY_MS * (0.5 + random()));
      // On a slow computer, nobody could buy anything between two kills.
      for (let waited = 0; isSelling && works === before && waited < MOST_KILL_WAIT_MS; waited += WAIT_MS)
        await sleep(WAIT_MS);
      if (isSelling)
        await killOne().catch((error: unknown) => problems.push(`a kill failed: ${String(error)}`));
    }
  })();

  const outcomes: Record<string, number> = {};
  const settled: Record<string, number> = {};
  const lost: Settled[] = [];
  const customers = await Promise.all(
    Array.from({ length: count }, async () =>
      openCashuCustomer({
        mintUrl: mint.url,
        tokens: [await mint.issue(SATS_EACH, { withoutDleq: false })],
      }),
    ),
  );
  let left = requests;
  let done = 0;
  const orderOf = (number: number) => ({
    prompt: JSON.stringify({ number, ms: Math.round(random() * LONGEST_WORK_MS), fails: random() < FAILS }),
  });
  const drawLoss = () => (random() < LOSES ? (random() < 0.5 ? 'connection' : 'answer') : undefined);
  const buyOne = async (customer: CashuCustomer, number: number) => {
    const body = orderOf(number);
    const lose = drawLoss();
    const extra = Math.floor(random() * 30);
    for (;;) {
      try {
        const purchase = await customer.buy(shopUrl, body, {
          extra,
          includeFees: true,
          ...(lose === undefined ? {} : { lose }),
        });
        tally(outcomes, purchase.outcome === 'refused' ? `refused ${purchase.status}` : purchase.outcome);
        if (purchase.outcome === 'lost' && lose !== undefined) kills.customer += 1;
        if (purchase.outcome === 'bought') works += 1;
        for (const { outcome } of purchase.outcome === 'lost' ? await customer.sendAgain() : []) {
          tally(outcomes, `${outcome} again`);
          if (outcome === 'bought') works += 1;
        }
        return;
      } catch (error) {
        // Nothing was paid: nobody was there, or the shop had no price at the moment.
        if (!(error instanceof LostAnswerError || error instanceof OfferError)) throw error;
        await sleep(WAIT_MS);
      }
    }
  };
  const prepaid = Array.from({ length: PREPAID_CUSTOMERS }, () => ({
    customer: openPrepaidCustomer({
      url: shopUrl,
      deposit: DEPOSIT,
      async issue(sats) {
        for (;;) {
          const token = await mint.issue(sats, { withoutDleq: false }).catch(() => undefined);
          if (token !== undefined) return token;
          // The mint was killed, and comes back.
          await sleep(WAIT_MS);
        }
      },
    }),
    bought: 0,
    unknown: 0,
  }));
  const buyers = [
    ...customers.map((customer) => (number: number) => buyOne(customer, number)),
    ...prepaid.map((each) => async (number: number) => {
      const lose = drawLoss();
      const outcome = await each.customer.buy(orderOf(number), lose);
      tally(outcomes, `prepaid ${outcome}`);
      if (outcome !== 'refused') each[outcome] += 1;
      if (outcome === 'bought') works += 1;
      // Nobody was there, which is no request.
      if (outcome === 'unknown' && lose === undefined) left += 1;
      // Nobody may be there.
      if (outcome !== 'bought') await sleep(5 * WAIT_MS);
    }),
  ];
  const shopping = buyers.map(async (buy, at) => {
    while (left > 0) {
      left -= 1;
      await buy(left).catch((error: unknown) =>
        problems.push(`customer ${at}: ${error instanceof Error ? error.stack : String(error)}`),
      );
      done += 1;
      if (done % PROGRESS_EVERY === 0)
        onProgress(
          `${seconds()} s  ${done} requests, ${kills.server + kills.service + kills.pi + kills.mint} kills, ${problems.length} problems`,
        );
    }
  });
  await Promise.all(shopping);
  isSelling = false;
  await killing;

  onProgress(`${seconds()} s  waiting until all is settled`);
  await mint.kill();
  await mint.start();
  await startService();
  for (const [at, customer] of customers.entries()) {
    try {
      for (const { outcome } of await customer.sendAgain()) tally(outcomes, `${outcome} again`);
      for (const each of await customer.settle()) {
        tally(settled, each.outcome);
        lost.push(each);
      }
    } catch (error) {
      problems.push(`customer ${at} could not settle: ${String(error)}`);
    }
  }
  /** What is left of the balances, in tokens. */
  const refunds: string[] = [];
  let prepaidSpent = 0;
  for (const [at, { customer, bought: works, unknown }] of prepaid.entries()) {
    try {
      const spent = await customer.spent();
      const charged = spent / PRICE;
      prepaidSpent += spent;
      if (charged < works || charged > works + unknown)
        problems.push(
          `prepaid customer ${at} paid for ${charged} works, bought ${works}, and lost ${unknown}`,
        );
      const token = await customer.refund();
      if (token !== undefined) refunds.push(token);
      if ((await customer.refund()) !== token) problems.push(`prepaid customer ${at} got two refunds`);
    } catch (error) {
      problems.push(`prepaid customer ${at} could not settle: ${String(error)}`);
    }
  }
  const end = performance.now() + MOST_END_WAIT_MS;
  for (;;) {
    const held = (await call(api, 'GET', '/api/charges?state=held')).body.charges;
    const balance = (await call(api, 'GET', '/api/wallet/balance')).body;
    if (held.length === 0 && balance.pending === 0 && balance.held === undefined) break;
    if (performance.now() > end) {
      problems.push(`not settled in the end: ${held.length} held, ${JSON.stringify(balance)}`);
      break;
    }
    await sleep(500);
  }
  const { balance, unconfirmed = 0 } = (await call(api, 'POST', '/api/wallet/check', {})).body;
  await server?.stop();

  const path = join(dataDirectory, 'data', 'wallet', 'wallet.sqlite');
  problems.push(...auditWallet(path));
  const database = new DatabaseSync(path, { readOnly: true });
  const paid = database
    .prepare(
      `SELECT charged, kept, operations.amount AS paid, change IS NOT NULL AS gave FROM charge_payments
       JOIN operations ON number = operation WHERE state = 'completed' AND balance IS NULL`,
    )
    .all() as { charged: number | null; kept: number; paid: number; gave: number }[];
  database.close();
  const charges: Record<string, number> = {};
  for (const { charged, paid: sats } of paid) {
    tally(charges, charged === null ? 'held' : charged === 0 ? 'refunded' : 'settled');
    if (charged !== null && charged !== 0 && charged !== PRICE) problems.push(`a charge of ${charged} sat`);
    if (sats < PRICE) problems.push(`paid with ${sats} sat`);
  }
  const delivered = (outcomes.bought ?? 0) + (outcomes['bought again'] ?? 0);
  if ((charges.settled ?? 0) !== delivered)
    problems.push(`${charges.settled} settled charges, and ${delivered} works`);
  // What wasn't charged is refunded, except for a small fee.
  const wasCharged = ({ outcome, paid: face, back }: Settled) =>
    outcome === 'charged' || (outcome === 'refunded' && face - back >= PRICE);
  const neither = lost.filter((each) => !each.hadWork && wasCharged(each)).length;
  const both = lost.filter((each) => each.hadWork && !wasCharged(each)).length;
  if (neither > 0) problems.push(`${neither} customers have neither work nor money`);
  if (both > 0) problems.push(`${both} customers have both work and money`);

  let held = 0;
  for (const [at, customer] of customers.entries()) {
    if (customer.unsettled() > 0)
      problems.push(`customer ${at} has ${customer.unsettled()} payments without an end`);
    held += await customer.total().catch((error: unknown) => {
      problems.push(`customer ${at}: ${String(error)}`);
      return 0;
    });
  }
  const refunded = await openCashuCustomer({ mintUrl: mint.url, tokens: refunds });
  held += await refunded.total();
  const { issued, fees, melted } = await mint.totals();
  const wallet = balance + unconfirmed;
  const difference = issued - melted - fees - held - wallet;
  if (difference !== 0) problems.push(`${difference} sat are missing`);
  await mint.close();
  return {
    seconds: seconds(),
    kills,
    outcomes,
    settled,
    charges,
    neither,
    both,
    sums: { issued, fees, customers: held, prepaid: prepaidSpent, wallet, difference },
    problems,
  };
};
