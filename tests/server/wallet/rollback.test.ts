import { describe, expect, test } from 'vitest';
import { testMint } from '../../support/mint/for-test.ts';
import type { TestMint } from '../../support/mint/test-mint.ts';
import { until } from '../../support/raw-http.ts';
import {
  copyWallet,
  earn,
  expectBacked,
  expectConsistent,
  historySum,
  pay,
  putBack,
  startCopy,
  untilConfirmed,
} from '../../support/wallet-copies.ts';
import {
  reclaim,
  send,
  settle,
  sums,
  type TimedWallet,
  whileTimePasses,
} from '../../support/wallet-recovery.ts';
import { readHistory } from '../../torture/ask.ts';

/** A wallet directory is copied, the wallet continues, and the copy is put back: the wallet forgets what it did since. */

const FUNDS = 100;

interface RollbackOptions {
  copied?: 'stopped' | 'running';
  /** What the wallet does before it is copied, once it has 100 sats. */
  before?: (wallet: TimedWallet) => Promise<void>;
  /** What it does after that, and forgets. */
  later: (wallet: TimedWallet) => Promise<void>;
}

/** Returns the directory, which the copy is back in. */
const rollBack = async (
  mint: TestMint,
  { copied = 'stopped', before, later }: RollbackOptions,
): Promise<string> => {
  let wallet = await startCopy(mint);
  const { directory } = wallet;
  await earn(wallet, mint, FUNDS);
  await before?.(wallet);
  if (copied === 'stopped') await wallet.close();
  const copy = await copyWallet(directory);
  if (copied === 'stopped') wallet = await startCopy(mint, { directory });
  await later(wallet);
  await wallet.close();
  await putBack(copy, directory);
  return directory;
};

/** The longest time, on the wallet's clock, until the balance is right once the mint answers. */
const RIGHT_AFTER_MS = 10_000;
const STEP_MS = 50;

/** Waits until the balance is right, and lets that much time pass. */
const untilBalance = (wallet: TimedWallet, balance: number): Promise<void> => {
  let leftMs = RIGHT_AFTER_MS;
  return until(async () => {
    if (leftMs > 0) wallet.clock.pass(STEP_MS);
    leftMs -= STEP_MS;
    return (await wallet.balance()) === balance;
  }).catch(async () => expect(await wallet.balance()).toBe(balance));
};

/** The sums of the history by kind. */
const kindsOf = async (wallet: TimedWallet): Promise<Record<string, number>> => {
  const amounts: Record<string, number> = {};
  for (const { kind, state, amount } of await readHistory(wallet)) {
    if (state === 'completed') amounts[kind] = (amounts[kind] ?? 0) + amount;
  }
  return amounts;
};

/**
 * Starts the wallet while `/v1/restore` fails, so that it can't look ahead; its first request can't either. After that the mint
 * answers again.
 */
const startBlind = async (mint: TestMint, directory: string): Promise<TimedWallet> => {
  const before = mint.requestCount('/v1/restore');
  mint.fail('/v1/restore', { kind: 'status', times: 2 });
  const wallet = await startCopy(mint, { directory });
  await until(() => mint.requestCount('/v1/restore') > before);
  return wallet;
};

describe.each(['stopped', 'running'] as const)('a copy of a %s server that is put back', (copied) => {
  // One whose database was not closed is the harder one.
  const tags = copied === 'running' ? [] : ['slow'];
  test('recovers the sats that were earned since, and drops those that were spent', { tags }, async () => {
    const mint = await testMint();
    let sent = '';
    const directory = await rollBack(mint, {
      copied,
      async later(wallet) {
        await earn(wallet, mint, 30);
        sent = await pay(wallet, 21);
        await earn(wallet, mint, 7);
        // Its own token, back to itself.
        expect((await wallet.receive(await pay(wallet, 5))).status).toBe(200);
        const { operationId } = (await send(wallet, 3)).body;
        expect((await reclaim(wallet, operationId)).status).toBe(200);
      },
    });
    const expected = FUNDS + 30 - 21 + 7;
    const wallet = await startCopy(mint, { directory });
    await untilBalance(wallet, expected);
    await untilConfirmed(wallet);
    const { recovered = 0, spent_elsewhere: spent = 0 } = await kindsOf(wallet);
    expect(recovered - spent).toBe(expected - FUNDS);
    expect(recovered).toBeGreaterThanOrEqual(37);
    await expectConsistent(wallet, mint);
    await earn(wallet, mint, 9);
    const token = await pay(wallet, 11);
    expect(mint.unspent([token, sent])).toBe(32);
    expect(await wallet.balance()).toBe(mint.outstanding() - 32);
    await expectConsistent(wallet, mint);
  });

  test('receives an honest token as the very first request', { tags: 'slow' }, async () => {
    const mint = await testMint();
    const directory = await rollBack(mint, {
      copied,
      later: async (later) => void (await earn(later, mint, 63)),
    });
    const wallet = await startCopy(mint, { directory });
    await earn(wallet, mint, 15);
    await untilBalance(wallet, FUNDS + 63 + 15);
    expect(await kindsOf(wallet)).toEqual({ receive: FUNDS + 15, recovered: 63 });
    await expectConsistent(wallet, mint);
  });

  test('receives an honest token within the request, even if it could not ask the mint before', {
    tags: 'slow',
  }, async () => {
    const mint = await testMint();
    const directory = await rollBack(mint, {
      copied,
      later: async (later) => void (await earn(later, mint, 63)),
    });
    const wallet = await startBlind(mint, directory);
    await earn(wallet, mint, 15);
    await expectBacked(wallet, mint);
    await untilBalance(wallet, FUNDS + 63 + 15);
    expect(await kindsOf(wallet)).toEqual({ receive: FUNDS + 15, recovered: 63 });
    await expectConsistent(wallet, mint);
  });
});

describe.each([
  ['that could ask the mint first', false],
  ['that could not ask the mint first', true],
])('after a rollback, a wallet %s', (_name, isBlind) => {
  const start = async (mint: TestMint, directory: string) =>
    isBlind ? startBlind(mint, directory) : startCopy(mint, { directory });

  test('refuses a token that its sender spent, although the mint signed its outputs for the later self', {
    tags: 'slow',
  }, async () => {
    const mint = await testMint();
    const directory = await rollBack(mint, { later: async (later) => void (await earn(later, mint, 63)) });
    // As many outputs, of the same amounts: the request is the one that the later self made.
    const spent = mint.issue(63, { withoutDleq: true });
    mint.spend([spent]);
    const wallet = await start(mint, directory);
    const { status, body } = await wallet.receive(spent);
    expect([status, body.code]).toEqual([409, 'token_spent']);
    expect(body.operationId).toBeUndefined();
    await expectBacked(wallet, mint);
    await untilBalance(wallet, FUNDS + 63);
    // Asked again, it's still spent, and nothing is credited for it.
    expect((await wallet.receive(spent)).body.code).toBe('token_spent');
    expect(await kindsOf(wallet)).toEqual({ receive: FUNDS, recovered: 63 });
    await earn(wallet, mint, 5);
    await expectConsistent(wallet, mint);
  });

  test('refuses a token that its later self received, and counts its sats once', {
    tags: 'slow',
  }, async () => {
    const mint = await testMint();
    let own = '';
    const directory = await rollBack(mint, {
      async later(later) {
        own = await earn(later, mint, 63);
      },
    });
    const wallet = await start(mint, directory);
    const { status, body } = await wallet.receive(own);
    expect([status, body.code]).toEqual([409, 'token_spent']);
    await untilBalance(wallet, FUNDS + 63);
    expect((await wallet.receive(own)).status).toBe(409);
    expect(await kindsOf(wallet)).toEqual({ receive: FUNDS, recovered: 63 });
    await expectConsistent(wallet, mint);
  });

  test('refuses a token that its later self received and passed on', { tags: 'slow' }, async () => {
    const mint = await testMint();
    let own = '';
    const directory = await rollBack(mint, {
      async later(later) {
        own = await earn(later, mint, 63);
        mint.spend([await pay(later, FUNDS + 63)]);
      },
    });
    const wallet = await start(mint, directory);
    expect((await wallet.receive(own)).body.code).toBe('token_spent');
    wallet.clock.pass(60_001);
    await untilBalance(wallet, 0);
    await untilConfirmed(wallet);
    expect(await kindsOf(wallet)).toEqual({ receive: FUNDS, spent_elsewhere: FUNDS });
    await expectConsistent(wallet, mint);
  });

  test('sends from what is left, although its later self spent proofs that it still counts', {
    tags: 'slow',
  }, async () => {
    const mint = await testMint();
    const directory = await rollBack(mint, {
      async later(later) {
        mint.spend([await pay(later, 30)]);
        await earn(later, mint, 8);
      },
    });
    const wallet = await start(mint, directory);
    const token = await pay(wallet, 40);
    expect(mint.unspent([token])).toBe(40);
    wallet.clock.pass(60_001);
    await untilBalance(wallet, FUNDS - 30 + 8 - 40);
    await untilConfirmed(wallet);
    await expectConsistent(wallet, mint);
  });
});

test.each([
  ['with change', 30],
  ['without change', 36],
])(
  'a later self that only sent, %s, corrects the balance automatically',
  { tags: 'slow' },
  async (_name, amount) => {
    const mint = await testMint();
    const directory = await rollBack(mint, {
      later: async (later) => mint.spend([await pay(later, amount)]),
    });
    const wallet = await startCopy(mint, { directory });
    await until(() => mint.requestCount('/v1/restore') > 0);
    wallet.clock.pass(60_001);
    await untilBalance(wallet, FUNDS - amount);
    await untilConfirmed(wallet);
    const entries = await readHistory(wallet);
    expect(entries.filter(({ kind }) => kind === 'spent_elsewhere').length).toBeGreaterThan(0);
    await expectConsistent(wallet, mint);
    await earn(wallet, mint, 3);
    expect(await wallet.balance()).toBe(mint.outstanding());
  },
);

/** Rotates, and waits until the wallet asks for keysets that it does not know: at most once a second. */
const rotate = async (mint: TestMint) => {
  const keyset = mint.rotate();
  await new Promise((resolve) => setTimeout(resolve, 1_050));
  return keyset;
};

test.each([
  ['is still the active one', false],
  ['is no longer active', true],
])(
  'sats on a keyset that appeared after the copy and %s return automatically',
  { tags: 'slow' },
  async (_name, isRotated) => {
    const mint = await testMint();
    const directory = await rollBack(mint, {
      async later(later) {
        await rotate(mint);
        await earn(later, mint, 40);
      },
    });
    if (isRotated) mint.rotate();
    const wallet = await startCopy(mint, { directory });
    wallet.clock.pass(60_001);
    await untilBalance(wallet, FUNDS + 40);
    expect(await kindsOf(wallet)).toMatchObject({ receive: FUNDS, recovered: 40 });
    await expectConsistent(wallet, mint);
  },
);

test('sats earned after the copy on a keyset that is no longer active return automatically', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const directory = await rollBack(mint, { later: async (later) => void (await earn(later, mint, 40)) });
  mint.rotate();
  const wallet = await startCopy(mint, { directory });
  wallet.clock.pass(60_001);
  await untilBalance(wallet, FUNDS + 40);
  expect(await kindsOf(wallet)).toMatchObject({ receive: FUNDS, recovered: 40 });
  await expectConsistent(wallet, mint);
});

test('proofs that the later self moved to another keyset are counted once', { tags: 'slow' }, async () => {
  const mint = await testMint();
  const directory = await rollBack(mint, {
    async later(later) {
      await rotate(mint);
      await until(async () => {
        later.clock.pass(60_001);
        return (await readHistory(later)).some(({ kind, state }) => kind === 'swap' && state === 'completed');
      });
    },
  });
  const wallet = await startCopy(mint, { directory });
  await untilBalance(wallet, FUNDS);
  await until(async () => {
    wallet.clock.pass(10_000);
    return (await kindsOf(wallet)).recovered === FUNDS;
  });
  expect(await kindsOf(wallet)).toEqual({ receive: FUNDS, recovered: FUNDS, spent_elsewhere: FUNDS });
  await expectConsistent(wallet, mint);
});

/** Begins a receive whose swap the mint does, without an answer that says so. */
const receivePending = async (wallet: TimedWallet, mint: TestMint, amount: number): Promise<string> => {
  mint.fail('/v1/swap', { kind: 'drop', when: 'after' });
  mint.fail('/v1/checkstate', { kind: 'drop' });
  const token = mint.issue(amount, { withoutDleq: true });
  const { body } = await whileTimePasses(wallet, wallet.receive(token));
  expect(body.code).toBe('redemption_pending');
  return token;
};

test('a receive that was pending in the copy, and whose sats the later self spent, is not credited again', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const directory = await rollBack(mint, {
    copied: 'running',
    before: async (wallet) => void (await receivePending(wallet, mint, 50)),
    async later(wallet) {
      mint.clearFaults();
      await settle(wallet);
      expect(await sums(wallet)).toEqual({ balance: FUNDS + 50, pending: 0 });
      mint.spend([await pay(wallet, FUNDS + 50)]);
    },
  });
  const wallet = await startCopy(mint, { directory });
  await settle(wallet);
  wallet.clock.pass(60_001);
  await untilBalance(wallet, 0);
  expect(mint.outstanding()).toBe(0);
  await untilConfirmed(wallet);
  await expectConsistent(wallet, mint);
});

test('a receive that was pending in the copy, and whose sats the later self kept, is credited once', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const directory = await rollBack(mint, {
    copied: 'running',
    before: async (wallet) => void (await receivePending(wallet, mint, 50)),
    async later(wallet) {
      mint.clearFaults();
      await settle(wallet);
      await earn(wallet, mint, 11);
    },
  });
  const wallet = await startCopy(mint, { directory });
  await settle(wallet);
  await untilBalance(wallet, FUNDS + 61);
  expect(await kindsOf(wallet)).toEqual({ receive: FUNDS + 50, recovered: 11 });
  await expectConsistent(wallet, mint);
});

test.each([
  ['kept', false],
  ['spent', true],
])(
  'a send that was pending in the copy, whose change the later self %s, has its token and no change twice',
  { tags: 'slow' },
  async (_name, isSpent) => {
    const mint = await testMint();
    let token = '';
    const directory = await rollBack(mint, {
      copied: 'running',
      async before(wallet) {
        mint.fail('/v1/swap', { kind: 'drop', when: 'after' });
        mint.fail('/v1/checkstate', { kind: 'drop' });
        expect((await whileTimePasses(wallet, send(wallet, 20))).body.code).toBe('send_pending');
      },
      async later(wallet) {
        mint.clearFaults();
        await settle(wallet);
        token = (await readHistory(wallet)).find(({ kind }) => kind === 'send')?.token ?? '';
        expect(mint.unspent([token])).toBe(20);
        if (isSpent) mint.spend([await pay(wallet, FUNDS - 20)]);
      },
    });
    const wallet = await startCopy(mint, { directory });
    await settle(wallet);
    wallet.clock.pass(60_001);
    await untilBalance(wallet, isSpent ? 0 : FUNDS - 20);
    await untilConfirmed(wallet);
    const entry = (await readHistory(wallet)).find(({ kind }) => kind === 'send');
    expect(entry).toMatchObject({ state: 'completed', amount: 20 });
    expect(mint.unspent([entry?.token ?? ''])).toBe(20);
    expect(mint.outstanding()).toBe((await wallet.balance()) + 20);
    await expectConsistent(wallet, mint);
  },
);

test.each([
  ['looks ahead', false],
  ['could not look ahead', true],
])(
  'counters that were reusable in the copy and that the later self used are not used again by a wallet that %s',
  { tags: 'slow' },
  async (_name, isBlind) => {
    const mint = await testMint();
    const forged = () => mint.issue(31, { forged: true });
    const directory = await rollBack(mint, {
      async before(wallet) {
        for (let count = 0; count < 3; count++) expect((await wallet.receive(forged())).status).toBe(422);
        // Nothing but a used one lies between.
        await earn(wallet, mint, 1);
        for (let count = 0; count < 2; count++) expect((await wallet.receive(forged())).status).toBe(422);
      },
      async later(wallet) {
        for (const amount of [3, 7, 31]) await earn(wallet, mint, amount);
      },
    });
    const wallet = isBlind ? await startBlind(mint, directory) : await startCopy(mint, { directory });
    for (const amount of [1, 15]) await earn(wallet, mint, amount);
    await untilBalance(wallet, FUNDS + 1 + 41 + 16);
    expect(await wallet.balance()).toBe(mint.outstanding());
    await expectConsistent(wallet, mint);
  },
);

test('a copy that is put back again and again never counts more than the mint has', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  let wallet = await startCopy(mint);
  const { directory } = wallet;
  await earn(wallet, mint, FUNDS);
  const copy = await copyWallet(directory);
  const sent: string[] = [];
  for (const amount of [3, 31, 64]) {
    await earn(wallet, mint, amount);
    sent.push(await pay(wallet, amount + 5));
    await wallet.close();
    await putBack(copy, directory);
    wallet = await startCopy(mint, { directory });
    await untilBalance(wallet, mint.outstanding() - mint.unspent(sent));
    await untilConfirmed(wallet);
    await expectConsistent(wallet, mint);
  }
  expect(historySum(await readHistory(wallet))).toBe(FUNDS - 15);
});

test('a mint that responds to a repeated swap from its memory brings no sats that the later self spent', {
  tags: 'slow',
}, async () => {
  const mint = await testMint({ isCaching: true });
  let own = '';
  const directory = await rollBack(mint, {
    async later(later) {
      own = await earn(later, mint, 63);
      mint.spend([await pay(later, FUNDS + 63)]);
    },
  });
  const wallet = await startBlind(mint, directory);
  await wallet.receive(own);
  wallet.clock.pass(60_001);
  await untilBalance(wallet, 0);
  await untilConfirmed(wallet);
  await expectConsistent(wallet, mint);
});

test('a mint that fails in the middle of the look-ahead is asked again, and the sats return', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const directory = await rollBack(mint, {
    later: async (later) => void (await earn(later, mint, 63)),
  });
  // The first answer says that there is something. The next request, for what it is, fails.
  const before = mint.requestCount('/v1/restore');
  mint.fail('/v1/restore', { kind: 'status', every: 2, times: 1 });
  const wallet = await startCopy(mint, { directory });
  await until(() => mint.requestCount('/v1/restore') === before + 2);
  expect(await wallet.balance()).toBe(FUNDS);
  wallet.clock.pass(60_001);
  await untilBalance(wallet, FUNDS + 63);
  await expectConsistent(wallet, mint);
});
