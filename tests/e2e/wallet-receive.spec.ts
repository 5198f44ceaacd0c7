import { shortMintUrl } from '../../src/shared/mint-url.ts';
import { startTestMint, type TestMint } from '../support/mint/test-mint.ts';
import { pastedTexts } from '../support/pasted-texts.ts';
import { expect } from './fixtures.ts';
import { tabTo } from './keyboard.ts';
import {
  asOperator,
  dropFile,
  openWallet,
  walletPage as wallet,
  walletTest,
  watchKeys,
} from './wallet-page.ts';

const test = walletTest.extend<{ otherMint: TestMint }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads what a fixture needs from its pattern
  otherMint: async ({}, use) => {
    const mint = await startTestMint();
    await use(mint);
    await mint.close();
  },
});

test('checks a token, receives it for real, and shows the fee', { tag: '@smoke' }, async ({
  page,
  served,
  mint,
}) => {
  await (await openWallet(page, served)).open('Receive');
  await expect(page.getByText('Test money')).toHaveCount(0);
  await expect(wallet(page).mint).toContainText('reachable');
  await expect(wallet(page).mint.getByText(mint.url, { exact: true })).toBeVisible();
  const token = mint.issue(1234, { memo: 'for the summary' });
  await wallet(page).field.fill(token);
  await expect(wallet(page).receive).toContainText('Valid: the mint says it is unspent');
  await expect(wallet(page).receive).toContainText('1,234 sat');
  await expect(wallet(page).receive).toContainText('1,233 sat');
  await wallet(page).field.press('ControlOrMeta+Enter');
  await expect(wallet(page).receive).toContainText('Received 1,233 sat, fee 1 sat');
  await expect(wallet(page).balance).toContainText('1,233 sat');
  await expect(wallet(page).rows).toHaveCount(1);
  await expect(wallet(page).rows.first()).toContainText('+1,233 sat');
  await expect(wallet(page).rows.first()).toContainText('fee 1 sat');
  await expect(page.getByRole('heading', { name: 'Today', includeHidden: true })).toBeVisible();
  // Only exceptions have a badge.
  await expect(wallet(page).rows.first()).not.toContainText('completed');
  expect(mint.states(token)).toEqual(mint.states(token).map(() => 'SPENT'));

  // A token pays once, and nobody has to be asked for another.
  await wallet(page).field.fill(token);
  await expect(wallet(page).receive).toContainText(
    /This wallet already received this token: 1,233 sat at .*\d/,
  );
  await expect(wallet(page).receiveButton).toBeDisabled();

  // What asks for sats brings none, and has a name.
  await wallet(page).field.fill('lnbc210n1pvjluezpp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqf');
  await expect(wallet(page).receive).toContainText('This is a Lightning invoice, not a token');
  await wallet(page).field.fill('creqApWF0gaNhdGVub3N0cmFheKlucHJvZmlsZTE');
  await expect(wallet(page).receive).toContainText('This is a payment request, not a token');
  await expect(wallet(page).receiveButton).toBeDisabled();
});

test('receives each of several tokens in the field, and shows the result of each', async ({
  page,
  served,
  mint,
}) => {
  const { open, field, receive, receiveButton, balance, rows } = await openWallet(page, served);
  await open('Receive');
  const spent = mint.issue(64);
  await field.fill(spent);
  await receiveButton.click();
  await expect(rows).toHaveCount(1);
  await field.fill(`${mint.issue(100)}\n${spent}\n${mint.issue(200)}`);
  await receive.getByRole('button', { name: 'Receive 3 tokens' }).click();
  const results = receive.getByRole('list', { name: 'Results' }).getByRole('listitem');
  await expect(results).toHaveCount(3);
  await expect(results.nth(0)).toContainText('Received 99 sat');
  await expect(results.nth(1)).toContainText('This wallet already received this token');
  await expect(results.nth(2)).toContainText('Received 199 sat');
  await expect(field).toHaveValue(spent);
  await expect(balance).toContainText('361 sat');
  await expect(page.getByText('A token is waiting to be received.')).toHaveCount(0);
});

test('takes every kind of pasted text by keyboard alone, and loses nothing of it', async ({
  page,
  served,
  mint,
}) => {
  const { open, field, receive, balance, rows } = await openWallet(page, served, 'by keys');
  await open('Receive', 'by keys');
  await expect(receive).toContainText(`This wallet receives tokens from ${shortMintUrl(mint.url)}.`);
  let total = 0;
  for (const { name, text, tokens, sentence, rest = '' } of pastedTexts((version) =>
    mint.issue(8, { version }),
  )) {
    await test.step(name, async () => {
      await expect(field).toBeFocused();
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.insertText(text);
      if (tokens.length === 0) {
        await expect(receive.getByRole('status').or(receive.getByRole('alert')).first()).toBeAttached();
        await expect(receive).toContainText(sentence ?? '');
        await page.keyboard.press('Control+Enter');
      } else {
        const button = tokens.length === 1 ? 'Receive' : `Receive ${tokens.length} tokens`;
        await expect(receive.getByRole('button', { name: button, exact: true })).toBeEnabled();
        await page.keyboard.press('Control+Enter');
        total += 7 * tokens.length;
        await expect(balance).toContainText(`${total} sat`);
      }
      await expect(field).toHaveValue(rest);
    });
  }
  await expect(rows).toHaveCount(total / 7);
});

test('receives for the agent and with the label that a person chose, by keyboard', async ({
  page,
  served,
  mint,
}) => {
  const { open, close, field, receive, rows } = await openWallet(page, served, 'by keys');
  await open('Receive', 'by keys');
  await page.keyboard.insertText(mint.issue(101));
  await page.keyboard.press('Tab');
  await expect(receive.getByLabel('Agent')).toBeFocused();
  await page.keyboard.type('scout');
  await page.keyboard.press('Tab');
  await page.keyboard.insertText('order 7');
  await page.keyboard.press('Enter');
  await expect(receive).toContainText('Received 100 sat, fee 1 sat');
  await expect(receive).toContainText('For scout.');
  await expect(field).toBeFocused();
  await expect(receive.getByLabel('Agent')).toHaveValue('scout');
  await expect(receive.getByLabel('Label (optional)')).toHaveValue('');
  await close();
  await expect(rows.first()).toContainText('scout');
  await expect(rows.first()).toContainText('order 7');
  await page.getByRole('link', { name: 'Overview' }).press('Enter');
  await expect(page.getByRole('row', { name: /^scout/ })).toContainText('100');
  await expect(page.getByRole('row', { name: /^No agent/ })).toHaveCount(0);
});

test('receives a token that is pasted from the clipboard, by mouse, and keeps what arrives meanwhile', async ({
  page,
  context,
  served,
  mint,
}) => {
  const { open, field, receive, receiveButton, balance, rows } = await openWallet(page, served);
  await open('Receive');
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: served.url });
  const token = mint.issue(1234);
  await page.evaluate((text) => navigator.clipboard.writeText(text), token);
  await field.click();
  await page.keyboard.press('ControlOrMeta+V');
  await expect(field).toHaveValue(token);
  await expect(receive).toContainText('Valid: the mint says it is unspent');
  const answer = Promise.withResolvers<void>();
  await page.route('**/api/wallet/receive', async (route) => {
    await answer.promise;
    await route.continue();
  });
  await receiveButton.click();
  await expect(receive.getByRole('button', { name: 'Receiving…' })).toBeVisible();
  const [pasted, dropped] = [mint.issue(32), mint.issue(64)];
  await page.evaluate((text) => navigator.clipboard.writeText(text), pasted);
  await field.click();
  await page.keyboard.press('ControlOrMeta+V');
  await expect(receive.getByRole('alert')).toContainText(
    'when the wallet has finished with the current token',
  );
  await dropFile(page, receive.getByRole('heading', { name: 'Receive' }), 'pay.cashu', `cashu:${dropped}\n`);
  const take = receive.getByRole('button', { name: 'Put it in the field' });
  await expect(take).toBeDisabled();
  await expect(field).toHaveValue(token);
  answer.resolve();
  await expect(receive).toContainText('Received 1,233 sat, fee 1 sat');
  await expect(balance).toContainText('1,233 sat');
  await expect(rows).toHaveCount(1);
  expect(mint.states(token)).toEqual(mint.states(token).map(() => 'SPENT'));
  await expect(page.locator('body')).not.toBeFocused();
  for (const waiting of [pasted, dropped]) {
    await take.click();
    await expect(field).toHaveValue(waiting);
    await expect(field).toBeFocused();
  }
  await expect(take).toHaveCount(0);
});

test('says what is wrong with each bad token and what to do, and receives none of them', async ({
  page,
  served,
  mint,
  otherMint,
}) => {
  const keys = watchKeys(page, 'receive');
  await (await openWallet(page, served)).open('Receive');
  const spent = mint.issue(8);
  mint.spend([spent]);
  const inUse = mint.issue(8);
  mint.setPending([inUse]);
  const good = mint.issue(8);
  const cases: readonly (readonly [string, string, string])[] = [
    [otherMint.issue(8), 'The token is from another mint', 'wrong_mint'],
    [
      otherMint.issue(8),
      `It’s from ${shortMintUrl(otherMint.url)}. This wallet receives tokens only from ${shortMintUrl(mint.url)}`,
      'wrong_mint',
    ],
    [spent, 'The token is already spent', 'spent'],
    [inUse, 'The token is being redeemed', 'pending'],
    [good.slice(0, -9), 'This isn’t a Cashu token', 'malformed'],
    ['hello', 'This isn’t a Cashu token', 'malformed'],
    [mint.issue(8, { badDleq: true }), 'The token is invalid or forged', 'invalid_signature'],
    [mint.issue(8, { p2pk: `02${'a'.repeat(64)}` }), 'The token is locked to a key', 'locked'],
  ];
  for (const [token, title, reason] of cases) {
    await wallet(page).field.fill(token);
    await expect(wallet(page).receive).toContainText(title);
    await expect(wallet(page).receive).toContainText(reason);
    await expect(wallet(page).receiveButton).toBeDisabled();
    await wallet(page).field.press('ControlOrMeta+Enter');
  }
  // It may be free in a moment.
  await wallet(page).field.fill(inUse);
  await expect(wallet(page).receive).toContainText('The token is being redeemed');
  mint.clearPending();
  await page.getByRole('button', { name: 'Check again' }).click();
  await expect(wallet(page).receive).toContainText('Valid');
  expect(keys).toEqual([]);
});

test('shows the code of a refusal when the token was spent after the check', async ({
  page,
  served,
  mint,
}) => {
  await (await openWallet(page, served)).open('Receive');
  const token = mint.issue(16);
  await wallet(page).field.fill(token);
  await expect(wallet(page).receive).toContainText('Valid');
  mint.spend([token]);
  await wallet(page).receiveButton.click();
  await expect(wallet(page).receive.getByRole('alert')).toContainText('The token is already spent');
  await expect(wallet(page).receive.getByRole('alert')).toContainText('token_spent');
  await expect(wallet(page).receiveButton).toBeDisabled();
  await expect(wallet(page).field).toHaveValue(token);
  await expect(wallet(page).balance).toContainText('0 sat');
  await expect(wallet(page).rows.first()).toContainText('failed');
  await expect(wallet(page).rows.first()).toContainText('token_spent');
});

test('says that the mint is away, and continues when it is back', async ({ page, served, mint }) => {
  const token = mint.issue(16);
  await mint.away();
  await (await openWallet(page, served)).open('Receive');
  await expect(wallet(page).mint).toContainText('unreachable');
  await wallet(page).field.fill(token);
  await expect(wallet(page).receive).toContainText('You can still receive it.');
  await expect(wallet(page).receive).toContainText('mint_unreachable');
  await wallet(page).receiveButton.click();
  await expect(wallet(page).receive.getByRole('alert')).toContainText('dot-mi can’t reach the mint');
  await mint.back();
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(wallet(page).receive).toContainText('Received 15 sat, fee 1 sat');
});

test('follows a receive and a send that the mint left without a response until they complete automatically', async ({
  page,
  served,
  mint,
}) => {
  await asOperator(served, 'receive', { token: mint.issue(101) });
  const parts = await openWallet(page, served);
  const { open, field, receive, receiveButton, balance, rows, amount, send, row } = parts;
  await open('Receive');
  await field.fill(mint.issue(256));
  await expect(receive).toContainText('Valid');
  mint.fail('/v1/swap', { kind: 'drop', when: 'after' });
  mint.fail('/v1/checkstate', { kind: 'drop' });
  await receiveButton.click();
  await expect(page.getByRole('button', { name: 'Receiving…' })).toBeVisible();
  await open('Send');
  await amount.fill('40');
  await amount.press('Enter');
  await expect(send.getByRole('button', { name: 'Creating the token…' })).toBeVisible();
  await expect(rows.first()).toContainText('pending');
  await expect(send).toContainText('The token isn’t ready yet');
  await expect(send.getByRole('button', { name: 'Creating the token…' })).toBeDisabled();
  await open('Receive');
  await expect(receive).toContainText('The mint may have redeemed it');
  await expect(receiveButton).toBeDisabled();
  await expect(balance).toContainText('pending');

  // Another page knows of both what this one knew.
  await page.reload();
  await open('Send');
  await expect(send).toContainText('The token isn’t ready yet');
  await expect(send.getByRole('button', { name: 'Creating the token…' })).toBeDisabled();
  await expect(rows.filter({ hasText: 'pending' })).toHaveCount(2);
  mint.clearFaults();
  await expect(send).toContainText(/Your token from .+ is ready/);
  await open('Receive');
  await expect(receive).toContainText('Received 255 sat');
  await expect(balance).toContainText('314 sat');
  await expect(balance).not.toContainText('pending');
  await expect(field).toHaveValue('');
  await expect(rows).toHaveCount(3);
  await parts.close();
  await expect(row('Send', '−40 sat').getByRole('button', { name: 'Show token' })).toBeVisible();
});

test('reads a token from a file that is chosen or dropped, by keyboard too', async ({
  page,
  served,
  mint,
}) => {
  // A chooser is caught from now on; begun together with the key it might come too late.
  page.on('filechooser', () => undefined);
  const { open, receive, field, receiveButton, balance } = await openWallet(page, served);
  await open('Receive');
  const first = mint.issue(101);
  const second = mint.issue(201);
  const choose = receive.getByRole('button', { name: 'Choose file…' });
  await tabTo(page, choose);
  const chooser = page.waitForEvent('filechooser');
  await page.keyboard.press('Enter');
  await (await chooser).setFiles({ name: 'token.txt', mimeType: 'text/plain', buffer: Buffer.from(first) });
  await expect(receive).toContainText('Valid');
  await expect(field).toBeFocused();
  await page.keyboard.press('Control+Enter');
  await expect(receive).toContainText('Received 100 sat');
  await expect(balance).toContainText('100 sat');

  // Beside the field, too: a file that misses it would make the browser leave the page.
  await dropFile(page, receive.getByRole('heading', { name: 'Receive' }), 'pay.cashu', `cashu:${second}\n`);
  await expect(receive).toContainText('201 sat');
  await expect(receiveButton).toBeEnabled();
  await dropFile(page, field, 'photo.jpg', [0xff, 0xd8, 0xff, 0xe0]);
  await expect(page.getByRole('region', { name: 'Notifications' })).toContainText('That file isn’t text');
  await dropFile(page, field, 'film.mp4', 'x'.repeat(3_000_000));
  await expect(page.getByRole('region', { name: 'Notifications' })).toContainText('That file is too large');
  await expect(field).toHaveValue(second);
});

test('fills in the field from a link, redeems nothing, and keeps it out of the address', async ({
  page,
  served,
  mint,
}) => {
  const keys = watchKeys(page, 'receive');
  const token = mint.issue(64);
  await page.goto(`${served.url}/wallet${new URL(served.pageUrl).hash}&cashu=cashu:${token}`);
  const { receive, field, rows } = wallet(page);
  await expect(field).toHaveValue(token);
  await expect(page).toHaveURL(`${served.url}/wallet`);
  await expect(receive).toContainText('Valid');
  await expect(page.getByText('Nothing yet')).toBeVisible();

  // Another one, into the page that is open: what is in the field stays until one says otherwise.
  const other = mint.issue(32);
  await page.goto(`${served.url}/wallet#cashu=${other}`);
  await expect(receive.getByRole('alert')).toContainText('Another token is waiting');
  await expect(field).toHaveValue(token);
  await receive.getByRole('button', { name: 'Put it in the field' }).press('Enter');
  await expect(field).toHaveValue(other);
  await expect(field).toBeFocused();
  await expect(receive.getByRole('alert')).toHaveCount(0);

  await page.goto(`${served.url}/wallet#cashu=lightning:lnbc1`);
  await expect(receive.getByRole('alert')).toContainText('That link doesn’t contain a token');
  await expect(page).toHaveURL(`${served.url}/wallet`);
  await page.evaluate(() => {
    location.hash = `cashu=cashuA${'a'.repeat(100_001)}`;
  });
  await expect(receive.getByRole('alert')).toContainText('Save the token as a file');
  await expect(page).toHaveURL(`${served.url}/wallet`);
  await expect(field).toHaveValue(other);
  await field.press('End');
  await page.keyboard.type('x');
  await expect(receive.getByRole('alert')).toHaveCount(0);
  expect(keys).toEqual([]);
  await expect(rows).toHaveCount(0);

  // It is money that is nowhere else.
  const asked = page.waitForEvent('dialog');
  await page.close({ runBeforeUnload: true });
  expect((await asked).type()).toBe('beforeunload');
  await (await asked).dismiss();
  await expect(field).toHaveValue(`${other}x`);
});
