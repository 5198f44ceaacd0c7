import { chmod, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Clock, systemClock } from '../../../../src/server/platform/clock.ts';
import type { ServerEvent } from '../../../../src/shared/api/events.ts';
import { SOURCES } from '../../../support/btc-sources/answers.ts';
import { playBtcSources } from '../../../support/btc-sources/play.ts';
import { eventually } from '../../../support/eventually.ts';
import { followEvents } from '../../../support/follow.ts';
import { plant } from '../../../support/plant.ts';
import { makeSession } from '../../../support/session-file.ts';
import { SOLD, sell, serveShop, soldArgs } from '../../../support/sold-service.ts';
import { trustRoot } from '../../../support/trust.ts';
import type { WalletServer } from '../../../support/wallet.ts';

/** Services that should be open and can't: they say why and since when, and are tried again until they are open. */

const ARGS = `agents/${SOLD}/pi-args`;

/** The waits for a retry or a check, in seconds. */
const isRetry = (seconds: number) => [5, 10, 20, 30, 40, 80, 160, 300].includes(seconds);

/** A clock on which retries wait until the test lets the last one pass. */
const makeRetryClock = () => {
  const waits: { seconds: number; pass(): void }[] = [];
  const clock: Clock = {
    now: systemClock.now,
    after(ms, task) {
      if (!isRetry(ms / 1_000)) return systemClock.after(ms, task);
      const wait = { seconds: ms / 1_000, pass: task };
      waits.push(wait);
      return () => waits.includes(wait) && void waits.splice(waits.indexOf(wait), 1);
    },
  };
  return { clock, waits };
};

const serviceOf = async (server: WalletServer) =>
  (await server.asOperator('GET', '/api/services')).body.services[0];

const waitForState = (server: WalletServer, state: string) =>
  eventually(async () => {
    const service = await serviceOf(server);
    expect(service.state, JSON.stringify(service)).toBe(state);
    return service;
  });

/** The states that the events of the service told, without repetitions. */
const followStates = async (server: WalletServer) => {
  const { events } = await followEvents(server.url, { Authorization: `Bearer ${server.operatorToken}` });
  const isService = (event: ServerEvent) => event.name === 'services';
  return () =>
    events
      .filter(isService)
      .map(({ data }) => data.state)
      .filter((state, at, all) => state !== all[at - 1]);
};

const occupy = async (port: number) => {
  const other = createServer().listen(port, '127.0.0.1');
  onTestFinished(() => void other.close());
  await eventually(() => expect(other.listening).toBe(true));
  return () => new Promise((resolve) => other.close(resolve));
};

test('a service whose port another program uses at the start is tried at longer intervals, for as long as it takes', async () => {
  const first = await serveShop();
  const { body: sold } = await sell(first.server, { priceSats: 5, startsWithApp: true });
  await first.server.close();
  const leave = await occupy(sold.port);
  const { clock, waits } = makeRetryClock();
  const startedAt = new Date(Date.now()).toISOString();
  const { server } = await serveShop({ mint: first.mint, after: first.server, clock });
  const states = await followStates(server);
  const closed = await waitForState(server, 'closed');
  expect(closed.problem).toContain(`port ${sold.port}`);
  expect([closed.closedSince >= startedAt, closed.retryAt > closed.closedSince]).toEqual([true, true]);

  const retries = () => waits.filter(({ seconds }) => seconds !== 30);
  const seen: (number | undefined)[] = [];
  for (const seconds of [5, 10, 20, 40, 80, 160, 300, 300]) {
    await eventually(() => expect(retries().at(-1)?.seconds).toBe(seconds));
    seen.push(retries().at(-1)?.seconds);
    // Since when it is closed stays, whatever is tried.
    expect((await serviceOf(server)).closedSince).toBe(closed.closedSince);
    const wait = retries().at(-1);
    waits.splice(0);
    wait?.pass();
  }
  expect(seen).toHaveLength(8);
  await eventually(() => expect(retries()).toHaveLength(1));
  await leave();
  retries().at(-1)?.pass();
  const open = await waitForState(server, 'running');
  expect([open.problem, open.closedSince, open.retryAt]).toEqual([undefined, undefined, undefined]);
  expect((await fetch(sold.url)).status).toBe(200);
  expect(states().slice(-2)).toEqual(['closed', 'running']);
});

test('a service without a BTC price at the start opens as soon as there is one', {
  tags: 'slow',
}, async () => {
  const priced = {
    files: { [ARGS]: `--model\ngpt-5.4\n${soldArgs('echo')}` },
  };
  const first = await serveShop(priced);
  await eventually(async () => expect((await first.server.call('GET', '/api/pricing/btc')).status).toBe(200));
  await first.server.asOperator('PUT', '/api/pricing/models', {
    models: { 'gpt-5.4': { input_usd_per_million: 500, output_usd_per_million: 1_000 } },
  });
  expect((await sell(first.server, { startsWithApp: true })).status).toBe(201);
  await first.server.close();
  await plant(join(first.server.dataDirectory, 'data'), { 'btc_price_history.jsonl': '' });
  const sources = await playBtcSources(50_000);
  await Promise.all(SOURCES.map((name) => sources.down(name)));
  const { clock } = makeRetryClock();
  const { server } = await serveShop({
    ...priced,
    mint: first.mint,
    after: first.server,
    environment: { BTC_PRICE_SOURCES: sources.setting() },
    clock,
  });
  const closed = await waitForState(server, 'closed');
  expect(closed.problem).toMatch(/BTC price/);
  await Promise.all(SOURCES.map((name) => sources.up(name)));
  // No retry passes: the price itself opens the service.
  await server.asOperator('POST', '/api/pricing/btc/refresh', {});
  const open = await waitForState(server, 'running');
  expect(await (await fetch(open.url)).json()).toMatchObject({ agent: SOLD });
});

test('a running service says why customers can’t buy, and opens once a person changed it', async () => {
  const { clock, waits } = makeRetryClock();
  const { server } = await serveShop({ clock });
  const { body: sold } = await sell(server, { priceSats: 5 });
  const states = await followStates(server);
  const price = async () => (await fetch(sold.url, { method: 'POST', body: '{"prompt":"Hi"}' })).status;

  await server.asOperator('DELETE', '/api/root/trust');
  const untrusted = await waitForState(server, 'closed');
  expect(untrusted.problem).toMatch(/isn’t trusted/);
  await eventually(async () => expect(await price()).toBe(503));
  await trustRoot(server);
  await waitForState(server, 'running');

  await plant(server.rootPath, { [`agents/${SOLD}/auth.json`]: '{}' });
  await chmod(join(server.rootPath, `agents/${SOLD}/auth.json`), 0o666);
  // Its own check finds it if no event does.
  await eventually(() => expect(waits.length).toBeGreaterThan(0));
  waits.at(-1)?.pass();
  expect((await waitForState(server, 'closed')).problem).toMatch(/auth\.json/);
  // Refunds still work.
  const refund = await fetch(`${sold.url}/v1/balance/refund`, { method: 'POST' });
  expect(refund.status).toBe(401);
  await chmod(join(server.rootPath, `agents/${SOLD}/auth.json`), 0o600);
  waits.at(-1)?.pass();
  await waitForState(server, 'running');

  const session = makeSession({ startedAtMs: Date.now() });
  session.call({ input: 1_200, output: 300, usd: 0.25 });
  await plant(server.rootPath, { [`agents/${SOLD}/sessions/--x--/${session.fileName}`]: session.text() });
  await server.asOperator('PUT', `/api/agents/${SOLD}/budget`, { usdPerDay: 0.01 });
  expect((await waitForState(server, 'closed')).problem).toMatch(/budget/);
  await server.asOperator('PUT', `/api/agents/${SOLD}/budget`, { usdPerDay: null });
  await waitForState(server, 'running');
  expect(states().filter((state) => state === 'closed')).toHaveLength(3);
});

test('a command that is added to auth.json runs for no customer until its owner accepts it', async () => {
  const { server, mint } = await serveShop();
  const { body: sold } = await sell(server, { priceSats: 5 });
  const auth = join(server.rootPath, `agents/${SOLD}/auth.json`);
  await writeFile(auth, JSON.stringify({ openai: { type: 'api_key', key: '!touch pwned' } }), {
    mode: 0o600,
  });
  const token = mint.issue(8, { withoutDleq: true });
  const buy = () =>
    fetch(sold.url, { method: 'POST', headers: { 'X-Cashu': token }, body: '{"prompt":"Hi"}' });
  const refused = await buy();
  expect([refused.status, (await refused.json()).error.code]).toEqual([503, 'service_unavailable']);
  expect(mint.unspent([token])).toBe(8);
  expect((await waitForState(server, 'closed')).problem).toMatch(
    /auth\.json has changed .*command in auth\.json: touch pwned/,
  );
  const again = await sell(server, { priceSats: 5 });
  expect([again.status, again.body.code, again.body.loads]).toEqual([
    409,
    'tools_not_accepted',
    ['command in auth.json: touch pwned'],
  ]);
  expect((await sell(server, { priceSats: 5, accepts: again.body.loads })).status).toBe(201);
  await waitForState(server, 'running');
  expect((await buy()).status).toBe(200);
});

test('a service whose process ends again and again is tried ever more rarely', { tags: 'slow' }, async () => {
  const { clock, waits } = makeRetryClock();
  const shop = await serveShop({ clock });
  await sell(shop.server, { priceSats: 5 });
  for (const seconds of [5, 10, 20]) {
    shop.killService();
    expect((await waitForState(shop.server, 'closed')).problem).toEqual(expect.any(String));
    const retry = waits.filter((wait) => wait.seconds === seconds).at(-1);
    retry?.pass();
    await waitForState(shop.server, 'running');
  }
  expect(shop.started()).toBe(4);
});

test('a service closes when failed requests cost more than its limit, and opens with a higher one', async () => {
  const { mint, server } = await serveShop({
    files: { [ARGS]: '--no-tools\n--model\ngpt-5.4\n--behave\nfail\n' },
  });
  await eventually(async () => expect((await server.call('GET', '/api/pricing/btc')).status).toBe(200));
  await server.asOperator('PUT', '/api/pricing/models', {
    models: { 'gpt-5.4': { input_usd_per_million: 500, output_usd_per_million: 1_000 } },
  });
  const { body: sold } = await sell(server, { priceSats: 5, lossLimitSats: 150 });
  const buy = async () => {
    const token = mint.issue(5, { withoutDleq: true });
    const headers = { 'X-Cashu': token };
    const answer = await fetch(sold.url, { method: 'POST', body: '{"prompt":"Hi"}', headers });
    return { status: answer.status, unspent: mint.unspent([token]) };
  };
  // Each costs 129 sat of model tokens, and its customer gets everything back.
  expect((await buy()).status).toBe(502);
  expect((await serviceOf(server)).state).toBe('running');
  expect((await buy()).status).toBe(502);
  expect((await waitForState(server, 'closed')).problem).toMatch(/cost you 25\d sats/);
  expect(await buy()).toEqual({ status: 503, unspent: 5 });
  await sell(server, { priceSats: 5, lossLimitSats: 500 });
  await waitForState(server, 'running');
  expect((await buy()).status).toBe(502);
});

test('a service that is being started while dot-mi quits has ended when dot-mi has', async () => {
  const { clock, waits } = makeRetryClock();
  let hasEnded = false;
  let closing: Promise<void> | undefined;
  const shop = await serveShop({
    clock,
    onProgram(program) {
      if (shop.started() < 2) return;
      program.onExit(() => {
        hasEnded = true;
      });
      closing = shop.server.close();
    },
  });
  await sell(shop.server, { priceSats: 5 });
  shop.killService();
  await waitForState(shop.server, 'closed');
  waits.at(-1)?.pass();
  await eventually(() => expect(closing).toBeDefined());
  await closing;
  expect(hasEnded).toBe(true);
});
