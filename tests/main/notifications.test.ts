import { expect, test } from 'vitest';
import { createNotifications, type NotificationsHost } from '../../src/main/notifications.ts';
import type { OperationReport, WalletEvent } from '../../src/server/wallet/wallet-events.ts';
import type { PageView } from '../../src/shared/desktop-bridge.ts';
import { makeClock } from '../support/clock.ts';
import { testMint } from '../support/mint/for-test.ts';
import type { TestMint } from '../support/mint/test-mint.ts';
import { serveWallet } from '../support/wallet.ts';
import { send, settle, sums, type TimedWallet, whileTimePasses } from '../support/wallet-recovery.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** The rules with a stopped clock, and everything that was shown. */
const start = (host: Partial<NotificationsHost> = {}) => {
  const clock = makeClock();
  const shown: string[] = [];
  const clicks: (() => void)[] = [];
  const opened: (PageView | undefined)[] = [];
  const closed: string[] = [];
  const notifications = createNotifications({
    show({ title, body }, onClick) {
      shown.push(`${title}: ${body}`);
      clicks.push(onClick);
      return { close: () => closed.push(title) };
    },
    wants: () => true,
    isLookingAt: () => false,
    open: (view) => opened.push(view),
    clock,
    ...host,
  });
  const hear = (event: WalletEvent) => notifications.hear(event);
  const open = (mintUrl = 'https://mint.example/Bitcoin', pending: OperationReport[] = []) =>
    hear({ name: 'opened', mintUrl, isSimulated: false, pending });
  const report = (operation: Partial<OperationReport> & { id: string }) =>
    hear({ name: 'operation', operation: operationOf(clock.now(), operation) });
  const askMint = (isReachable: boolean) => hear({ name: 'mint', isReachable });
  open();
  return { clock, shown, clicks, opened, closed, notifications, hear, open, report, askMint };
};

const operationOf = (now: number, more: Partial<OperationReport> & { id: string }): OperationReport => ({
  kind: 'receive',
  state: 'completed',
  amount: 21,
  createdAt: now,
  isReleased: false,
  isOfCharge: false,
  ...more,
});

/** The rules at a real wallet, whose clock they share. */
const startWallet = async (mint: TestMint, directory?: string) => {
  const clock = makeClock(new Date().toISOString());
  const rules = start({ clock });
  const server = await serveWallet(mint.url, {
    clock,
    onWalletEvent: rules.hear,
    ...(directory === undefined ? {} : { directory }),
  });
  const wallet: TimedWallet = { ...server, clock };
  return { ...rules, clock, wallet };
};

test('payments within a few seconds share one notification, and a click opens the wallet', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const { clock, shown, clicks, opened, wallet } = await startWallet(mint);
  const tokens = [1, 4, 16].map((amount) => mint.issue(amount, { memo: 'secret', withoutDleq: true }));
  for (const token of tokens) expect((await wallet.receive(token)).status).toBe(200);
  // A repeated request is the same payment.
  await wallet.receive(tokens[0]);
  expect(shown).toEqual([]);
  clock.pass(3 * SECOND_MS);
  expect(shown).toEqual(['Payment received: 3 payments, 21 sat in total']);
  clicks[0]?.();
  expect(opened).toEqual(['wallet']);

  await wallet.receive(mint.issue(1_024, { withoutDleq: true }));
  expect((await send(wallet, 20)).status).toBe(201);
  clock.pass(3 * SECOND_MS);
  expect(shown.slice(1)).toEqual(['Payment received: 1,024 sat']);
});

test('a payment that a restarted server completes is counted once, and a completed one never again', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const first = await startWallet(mint);
  await first.wallet.receive(mint.issue(8, { withoutDleq: true }));
  mint.fail('/v1/swap', { kind: 'drop', when: 'after' });
  mint.fail('/v1/checkstate', { kind: 'drop' });
  const answer = await whileTimePasses(
    first.wallet,
    first.wallet.receive(mint.issue(64, { withoutDleq: true })),
  );
  expect(answer.body.code).toBe('redemption_pending');
  await first.wallet.close();
  expect(first.shown).toEqual(['Payment received: 8 sat']);

  mint.clearFaults();
  const { clock, shown, wallet } = await startWallet(mint, first.wallet.directory);
  await settle(wallet, SECOND_MS);
  clock.pass(3 * SECOND_MS);
  // On a slow machine so much time passes that it was stuck before.
  expect(shown.filter((text) => !text.startsWith('Payment stuck'))).toEqual(['Payment received: 64 sat']);
  expect((await sums(wallet)).balance).toBe(72);
});

test('a payment that stays pending for ten minutes is reported once, and releasing it reports nothing', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const { clock, shown, wallet } = await startWallet(mint);
  mint.fail('/v1/swap', { kind: 'status' });
  mint.fail('/v1/restore', { kind: 'status', status: 404 });
  const { body } = await whileTimePasses(wallet, wallet.receive(mint.issue(100, { withoutDleq: true })));
  clock.pass(9 * MINUTE_MS);
  expect(shown).toEqual([]);
  clock.pass(MINUTE_MS);
  clock.pass(3 * SECOND_MS);
  const stuck =
    'Payment stuck: 100 sat. The mint hasn’t finished this payment. To get the sats back, choose “Release…” for it in the wallet’s history.';
  expect(shown).toEqual([stuck]);
  clock.pass(60 * MINUTE_MS);
  await wallet.asOperator('POST', `/api/wallet/operations/${body.operationId}/release`);
  clock.pass(3 * SECOND_MS);
  expect(shown).toEqual([stuck]);
});

test('a mint that is unreachable for five minutes is reported once, and removed from the screen when it responds', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const { clock, shown, closed, wallet } = await startWallet(mint);
  await wallet.receive(mint.issue(8, { withoutDleq: true }));
  clock.pass(3 * SECOND_MS);
  shown.length = 0;
  mint.fail('*', { kind: 'refuse' });
  const ask = async () => (await wallet.call('GET', '/api/wallet/mint')).body.state;
  expect(await ask()).toBe('unreachable');
  clock.pass(4 * MINUTE_MS);
  await ask();
  expect(shown).toEqual([]);
  clock.pass(MINUTE_MS);
  await ask();
  const { host } = new URL(mint.url);
  const text = `The mint isn’t responding: ${host} hasn’t responded for five minutes. dot-mi can’t receive payments until it does.`;
  expect(shown).toEqual([text]);
  clock.pass(MINUTE_MS);
  await ask();
  expect([shown.length, closed]).toEqual([1, []]);
  mint.clearFaults();
  clock.pass(MINUTE_MS);
  expect(await ask()).toBe('reachable');
  expect([shown.length, closed]).toEqual([1, ['The mint isn’t responding']]);
});

test('a refusal is reported if the request that caused it no longer waited for a response, together with those of the same moment', () => {
  const { clock, shown, report } = start();
  report({ id: 'answered', state: 'failed' });
  for (const id of ['a', 'b']) report({ id, state: 'failed', createdAt: clock.now() - MINUTE_MS });
  report({ id: 'a', state: 'failed', createdAt: clock.now() - MINUTE_MS });
  report({ id: 'given up', state: 'failed', createdAt: clock.now() - MINUTE_MS, isReleased: true });
  report({ id: 'own', kind: 'swap', state: 'failed', createdAt: clock.now() - MINUTE_MS });
  clock.pass(3 * SECOND_MS);
  expect(shown).toEqual(['Payment failed: 2 payments, 42 sat in total. The wallet shows the reason.']);
});

test('operations that an earlier process left pending count from their beginning, and those that ended or belong to another wallet don’t', () => {
  const { clock, shown, open, report } = start();
  const pending = operationOf(clock.now() - 9 * MINUTE_MS, { id: 'old', state: 'pending', kind: 'send' });
  open('https://mint.example', [pending]);
  report({ id: 'quick', state: 'pending' });
  report({ id: 'quick', state: 'completed', kind: 'send' });
  clock.pass(MINUTE_MS);
  clock.pass(3 * SECOND_MS);
  expect(shown).toHaveLength(1);
  report({ id: 'theirs', state: 'pending' });
  open('https://other.example');
  clock.pass(60 * MINUTE_MS);
  expect(shown).toHaveLength(1);
});

test('two failures with a long silence between them are not an outage, and another mint starts over', () => {
  const { clock, shown, closed, open, askMint } = start();
  askMint(false);
  clock.pass(30 * MINUTE_MS);
  askMint(false);
  expect(shown).toEqual([]);
  clock.pass(5 * MINUTE_MS);
  open('https://other.example');
  askMint(false);
  expect(shown).toEqual([]);
  clock.pass(5 * MINUTE_MS);
  // A restart at the same mint doesn't end the outage.
  open('https://other.example');
  askMint(false);
  expect(shown).toHaveLength(1);
  open('https://mint.example');
  expect(closed).toHaveLength(1);
});

test.each(['payments', 'attention', 'mint', 'updates'] as const)(
  'no notification of the kind %s is shown once it is turned off',
  (off) => {
    const { clock, shown, report, askMint, notifications } = start({ wants: (kind) => kind !== off });
    report({ id: 'received' });
    report({ id: 'late', state: 'failed', createdAt: clock.now() - MINUTE_MS });
    askMint(false);
    clock.pass(5 * MINUTE_MS);
    askMint(false);
    notifications.updateReady('0.2.0');
    expect(shown).toHaveLength(3);
  },
);

test('nothing is shown to an operator who is looking at the wallet', () => {
  let looksAt = 'wallet';
  const isLookingAt = (view?: PageView) => (view === undefined ? looksAt !== '' : view === looksAt);
  const { clock, shown, report, notifications } = start({ isLookingAt });
  report({ id: 'seen' });
  clock.pass(3 * SECOND_MS);
  report({ id: 'seen before leaving' });
  looksAt = 'settings';
  clock.pass(3 * SECOND_MS);
  report({ id: 'seen after coming back' });
  looksAt = 'wallet';
  clock.pass(3 * SECOND_MS);
  notifications.updateReady('0.2.0');
  expect(shown).toEqual([]);
  looksAt = '';
  report({ id: 'unseen' });
  clock.pass(3 * SECOND_MS);
  expect(shown).toEqual(['Payment received: 21 sat']);
});

test('test money is labeled as such, and a new version is reported once, although it is offered daily', () => {
  const { clock, shown, clicks, opened, hear, report, notifications } = start();
  hear({ name: 'opened', mintUrl: 'https://mint.example', isSimulated: true, pending: [] });
  report({ id: 'simulated' });
  clock.pass(3 * SECOND_MS);
  notifications.updateReady('0.2.0');
  notifications.updateReady('0.2.0');
  expect(shown).toEqual([
    'Test payment received: 21 sat',
    'dot-mi 0.2.0 is ready: dot-mi installs it when you quit.',
  ]);
  clicks[1]?.();
  expect(opened).toEqual([undefined]);
});

test('a limit that an agent reached is reported with when it starts again, and leads to the overview', () => {
  const { notifications, shown, clicks, opened } = start();
  const reached = { agent: 'scout', unit: 'usd', period: 'day' } as const;
  notifications.budgetReached({ ...reached, percent: 80 });
  notifications.budgetReached({ ...reached, unit: 'sats', period: 'month', percent: 100 });
  expect(shown).toEqual([
    'scout is near its budget: It has used 80% of its dollars for today.',
    'scout has used its budget: It has used all of its sats for this month. You can run it again next month, or raise the limit.',
  ]);
  clicks[0]?.();
  expect(opened).toEqual(['overview']);
  const quiet = start({ wants: (kind) => kind !== 'budgets' });
  quiet.notifications.budgetReached({ ...reached, percent: 100 });
  expect(quiet.shown).toEqual([]);
});

test('an agent that waits for a person is reported once, leads to its page, and is taken back when answered', () => {
  const { clock, shown, clicks, opened, closed, notifications } = start();
  const run = { agent: 'scout', run: 'a', workedMs: 0 };
  // A program answered.
  notifications.runChanged({ ...run, state: 'waiting' });
  clock.pass(SECOND_MS);
  notifications.runChanged({ ...run, state: 'running' });
  clock.pass(MINUTE_MS);
  expect(shown).toEqual([]);
  notifications.runChanged({ ...run, state: 'waiting' });
  clock.pass(3 * SECOND_MS);
  // A restarted server hears of the same question.
  notifications.runChanged({ ...run, state: 'waiting' });
  clock.pass(MINUTE_MS);
  expect(shown).toEqual(['scout is waiting for you: Answer it in its terminal.']);
  clicks[0]?.();
  expect(opened).toEqual(['agent:scout']);
  notifications.runChanged({ ...run, state: 'ended' });
  expect(closed).toEqual(['scout is waiting for you']);
  const quiet = start({ wants: (kind) => kind !== 'waiting' });
  quiet.notifications.runChanged({ ...run, state: 'waiting' });
  quiet.clock.pass(MINUTE_MS);
  expect(quiet.shown).toEqual([]);
});

test('an agent that is done is reported if it worked for ten seconds or more', () => {
  const { shown, notifications, opened, clicks } = start();
  const done = { agent: 'scout', run: 'a', state: 'done' } as const;
  notifications.runChanged({ ...done, workedMs: 9_999 });
  notifications.runChanged({ ...done, state: 'ended', workedMs: 90_000 });
  notifications.runChanged({ ...done, workedMs: 10_000 });
  notifications.runChanged({ ...done, workedMs: 90_000 });
  notifications.runChanged({ ...done, workedMs: 3 * 60 * MINUTE_MS });
  expect(shown).toEqual([
    'scout is done: It worked for 10 seconds.',
    'scout is done: It worked for 1 minute.',
    'scout is done: It worked for 3 hours.',
  ]);
  clicks[0]?.();
  expect(opened).toEqual(['agent:scout']);
  const quiet = start({ wants: (kind) => kind !== 'done' });
  quiet.notifications.runChanged({ ...done, workedMs: MINUTE_MS });
  expect(quiet.shown).toEqual([]);
});

test('a sale is reported soon, and then at most once a minute with all that happened since', () => {
  const { clock, shown, clicks, opened, notifications } = start();
  notifications.saleEnded('translator', { outcome: 'sold', charged: 12, isEstimated: false });
  clock.pass(3 * SECOND_MS);
  expect(shown).toEqual(['translator made a sale: 12 sat']);
  clicks[0]?.();
  expect(opened).toEqual(['wallet']);
  for (const outcome of ['sold', 'refunded', 'sold'] as const)
    notifications.saleEnded('translator', {
      outcome,
      charged: outcome === 'sold' ? 600 : 0,
      isEstimated: false,
    });
  clock.pass(50 * SECOND_MS);
  expect(shown).toHaveLength(1);
  clock.pass(10 * SECOND_MS);
  expect(shown[1]).toBe(
    'translator made 2 sales: 1,200 sat. 1 request failed. The customer got a full refund.',
  );
  clock.pass(10 * MINUTE_MS);
  expect(shown).toHaveLength(2);
});

test('paid work that failed is reported', () => {
  const { clock, shown, notifications } = start();
  notifications.saleEnded('translator', { outcome: 'refunded', charged: 0, isEstimated: false });
  notifications.saleEnded('writer', { outcome: 'refunded', charged: 0, isEstimated: false });
  clock.pass(3 * SECOND_MS);
  expect(shown).toEqual([
    '2 agents couldn’t do paid work: 2 requests failed. The customers got a full refund.',
  ]);
});

test('a provider that reports no usage is reported once a day for each agent, besides the sales', () => {
  const { clock, shown, clicks, opened, notifications } = start();
  const end = (agent: string, isEstimated: boolean) =>
    notifications.saleEnded(agent, { outcome: 'sold', charged: 12, isEstimated });
  const says = (agent: string) =>
    `${agent}’s provider reports no usage: dot-mi estimated the model tokens of a sale. Compare its price with the provider’s bill.`;
  end('translator', true);
  expect(shown).toEqual([says('translator')]);
  clicks[0]?.();
  expect(opened).toEqual(['agent:translator']);
  end('translator', true);
  end('writer', true);
  end('courier', false);
  clock.pass(3 * SECOND_MS);
  expect(shown.slice(1)).toEqual([says('writer'), '3 agents made 4 sales: 48 sat']);
  clock.pass(24 * 60 * MINUTE_MS);
  end('translator', true);
  expect(shown.at(-1)).toBe(says('translator'));
});

test('a service that closes is reported once, and again when it opens', () => {
  const { clock, shown, closed, opened, clicks, notifications } = start();
  const close = (problem: string) => notifications.shopTurned('translator', { state: 'closed', problem });
  const open = () => notifications.shopTurned('translator', { state: 'running' });
  open();
  close('Its process ended.');
  clock.pass(29 * SECOND_MS);
  // A restart is worth no notification.
  open();
  clock.pass(MINUTE_MS);
  expect(shown).toEqual([]);

  close('There is no BTC price yet.');
  clock.pass(10 * SECOND_MS);
  close('There is no BTC price yet.');
  clock.pass(20 * MINUTE_MS);
  close('Another program uses port 8402.');
  clock.pass(20 * MINUTE_MS);
  expect(shown).toEqual(['Customers can’t buy from translator: There is no BTC price yet.']);
  clicks[0]?.();
  expect(opened).toEqual(['agent:translator']);
  open();
  expect(shown.slice(1)).toEqual(['translator is for sale again: Customers can buy from it.']);
  expect(closed).toEqual(['Customers can’t buy from translator']);

  close('Its process ended.');
  clock.pass(MINUTE_MS);
  notifications.shopTurned('translator', { state: 'stopped' });
  clock.pass(MINUTE_MS);
  expect(shown.slice(2)).toEqual(['Customers can’t buy from translator: Its process ended.']);
});

test('what a customer pays for work has no notification besides the sale', () => {
  const { clock, shown, report } = start();
  report({ id: 'paid work', isOfCharge: true });
  clock.pass(3 * SECOND_MS);
  expect(shown).toEqual([]);
});

test('sales stay silent if the person turned them off or sees the wallet', () => {
  for (const host of [{ wants: () => false }, { isLookingAt: () => true }]) {
    const { clock, shown, notifications } = start(host);
    notifications.saleEnded('translator', { outcome: 'sold', charged: 12, isEstimated: false });
    clock.pass(MINUTE_MS);
    expect(shown).toEqual([]);
  }
});
