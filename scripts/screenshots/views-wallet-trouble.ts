import type { Page } from 'playwright';
import type { HistoryEntry } from '../../src/shared/api/wallet.ts';
import { opens, opensSheet, sees, type View } from './view.ts';

// A mint or disk would have to fail for weeks to cause these states, so this file fakes the server's answers.

const path = '/wallet';
const HOUR_MS = 60 * 60 * 1000;
const EARLIER_MINT = 'https://mint.example/Bitcoin';
const WORDS = `${'abandon '.repeat(11)}about`;
const TOKEN = `cashuB${'o2FteCFodHRwczovL21pbnQuZXhhbXBsZS9CaXRjb2lu'.repeat(8)}`;

type Answer = Readonly<Record<string, unknown>>;

/** Responds to a wallet route with a changed copy of the server's response. */
const changes = (page: Page, route: string, change: (answer: Answer) => Answer): Promise<unknown> =>
  page.route(`**/api/wallet/${route}`, async (request) => {
    const url = new URL(request.request().url());
    // Browsers resolve names under localhost, but Node asks the system, which may not.
    url.hostname = '127.0.0.1';
    const response = await request.fetch({ url: url.href });
    await request.fulfill({ response, json: change((await response.json()) as Answer) });
  });

const answers = (page: Page, route: string, json: unknown, status = 200): Promise<unknown> =>
  page.route(`**/api/wallet/${route}`, (request) => request.fulfill({ status, json }));

/** Reloads the page with the faked answers and waits for a text. */
const reload = async (page: Page, text: string | RegExp): Promise<void> => {
  await page.reload();
  await sees(text)(page);
};

const entry = (hoursAgo: number, more: Partial<HistoryEntry>): HistoryEntry => {
  const at = new Date(Date.now() - hoursAgo * HOUR_MS).toISOString();
  const base = {
    id: `01a8f6b2-${hoursAgo}`,
    kind: 'receive',
    state: 'completed',
    amount: 21,
    fee: 0,
  } as const;
  return { ...base, createdAt: at, updatedAt: at, ...more };
};

const NO_ANSWER = { error: 'The mint hasn’t answered.', code: 'redemption_pending' };
const ODD_ENTRIES = [
  entry(1, { state: 'pending', amount: 640, memo: 'code review', error: NO_ANSWER }),
  entry(2, { kind: 'recovered', amount: 1_200 }),
  entry(3, { kind: 'spent_elsewhere', amount: 310 }),
  entry(4, {
    state: 'failed',
    amount: 64,
    error: { error: 'You released this operation.', code: 'released' },
  }),
];

const withOddHistory = async (page: Page): Promise<void> => {
  await changes(page, 'history*', ({ entries, ...rest }) => ({
    ...rest,
    entries: [...ODD_ENTRIES, ...(entries as HistoryEntry[])],
  }));
  await reload(page, 'Another copy of this wallet spent these sats.');
};

const withoutSeed = async (page: Page): Promise<void> => {
  await changes(page, 'balance', (balance) => ({ ...balance, seed: 'missing' }));
  await reload(page, 'backup words are missing');
};

const RESTORED = {
  found: 1_317,
  amount: 1_200,
  pending: 96,
  unconfirmed: 20,
  proofs: 9,
  fee: 1,
  words: 'kept',
  skipped: [{ keysetId: '009a1f293253e41e', reason: 'The mint’s keys don’t match the id of this keyset.' }],
};

const submitsWords = async (page: Page): Promise<void> => {
  await opensSheet(page, 'Backup');
  await opens('Restore from words…')(page);
  await page.getByRole('textbox', { name: 'Backup words' }).fill(WORDS);
  await page.getByRole('button', { name: 'Restore', exact: true }).click();
};

const withTestTokens = async (page: Page): Promise<void> => {
  const token = (id: string, hours: number, amount: number, memo?: string) => {
    const receivedAt = new Date(Date.now() - hours * HOUR_MS).toISOString();
    return { id, amount, receivedAt, ...(memo ? { memo } : {}) };
  };
  const tokens = [
    token('a', 3, 64, 'release notes'),
    token('b', 26, 1_000),
    token('c', 200, 21, 'translation of a long manual, chapter after chapter'),
  ];
  await answers(page, 'test-tokens', { tokens });
  await answers(
    page,
    'test-tokens/b/redeem',
    { error: 'The mint can’t be reached.', code: 'mint_unreachable' },
    503,
  );
  await reload(page, '3 tokens received while testing may be real');
};

/** The wallet after a rollback, with a stuck mint, without its words, and with tokens received as test money. */
export const WALLET_TROUBLE_VIEWS: readonly View[] = [
  { name: 'history-odd', path, ready: withOddHistory },
  {
    name: 'balance-elsewhere',
    path,
    ready: async (page) => {
      await changes(page, 'balance', (balance) => ({
        ...balance,
        expired: 96,
        otherMints: [
          { mint: EARLIER_MINT, balance: 12_500, pending: 40 },
          { mint: 'https://another-mint-with-a-long-name.example', balance: 8, pending: 0 },
        ],
      }));
      await reload(page, '96 sat expired');
    },
  },
  {
    name: 'release-question',
    path,
    ready: async (page) => {
      await withOddHistory(page);
      await opens('Release…')(page);
    },
  },
  {
    name: 'released-token',
    path,
    ready: async (page) => {
      await withOddHistory(page);
      await answers(page, 'operations/*/release', {
        operationId: 'one',
        token: TOKEN,
        amount: 640,
        inWallet: false,
      });
      await opens('Release…')(page);
      await page.getByRole('button', { name: 'Release', exact: true }).click();
      await page.getByRole('textbox', { name: 'The released token' }).waitFor();
    },
  },
  { name: 'seed-missing', path, ready: withoutSeed },
  { name: 'seed-missing-elsewhere', path: '/catalog', ready: withoutSeed },
  {
    name: 'seed-dialog',
    path,
    ready: async (page) => {
      await withoutSeed(page);
      await opens('Fix backup words…')(page);
    },
  },
  {
    name: 'seed-wrong-words',
    path,
    ready: async (page) => {
      await withoutSeed(page);
      await answers(
        page,
        'restore',
        { error: 'These words don’t belong to this wallet.', code: 'wrong_words' },
        409,
      );
      await opens('Fix backup words…')(page);
      await page.getByRole('textbox', { name: 'Backup words' }).fill(WORDS);
      await page.getByRole('button', { name: 'Use these words' }).click();
      await sees('These aren’t the words of this wallet')(page);
    },
  },
  {
    name: 'seed-new-question',
    path,
    ready: async (page) => {
      await withoutSeed(page);
      await opens('Fix backup words…')(page);
      await page.getByRole('button', { name: 'I don’t have the words…' }).click();
      await sees('Use new words?')(page);
    },
  },
  {
    name: 'seed-new-words',
    path,
    ready: async (page) => {
      await withoutSeed(page);
      await answers(page, 'seed', { mnemonic: WORDS, protection: 'file', others: [] });
      await opens('Fix backup words…')(page);
      await page.getByRole('button', { name: 'I don’t have the words…' }).click();
      await page.getByRole('button', { name: 'Use new words' }).click();
      await sees('Write down the new words')(page);
    },
  },
  {
    name: 'restore-running',
    path,
    site: 'empty',
    ready: async (page, { mint }) => {
      mint.fail('/v1/restore', { kind: 'slow', delayMs: 1_500 });
      // Progress arrives on the event stream.
      await page.getByText('Connected').waitFor({ state: 'attached' });
      await submitsWords(page);
      await page.getByRole('progressbar').first().waitFor();
    },
    after: ({ mint }) => mint.clearFaults(),
  },
  {
    name: 'restore-done',
    path,
    ready: async (page) => {
      await answers(page, 'restore', RESTORED);
      await submitsWords(page);
      await sees('Restored 1,200 sat')(page);
    },
  },
  {
    name: 'restore-nothing-found',
    path,
    ready: async (page) => {
      await answers(
        page,
        'restore',
        { error: 'The mint has no sats for these words.', code: 'nothing_found' },
        409,
      );
      await submitsWords(page);
      await sees('These words have no sats at this mint')(page);
    },
  },
  {
    name: 'rescan-done',
    path,
    ready: async (page) => {
      await answers(page, 'rescan', {
        ...RESTORED,
        found: 0,
        amount: 0,
        pending: 0,
        unconfirmed: 0,
        proofs: 0,
        fee: 0,
        skipped: [],
      });
      await opensSheet(page, 'Backup');
      await page.getByRole('button', { name: 'Check the mint for missing sats' }).click();
      await sees('Nothing is missing.')(page);
    },
  },
  {
    name: 'backup-others',
    path,
    ready: async (page) => {
      const others = [
        { mint: EARLIER_MINT, mnemonic: WORDS },
        { mint: null, mnemonic: WORDS },
      ];
      await answers(page, 'seed', { mnemonic: WORDS, protection: 'keychain', others });
      await opensSheet(page, 'Backup');
      await opens('Show backup words…')(page);
      await page.getByRole('button', { name: 'Show words' }).click();
      await page.getByRole('button', { name: 'Show words for Unknown mint' }).click();
      await page.getByRole('list', { name: 'The words for Unknown mint, in order' }).waitFor();
    },
  },
  { name: 'test-tokens', path, ready: withTestTokens },
  {
    name: 'test-tokens-list',
    path,
    ready: async (page) => {
      await withTestTokens(page);
      await page.getByRole('button', { name: 'Review list' }).click();
      await page.getByRole('button', { name: 'Receive 1,000 sat' }).click();
      await page
        .getByRole('list', { name: 'Tokens received while testing' })
        .getByText('mint_unreachable')
        .waitFor();
    },
  },
  {
    name: 'test-token-drop',
    path,
    ready: async (page) => {
      await withTestTokens(page);
      await page.getByRole('button', { name: 'Review list' }).click();
      await opens('Discard 64 sat…')(page);
    },
  },
  {
    name: 'token-received-before',
    path,
    ready: async (page, { mint }) => {
      await withOddHistory(page);
      await answers(
        page,
        'receive',
        {
          error: 'This wallet received this token before.',
          code: 'token_spent',
          operationId: ODD_ENTRIES[1]?.id,
          receivedAt: ODD_ENTRIES[1]?.createdAt,
        },
        409,
      );
      await opensSheet(page, 'Receive');
      await page.getByRole('textbox', { name: 'Cashu token' }).fill(mint.issue(64));
      await page.getByText('Valid: the mint says it is unspent').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Receive', exact: true }).click();
      await sees('This wallet received this token on')(page);
      await page.getByRole('button', { name: 'Show it in the history' }).click();
    },
  },
];
