import { chmod, readdir, readFile, stat, utimes } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Clock, systemClock } from '../../../../src/server/platform/clock.ts';
import { isPortFree } from '../../../../src/server/settings/port-free.ts';
import { cashuHeader, fieldOf, LostAnswerError, send } from '../../../support/customers/post.ts';
import { freePort } from '../../../support/free-port.ts';
import { testMint } from '../../../support/mint/for-test.ts';
import { plant } from '../../../support/plant.ts';
import { until } from '../../../support/raw-http.ts';
import { makeRoot } from '../../../support/root.ts';
import { startServerProcess } from '../../../support/server-process.ts';
import { isRunning } from '../../../support/sold-agent.ts';
import { SOLD, sell, serveShop, soldArgs } from '../../../support/sold-service.ts';
import { makeTempDirectory } from '../../../support/temp.ts';
import { trustRoot } from '../../../support/trust.ts';
import type { WalletServer } from '../../../support/wallet.ts';
import { expectConsistent } from '../../../support/wallet-copies.ts';

/** How services start, end and fail, and what happens to a customer's sats meanwhile. */

const stateOf = async (server: WalletServer, agent = SOLD) => {
  const { services } = (await server.asOperator('GET', '/api/services')).body;
  return services.find((service: { agent: string }) => service.agent === agent);
};

/** Waits of five seconds and more, which are for retries and checks. */
const isRetry = (ms: number) => [5, 10, 20, 40, 80, 160, 300].includes(ms / 1_000);

/** A clock on which a retry waits for nothing, and the waits that there would have been. */
const makeHasty = () => {
  const waits: number[] = [];
  const clock: Clock = {
    now: systemClock.now,
    after(ms, task) {
      if (!isRetry(ms)) return systemClock.after(ms, task);
      waits.push(ms / 1_000);
      return systemClock.after(0, task);
    },
  };
  return { clock, waits };
};

const charges = async (server: WalletServer) =>
  (await server.asOperator('GET', '/api/charges')).body.charges.map(({ state }: { state: string }) => state);

/** A prompt that an agent works on forever: the customer waits for it. */
const buyFromAgentThatHangs = async (shop: Awaited<ReturnType<typeof serveShop>>, url: string) => {
  const buyer = await shop.customer();
  const buying = buyer.buy(url, { prompt: 'Good morning' });
  await until(() => shop.agentProcesses().length > 0);
  return { buyer, buying };
};

test('a service that is killed while its agent works starts again, and its customer gets everything back, once', async () => {
  const shop = await serveShop({ behavior: 'hang', clock: makeHasty().clock });
  const { mint, server } = shop;
  const { body: service } = await sell(server, { priceSats: 5 });
  const { buyer, buying } = await buyFromAgentThatHangs(shop, service.url);
  shop.killService();
  expect((await buying).outcome).toBe('lost');
  expect(await charges(server)).toEqual(['held']);
  await until(async () => (await stateOf(server)).state === 'running' && shop.started() === 2);
  expect(await buyer.settle()).toMatchObject([{ outcome: 'refunded', paid: 5, back: 5 }]);
  // The same refund again is the same token, which is spent now.
  const [token = ''] = buyer.sent();
  const again = await fetch(`${service.url}/v1/balance/refund`, {
    method: 'POST',
    headers: { 'X-Cashu': token },
  });
  expect([again.status, mint.unspent([(await again.json()).token])]).toEqual([200, 0]);
  expect([await buyer.total(), await server.balance(), await charges(server)]).toEqual([64, 0, ['refunded']]);
  await expectConsistent(server, mint);
});

test('a response that its customer lost comes again for the same token after the service was killed and dot-mi started again, even while the agent works for others', async () => {
  const shop = await serveShop({ behavior: 'work' });
  const { mint } = shop;
  const settings = { priceSats: 5, parallel: 1, startsWithApp: true };
  const { body: service } = await sell(shop.server, settings);
  const order = (ms: number) => ({ prompt: JSON.stringify({ ms }) });
  const token = mint.issue(8, { withoutDleq: true });
  const buy = (url: string, lose?: 'answer') => send(url, { body: order(0), token, lose });
  await expect(buy(service.url, 'answer')).rejects.toThrow(LostAnswerError);
  shop.killService();
  await shop.server.close();

  const next = await serveShop({ mint, after: shop.server, behavior: 'work' });
  await until(async () => (await stateOf(next.server)).state === 'running');
  const { url } = await stateOf(next.server);
  const other = (await next.customer()).buy(url, order(60_000)).catch(() => undefined);
  // The first one only says which model it uses.
  await until(() => next.agentProcesses().length === 2);
  const again = await buy(url);
  expect([again.status, fieldOf(again.body, 'charged')]).toEqual([200, 5]);
  expect(fieldOf(again.body, 'text')).toContain('Work on');
  expect(mint.unspent([cashuHeader(again) ?? ''])).toBe(3);
  expect(next.agentProcesses()).toHaveLength(2);
  // The customer's text is private, and dot-mi removes it after a day, although nothing is sold.
  const directory = join(next.server.dataDirectory, 'data/services', `${SOLD}.responses`);
  const [name = ''] = await readdir(directory);
  if (process.platform !== 'win32') expect((await stat(join(directory, name))).mode & 0o777).toBe(0o600);
  await next.server.close();
  await other;
  const old = new Date(Date.now() - 25 * 60 * 60_000);
  for (const each of await readdir(directory)) await utimes(join(directory, each), old, old);
  const third = await serveShop({ mint, after: next.server });
  await until(async () => (await readdir(directory)).length === 0);
  await third.server.close();
});

test('a service that is stopped while its agent works gives everything back before it ends', async () => {
  const shop = await serveShop({ behavior: 'hang' });
  const { server } = shop;
  const { body: service } = await sell(server, { priceSats: 5 });
  const { buying } = await buyFromAgentThatHangs(shop, service.url);
  expect((await server.asOperator('POST', `/api/services/${SOLD}/stop`, {})).status).toBe(200);
  expect(await charges(server)).toEqual(['refunded']);
  await until(() => !shop.agentProcesses().some(isRunning));
  await buying;
});

test('work that is done when a service is stopped is delivered and paid', { tags: 'slow' }, async () => {
  const shop = await serveShop({ behavior: 'slow' });
  const { server } = shop;
  const { body: service } = await sell(server, { priceSats: 5 });
  const { buying } = await buyFromAgentThatHangs(shop, service.url);
  await server.asOperator('POST', `/api/services/${SOLD}/stop`, {});
  expect(await buying).toMatchObject({ outcome: 'bought', status: 200 });
  expect(await charges(server)).toEqual(['settled']);
});

test('dot-mi that ends while an agent works refunds its customer first, and sells again at the next start', {
  tags: 'slow',
}, async () => {
  const shop = await serveShop({ behavior: 'hang' });
  const { body: service } = await sell(shop.server, { priceSats: 5, startsWithApp: true });
  const { buyer, buying } = await buyFromAgentThatHangs(shop, service.url);
  await shop.server.close();
  await buying;
  await expect(fetch(service.url)).rejects.toThrow();

  const next = await serveShop({ mint: shop.mint, after: shop.server });
  await until(async () => (await stateOf(next.server)).state === 'running');
  expect(await charges(next.server)).toEqual(['refunded']);
  await buyer.settle();
  expect(await buyer.total()).toBe(64);
  // What is sold hangs until its owner sells the agent as it is now.
  const { body: again } = await sell(next.server, { priceSats: 5 });
  await expect((await next.customer()).buy(again.url, { prompt: 'Hi' })).resolves.toMatchObject({
    outcome: 'bought',
  });
});

test('a service that does not start with dot-mi stays stopped, and one that can’t start says why', {
  tags: 'slow',
}, async () => {
  const first = await serveShop({
    files: { 'agents/second/pi-args': soldArgs('echo'), 'agents/second/SYSTEM.md': 'x\n' },
  });
  await sell(first.server, { priceSats: 5 });
  await sell(first.server, { agent: 'second', priceSats: 5, startsWithApp: true });
  await first.server.close();
  await plant(first.server.rootPath, { 'agents/second/auth.json': '{}' });
  await chmod(join(first.server.rootPath, 'agents/second/auth.json'), 0o666);
  const next = await serveShop({ mint: first.mint, after: first.server });
  await until(async () => (await stateOf(next.server, 'second')).state === 'closed');
  expect((await stateOf(next.server, 'second')).problem).toMatch(/^Other users of this computer can replace/);
  expect((await stateOf(next.server)).state).toBe('stopped');
});

test('two services sell side by side, and a port that is taken stops none of them', {
  tags: 'slow',
}, async () => {
  const shop = await serveShop({
    files: { 'agents/second/pi-args': soldArgs('fail'), 'agents/second/SYSTEM.md': 'x\n' },
  });
  const { server } = shop;
  const { body: first } = await sell(server, { priceSats: 5 });
  const { body: second } = await sell(server, { agent: 'second', priceSats: 7 });
  expect(second.port).not.toBe(first.port);
  const buyer = await shop.customer();
  expect((await buyer.buy(first.url, { prompt: 'Hi' })).outcome).toBe('bought');
  expect((await buyer.buy(second.url, { prompt: 'Hi' })).outcome).toBe('refused');
  expect(await buyer.total()).toBe(59);

  const other = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await until(() => other.listening);
  const { port } = other.address() as { port: number };
  for (const taken of [port, second.port]) {
    const refused = await sell(server, { priceSats: 6, port: taken });
    expect([refused.status, refused.body.code]).toEqual([409, 'port_in_use']);
  }
  expect(await stateOf(server)).toEqual(first);
  expect((await buyer.buy(first.url, { prompt: 'Hi' })).outcome).toBe('bought');
  const changed = await sell(server, { priceSats: 6 });
  expect([changed.status, changed.body.port]).toEqual([201, first.port]);
});

test('the process of a service and its agent end when dot-mi is killed, and the port is free', async ({
  skip,
}) => {
  skip(process.platform === 'win32', 'Windows ends no process tree with its parent');
  const mint = await testMint();
  const shop = await serveShop({ mint, behavior: 'outlive' });
  const port = await freePort();
  const directory = await makeTempDirectory();
  const root = await makeRoot({
    [`agents/${SOLD}/pi-args`]: soldArgs('outlive'),
    [`agents/${SOLD}/SYSTEM.md`]: 'x\n',
  });
  const program = await startServerProcess(
    { ...shop.environment, DOT_MI_ROOT: root, DEV_MODE: 'false', MINT_URL: mint.url },
    directory,
  );
  const operatorToken = (await readFile(join(directory, 'data/wallet/operator-token'), 'utf8')).trim();
  await trustRoot({ url: program.url, operatorToken });
  const started = await fetch(`${program.url}/api/services`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${operatorToken}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ agent: SOLD, priceSats: 5, port }),
  });
  expect(started.status).toBe(201);
  const { buying } = await buyFromAgentThatHangs(shop, `http://127.0.0.1:${port}`);
  await program.stop('SIGKILL');
  expect((await buying).outcome).toBe('lost');
  await until(() => !shop.agentProcesses().some(isRunning));
  await until(() => isPortFree('127.0.0.1', port));
});
