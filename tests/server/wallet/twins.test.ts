import { expect, test } from 'vitest';
import { testMint } from '../../support/mint/for-test.ts';
import type { TestMint } from '../../support/mint/test-mint.ts';
import { until } from '../../support/raw-http.ts';
import type { Answer } from '../../support/server.ts';
import { serveWallet, type WalletServer } from '../../support/wallet.ts';
import {
  copyWallet,
  earn,
  expectBacked,
  expectConsistent,
  pay,
  startCopy,
  untilConfirmed,
} from '../../support/wallet-copies.ts';
import { send } from '../../support/wallet-recovery.ts';
import { readHistory } from '../../torture/ask.ts';

/** Two servers run on copies of one data directory: they share the words, the counters and the proofs of before. */

/**
 * Starts a server and waits until it has asked what the mint signed. What the other one does after that is not taken for what an
 * earlier self did.
 */
const startLooking = async <T>(
  mint: TestMint,
  start: (directory: string) => Promise<T>,
  directory: string,
): Promise<T> => {
  const before = mint.requestCount('/v1/restore');
  const server = await start(directory);
  await until(() => mint.requestCount('/v1/restore') > before);
  return server;
};

/** Two servers, one on a copy of the other's directory, with nothing in them. */
const startTwins = async <T extends WalletServer>(
  mint: TestMint,
  start: (directory?: string) => Promise<T>,
): Promise<[T, T]> => {
  const original = await start();
  await earn(original, mint, 1);
  mint.spend([await pay(original, 1)]);
  await original.close();
  const copy = await copyWallet(original.directory);
  return [await startLooking(mint, start, original.directory), await startLooking(mint, start, copy)];
};

const realTime = (mint: TestMint) => (directory?: string) =>
  serveWallet(mint.url, {
    mintTimeoutMs: 30_000,
    requestDeadlineMs: 60_000,
    ...(directory ? { directory } : {}),
  });

/**
 * Returns a check that both wallets together don't count more than the mint owes them: what they redeemed since, as long as they send
 * nothing. The mint is asked last, since it only owes more.
 */
const watchTwins = (twins: readonly WalletServer[], mint: TestMint) => {
  const before = mint.totals().spent;
  return async () => {
    const balances = await Promise.all(twins.map((twin) => twin.balance()));
    expect(balances.reduce((sum, balance) => sum + balance, 0)).toBeLessThanOrEqual(
      mint.totals().spent - before,
    );
  };
};

/** Checks that the sats of each token that a twin received are in that twin's history, once. */
const expectTrueAnswers = async (
  twins: readonly WalletServer[],
  mint: TestMint,
  answers: readonly { twin: WalletServer; token: string; answer: Answer }[],
) => {
  for (const twin of twins) {
    const history = await readHistory(twin);
    const own = answers.filter((each) => each.twin === twin && each.answer.status === 200);
    for (const { token, answer } of own) {
      const entry = history.find(({ id }) => id === answer.body.operationId);
      expect(entry).toMatchObject({ kind: 'receive', state: 'completed', amount: answer.body.amount });
      expect(new Set(mint.states(token))).toEqual(new Set(['SPENT']));
    }
    expect(history.filter(({ kind, state }) => kind === 'receive' && state === 'completed')).toHaveLength(
      own.length + 1,
    );
  }
  const paid = answers.filter(({ answer }) => answer.status === 200).map(({ token }) => token);
  expect(new Set(paid).size).toBe(paid.length);
};

const amountAt = (at: number): number => 1 + (at % 7);

/** Restarts each twin, one after the other, and checks that all sats are there. */
const expectAllThereAfterRestart = async (
  twins: readonly WalletServer[],
  mint: TestMint,
  start: (directory: string) => Promise<WalletServer>,
) => {
  const restarted: WalletServer[] = [];
  for (const twin of twins) {
    await twin.close();
    restarted.push(await startLooking(mint, start, twin.directory));
  }
  const sum = async () =>
    (await Promise.all(restarted.map((twin) => twin.balance()))).reduce((a, b) => a + b, 0);
  await until(async () => (await sum()) === mint.outstanding()).catch(() => undefined);
  expect(await sum()).toBe(mint.outstanding());
  for (const twin of restarted) await expectBacked(twin, mint);
  // Each of them is still good for a receive and a send.
  for (const twin of restarted) {
    await earn(twin, mint, 21);
    expect(mint.unspent([await pay(twin, 10)])).toBe(10);
  }
};

test('two servers that take turns receive 200 tokens each, and count each sat once', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const start = realTime(mint);
  const twins = await startTwins(mint, start);
  const answers = [];
  const expectWithinMint = watchTwins(twins, mint);
  for (let at = 0; at < 200; at++) {
    for (const twin of twins) {
      const token = mint.issue(amountAt(at), { withoutDleq: true });
      answers.push({ twin, token, answer: await twin.receive(token) });
    }
    await expectWithinMint();
  }
  expect(answers.map(({ answer }) => answer.status)).toEqual(answers.map(() => 200));
  await expectTrueAnswers(twins, mint, answers);
  await expectAllThereAfterRestart(twins, mint, start);
});

test('two servers that receive 200 tokens each at the same time count each sat once', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const start = realTime(mint);
  const twins = await startTwins(mint, start);
  const tokens = Array.from({ length: 400 }, (_, at) => mint.issue(amountAt(at), { withoutDleq: true }));
  // None is given to both: with the same counters, their requests would be the same one (ADR 16).
  const given = twins.map((_, which) => tokens.filter((__, at) => at % 2 === which));
  const answers: { twin: WalletServer; token: string; answer: Answer }[] = [];
  const clients = twins.flatMap((twin, which) => {
    const left = [...(given[which] ?? [])];
    return Array.from({ length: 4 }, async () => {
      for (let token = left.shift(); token !== undefined; token = left.shift()) {
        answers.push({ twin, token, answer: await twin.receive(token) });
      }
    });
  });
  const expectWithinMint = watchTwins(twins, mint);
  let isDone = false;
  const watching = (async () => {
    while (!isDone) {
      await expectWithinMint();
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  })();
  await Promise.all(clients);
  isDone = true;
  await watching;
  expect(answers.map(({ answer }) => answer.status)).toEqual(tokens.map(() => 200));
  await expectTrueAnswers(twins, mint, answers);
  await expectAllThereAfterRestart(twins, mint, start);
});

test.each([
  ['the original', 0],
  ['the copy', 1],
])(
  'when only %s is left, it finds all sats after ten quiet minutes, and not before',
  { tags: 'slow' },
  async (_name, left) => {
    const mint = await testMint();
    const twins = await startTwins(mint, (directory) => startCopy(mint, directory ? { directory } : {}));
    const survivor = twins[left] ?? twins[0];
    // So many counters that each meets those of the other.
    for (let at = 0; at < 9; at++) for (const twin of twins) await earn(twin, mint, 7);
    const own = await survivor.balance();
    expect(own).toBe(mint.outstanding() / 2);
    await (twins[1 - left] ?? twins[1]).close();
    const asked = mint.requestCount('/v1/restore');
    for (let minutes = 0; minutes < 9; minutes++) {
      survivor.clock.pass(60_000);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    // Maintenance has looked far ahead, and left the other one's sats alone.
    await until(() => mint.requestCount('/v1/restore') > asked);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await survivor.balance()).toBe(own);
    await until(async () => {
      survivor.clock.pass(60_000);
      return (await survivor.balance()) !== own;
    });
    expect(await survivor.balance()).toBe(mint.outstanding());
    await expectConsistent(survivor, mint);
    await earn(survivor, mint, 5);
    expect(mint.unspent([await pay(survivor, own * 2 + 5)])).toBe(own * 2 + 5);
  },
);

test('a server whose clock was weeks ahead finds all sats after ten quiet minutes once the clock is right', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const twins = await startTwins(mint, (directory) => startCopy(mint, directory ? { directory } : {}));
  for (const { clock } of twins) clock.pass(20 * 24 * 60 * 60_000);
  for (let at = 0; at < 9; at++) for (const twin of twins) await earn(twin, mint, 7);
  for (const twin of twins) await twin.close();
  const survivor = await startCopy(mint, { directory: twins[0].directory });
  // A slow computer needs more minutes than eleven, but not days.
  for (let minutes = 0; minutes < 720 && (await survivor.balance()) < mint.outstanding(); minutes++) {
    survivor.clock.pass(60_000);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  expect(await survivor.balance()).toBe(mint.outstanding());
  await expectConsistent(survivor, mint);
});

test('after a server spends proofs that both count, the other counts no more than the mint calls unspent', async () => {
  const mint = await testMint();
  const original = await startCopy(mint);
  await earn(original, mint, 96);
  await original.close();
  const copy = await copyWallet(original.directory);
  const start = (directory: string) => startCopy(mint, { directory });
  const first = await startLooking(mint, start, original.directory);
  const second = await startLooking(mint, start, copy);
  const tokens = [await pay(first, 30)];
  // The other one doesn't know yet that the proof it chooses is spent.
  tokens.push(await pay(second, 20));
  expect(mint.unspent(tokens)).toBe(50);
  await until(async () => (await second.balance()) <= mint.outstanding() - 50);
  // And now the first one's other proof is spent.
  const { status, body } = await send(first, 7);
  expect([status, body.code]).toEqual([422, 'insufficient_funds']);
  expect([await first.balance(), await second.balance()]).toEqual([2, 44]);
  for (const twin of [first, second]) {
    await until(async () => {
      twin.clock.pass(60_001);
      return (await twin.balance()) <= mint.outstanding() - mint.unspent(tokens);
    });
    await untilConfirmed(twin);
    await expectConsistent(twin, mint);
  }
});
