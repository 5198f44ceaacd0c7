import { expect } from './fixtures.ts';
import { ALL_SATS, LONG, LONG_MEMO, ON_TOP, onTop, opens, type Scene, sees, type View } from './view.ts';
import { asOperator, walletPage } from './wallet-page.ts';

// What takes a mint or a disk weeks to do wrong: the answers are changed on their way to the page.

type Answer = Readonly<Record<string, unknown>>;

const WORDS = `${'abandon '.repeat(11)}about`;
const at = new Date(Date.now() - 3_600_000).toISOString();

/** Has the page read the wallet again. */
const readAgain = ({ served, mint }: Scene): Promise<unknown> =>
  asOperator(served, 'receive', { token: mint.issue(2) });

const pathOf = (route: string): string => `**/api/wallet/${route}`;

/** Answers a route with what the server says, changed. */
const changes = async (scene: Scene, route: string, change: (answer: Answer) => Answer): Promise<void> => {
  await scene.page.route(pathOf(route), async (asked) => {
    const response = await asked.fetch();
    await asked.fulfill({ response, json: change((await response.json()) as Answer) });
  });
  await readAgain(scene);
};

const answers = (scene: Scene, route: string, json: unknown, status = 200): Promise<unknown> =>
  scene.page.route(pathOf(route), (asked) => asked.fulfill({ status, json }));

/** Answers routes as the server does, and has the page read what changes with that. */
const asBefore =
  (...routes: string[]) =>
  async (scene: Scene): Promise<void> => {
    for (const route of routes) await scene.page.unroute(pathOf(route));
    await readAgain(scene);
  };

const entry = (id: string, more: object) => ({
  id,
  kind: 'receive',
  state: 'completed',
  amount: 640,
  fee: 0,
  createdAt: at,
  updatedAt: at,
  ...more,
});

const ODD_ENTRIES = [
  entry('a', { state: 'pending', error: { error: 'The mint hasn’t answered.', code: 'redemption_pending' } }),
  entry('b', { kind: 'recovered', amount: ALL_SATS, fee: ALL_SATS, memo: LONG_MEMO }),
  entry('c', { kind: 'spent_elsewhere' }),
  entry('d', { state: 'failed', error: { error: 'You released it.', code: 'released' } }),
];

const SKIPPED = [{ keysetId: `01${'ab'.repeat(32)}`, reason: 'The mint’s keys don’t match this id.' }];

const RESTORED = {
  found: 1_317,
  amount: 1_200,
  pending: 96,
  unconfirmed: 20,
  proofs: 9,
  fee: 1,
  words: 'kept',
  skipped: SKIPPED,
};

/** What a check of the mint answers that finds nothing. */
const NOTHING_FOUND = { ...RESTORED, found: 0, amount: 0, pending: 0, proofs: 0, fee: 0 };

const submitWords = async (scene: Scene): Promise<void> => {
  const { page } = scene;
  await walletPage(page).open('Backup');
  await opens('Restore from words…', 'Restore from words')(scene);
  await page.getByRole('textbox', { name: 'Backup words' }).fill(WORDS);
  await page.getByRole('button', { name: 'Restore', exact: true }).click();
};

/** Receives a token that the wallet receives meanwhile. */
const receiveAgain = async ({ page, served, mint }: Scene): Promise<void> => {
  const { open, field, receive, receiveButton } = walletPage(page);
  await open('Receive');
  const token = mint.issue(16);
  await field.fill(token);
  await expect(receive).toContainText('Valid');
  await asOperator(served, 'receive', { token });
  await receiveButton.click();
  await expect(receive).toContainText('This wallet already received this token');
};

const TEST_TOKENS = [
  { id: 'a', amount: 64, memo: 'x'.repeat(300), receivedAt: at },
  { id: 'b', amount: 1_000, receivedAt: at },
];

/** The wallet after a rollback, with a stuck mint, without its words, and with tokens received as test money. */
export const WALLET_TROUBLE_VIEWS: readonly View[] = [
  {
    name: 'history, recovered and stuck',
    path: '/wallet',
    ready: async (scene) => {
      await changes(scene, 'history*', ({ entries, ...rest }) => ({
        ...rest,
        entries: [...ODD_ENTRIES, ...(entries as Answer[])],
      }));
      await expect(scene.page.getByText('Another copy of this wallet spent these sats.')).toBeVisible();
    },
    part: 'main',
  },
  { name: 'release question', ready: opens('Release…', /^Release /), part: ON_TOP },
  {
    name: 'released token',
    ready: async (scene) => {
      const { page } = scene;
      const token = 'cashuB'.repeat(80);
      await answers(scene, 'operations/*/release', { operationId: 'a', token, amount: 640, inWallet: false });
      await opens('Release…', /^Release /)(scene);
      await page.getByRole('button', { name: 'Release', exact: true }).click();
      await expect(page.getByRole('textbox', { name: 'The released token' })).toBeFocused();
    },
    part: '[role="dialog"]:not([role="region"] *)',
    after: async (scene) => {
      await scene.page.getByRole('button', { name: 'Done' }).click();
      await asBefore('operations/*/release', 'history*')(scene);
    },
  },
  {
    name: 'expired sats and other mints',
    ready: async (scene) => {
      await changes(scene, 'balance', (balance) => ({
        ...balance,
        balance: ALL_SATS,
        pending: ALL_SATS,
        expired: 96,
        otherMints: [{ mint: `https://mint.example/${LONG}`, balance: 12_500, pending: 40 }],
      }));
      await expect(walletPage(scene.page).balance).toContainText('96 sat expired');
    },
    part: 'main',
    after: asBefore('balance'),
  },
  {
    name: 'a mint that lists the keysets of others',
    ready: async (scene) => {
      await changes(scene, 'mint', (status) => ({
        ...status,
        foreignKeysets: [
          { mint: `https://mint.example/${LONG}`, keysets: 3, all: true },
          { mint: 'https://mint.example', keysets: 1, all: false },
        ],
      }));
      const main = scene.page.getByRole('main');
      await expect(main.getByRole('button', { name: 'Use the new address' })).toBeVisible();
      await expect(main).toContainText('Don’t trust this mint');
    },
    part: 'main',
    after: asBefore('mint'),
  },
  {
    name: 'unconfirmed sats, after a check',
    ready: async (scene) => {
      const { page } = scene;
      const { balance } = walletPage(page);
      await changes(scene, 'balance', ({ checkedAt: _, ...rest }) => ({ ...rest, unconfirmed: 1_040 }));
      await page.route(pathOf('check'), async (asked) => {
        const json = await asOperator<Answer>(scene.served, 'balance');
        await asked.fulfill({ json: { ...json, unconfirmed: 1_040 } });
      });
      await expect(balance).toContainText('1,040 sat not confirmed');
      await expect(balance).toContainText('Not checked with the mint yet');
      await balance.getByRole('button', { name: 'Check now' }).click();
      await expect(balance.getByRole('status')).toContainText('still hasn’t confirmed 1,040 sat');
    },
    part: 'main',
    after: asBefore('balance', 'check'),
  },
  {
    name: 'backup words missing',
    ready: async (scene) => {
      await changes(scene, 'balance', (balance) => ({ ...balance, seed: 'missing' }));
      await walletPage(scene.page).open('Receive');
      await expect(walletPage(scene.page).receive).toContainText('Receiving is off');
    },
    part: ON_TOP,
  },
  {
    name: 'backup words missing, dialog',
    ready: async (scene) => {
      await walletPage(scene.page).close();
      await opens('Fix backup words…', 'The backup words are missing')(scene);
    },
    part: ON_TOP,
  },
  {
    name: 'backup words missing, new words',
    ready: async (scene) => {
      await opens('Fix backup words…', 'The backup words are missing')(scene);
      await scene.page.getByRole('button', { name: 'I don’t have the words…' }).click();
      await onTop(scene.page, 'Use new words?');
    },
    part: ON_TOP,
  },
  {
    name: 'backup words missing, words of another wallet',
    ready: async (scene) => {
      const { page } = scene;
      const error = 'These words don’t belong to this wallet.';
      await answers(scene, 'restore', { error, code: 'wrong_words' }, 409);
      await opens('Fix backup words…', 'The backup words are missing')(scene);
      await page.getByRole('textbox', { name: 'Backup words' }).fill(WORDS);
      await page.getByRole('button', { name: 'Use these words' }).click();
      await sees('These aren’t the words of this wallet')(scene);
    },
    part: ON_TOP,
    isOnlyPictured: true,
    after: ({ page }) => page.unroute(pathOf('restore')),
  },
  {
    name: 'backup words missing, new words to write down',
    ready: async (scene) => {
      const { page } = scene;
      await answers(scene, 'seed', { mnemonic: WORDS, protection: 'file', others: [] });
      await opens('Fix backup words…', 'The backup words are missing')(scene);
      await page.getByRole('button', { name: 'I don’t have the words…' }).click();
      await page.getByRole('button', { name: 'Use new words' }).click();
      await sees('Write down the new words')(scene);
    },
    part: ON_TOP,
    after: ({ page }) => page.unroute(pathOf('seed')),
  },
  {
    name: 'backup words missing, elsewhere',
    path: '/catalog',
    ready: sees('backup words are missing'),
    after: asBefore('balance'),
  },
  {
    name: 'other backup words',
    path: '/wallet',
    ready: async (scene) => {
      const others = [
        { mint: `https://mint.example/${LONG}`, mnemonic: WORDS },
        { mint: null, mnemonic: WORDS },
      ];
      await answers(scene, 'seed', { mnemonic: WORDS, protection: 'keychain', others });
      await walletPage(scene.page).open('Backup');
      await opens('Show backup words…', 'Backup words')(scene);
      await scene.page.getByRole('button', { name: 'Show words' }).click();
      await scene.page.getByRole('button', { name: 'Show words for Unknown mint' }).click();
    },
    part: ON_TOP,
    after: asBefore('seed'),
  },
  {
    name: 'restore, done',
    ready: async (scene) => {
      await answers(scene, 'restore', RESTORED);
      await submitWords(scene);
      await expect(scene.page.getByRole('dialog').getByText('Restored 1,200 sat')).toBeVisible();
    },
    part: ON_TOP,
    after: asBefore('restore'),
  },
  {
    name: 'restore, nothing found',
    ready: async (scene) => {
      const error = 'The mint has no sats for these words.';
      await answers(scene, 'restore', { error, code: 'nothing_found' }, 409);
      await submitWords(scene);
      await sees('These words have no sats at this mint')(scene);
    },
    part: ON_TOP,
    isOnlyPictured: true,
    after: ({ page }) => page.unroute(pathOf('restore')),
  },
  {
    name: 'rescan, nothing missing',
    ready: async (scene) => {
      const { open, backup } = walletPage(scene.page);
      await answers(scene, 'rescan', { ...NOTHING_FOUND, unconfirmed: 0, skipped: [] });
      await open('Backup');
      await backup.getByRole('button', { name: 'Check the mint for missing sats' }).click();
      await expect(backup).toContainText('Nothing is missing.');
    },
    part: ON_TOP,
    isOnlyPictured: true,
    after: async ({ page }) => {
      await walletPage(page).close();
      await page.unroute(pathOf('rescan'));
    },
  },
  {
    name: 'rescan, incomplete',
    ready: async (scene) => {
      const { backup } = walletPage(scene.page);
      await answers(scene, 'rescan', NOTHING_FOUND);
      await walletPage(scene.page).open('Backup');
      await backup.getByRole('button', { name: 'Check the mint for missing sats' }).click();
      await expect(backup).toContainText('The search is incomplete');
    },
    part: ON_TOP,
    after: async (scene) => {
      await walletPage(scene.page).close();
      await asBefore('rescan')(scene);
    },
  },
  {
    name: 'test tokens',
    ready: async (scene) => {
      await answers(scene, 'test-tokens', { tokens: TEST_TOKENS });
      await readAgain(scene);
      await scene.page.getByRole('button', { name: 'Review list' }).click();
      await expect(scene.page.getByRole('list', { name: 'Tokens received while testing' })).toBeVisible();
    },
    part: 'main',
  },
  {
    name: 'test tokens, one refused',
    ready: async (scene) => {
      const { page } = scene;
      const json = { error: 'The mint can’t be reached.', code: 'mint_unreachable' };
      await answers(scene, 'test-tokens/b/redeem', json, 503);
      await page.getByRole('button', { name: 'Receive 1,000 sat' }).click();
      const tokens = page.getByRole('list', { name: 'Tokens received while testing' });
      await expect(tokens).toContainText('mint_unreachable');
    },
    isOnlyPictured: true,
  },
  {
    name: 'drop a test token',
    ready: opens('Discard 64 sat…', /^Discard /),
    part: ON_TOP,
    after: asBefore('test-tokens'),
  },
  {
    name: 'token that this wallet received',
    ready: receiveAgain,
    part: ON_TOP,
  },
  {
    name: 'token that this wallet received, in the history',
    ready: async (scene) => {
      await receiveAgain(scene);
      await scene.page.getByRole('button', { name: 'Show it in the history' }).click();
      await expect(walletPage(scene.page).receive).toBeHidden();
    },
    isOnlyPictured: true,
  },
  {
    name: 'rescan, running',
    ready: async (scene) => {
      const { backup } = walletPage(scene.page);
      await walletPage(scene.page).open('Backup');
      scene.mint.fail('/v1/restore', { kind: 'hang' });
      await backup.getByRole('button', { name: 'Check the mint for missing sats' }).click();
      await expect(backup.getByRole('progressbar')).toBeVisible();
    },
    part: ON_TOP,
    after: async ({ page, mint }) => {
      mint.clearFaults();
      await walletPage(page).close();
    },
  },
  {
    name: 'restore, running',
    ready: async (scene) => {
      scene.mint.fail('/v1/restore', { kind: 'hang' });
      await submitWords(scene);
      await expect(scene.page.getByRole('progressbar').first()).toBeVisible();
    },
    isOnlyPictured: true,
    after: async ({ mint }) => mint.clearFaults(),
  },
];
