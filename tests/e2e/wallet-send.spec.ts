import { expect, signInAgain } from './fixtures.ts';
import { tabTo } from './keyboard.ts';
import { asOperator, openWallet, walletTest as test, walletPage, watchKeys } from './wallet-page.ts';

const token = (page: Parameters<typeof walletPage>[0]) =>
  walletPage(page).send.getByRole('textbox', { name: 'The sent token' });

test('sends an amount as a token that the receiver redeems, and sees it redeemed', { tag: '@smoke' }, async ({
  page,
  served,
  mint,
}) => {
  const keys = watchKeys(page, 'send');
  const { open, amount, memo, send, balance, row } = await openWallet(page, served);
  await expect(page.getByText('Connected')).toBeAttached();
  await open('Send');
  const button = send.getByRole('button', { name: 'Send' });
  await amount.fill('77');
  await memo.fill('being typed');
  await expect(send).toContainText('The wallet holds 0 sat.');
  await expect(button).toBeDisabled();
  await asOperator(served, 'receive', { token: mint.issue(1001) });
  // Exactly, for while it comes in there is “+ 1,000 sat pending” beside a balance of 0.
  await expect(balance.getByText('1,000 sat', { exact: true })).toBeVisible();
  // What is typed stays while the wallet follows what an agent did.
  await expect(amount).toHaveValue('77');
  await expect(memo).toHaveValue('being typed');
  await expect(button).toBeEnabled();
  await amount.fill('1.5');
  await expect(send).toContainText('Enter a whole number of sat');
  await amount.fill('5000');
  await expect(send).toContainText('The wallet holds 1,000 sat.');
  await expect(button).toBeDisabled();
  await amount.fill('1000');
  await button.click();
  // The fee comes on top, which only the wallet knows.
  await expect(send.getByRole('alert')).toContainText('The wallet doesn’t have enough sats');
  await expect(send.getByRole('alert')).toContainText('insufficient_funds');

  await amount.fill('250');
  await memo.fill('for Bob');
  await button.dblclick();
  await expect(send).toContainText('A token for 250 sat, fee 1 sat');
  await expect(balance).toContainText('749 sat');
  await expect(amount).toHaveValue('');
  expect(new Set(keys).size).toBe(2);
  await expect(row('Send', 'for Bob')).toHaveCount(1);
  await expect(row('Send', 'for Bob')).toContainText('not redeemed yet');

  // One code that doesn't move is enough, and the token is copied at once.
  await expect(send.getByRole('img', { name: 'QR code of the token' })).toBeVisible();
  await expect(send.getByRole('button', { name: 'Copy token' })).toBeVisible();
  await expect(token(page)).toHaveCount(0);
  await send.getByRole('button', { name: 'Show token' }).click();
  const text = await token(page).inputValue();
  expect(mint.unspent([text])).toBe(250);
  await expect(send).toContainText('Anyone who has it can redeem it.');
  mint.spend([text]);
  // The server asks the mint once a minute, and when it starts.
  await served.kill();
  await served.startAgain();
  await signInAgain(page, served);
  await expect(send).toContainText('Someone redeemed it.');
  await expect(row('Send', 'for Bob')).not.toContainText('not redeemed yet');
  await expect(row('Send', 'for Bob').getByText('Take back')).toHaveCount(0);
  await expect(send.getByRole('img')).toHaveCount(0);
  await send.getByRole('button', { name: 'Done' }).click();
  await expect(amount).toBeFocused();
  await expect(send).not.toContainText('A token for');
});

test('sends, shows the codes and takes back by keyboard alone', async ({ page, served, mint }) => {
  await asOperator(served, 'receive', { token: mint.issue(1001) });
  const { open, amount, memo, send, balance, row, rows } = await openWallet(page, served, 'by keys');
  await open('Send', 'by keys');
  await expect(amount).toBeFocused();
  await page.keyboard.type('255');
  await tabTo(page, memo);
  await page.keyboard.type('by keys');
  await page.keyboard.press('Enter');
  await expect(send).toContainText('A token for 255 sat');
  // Eight proofs are too many for one code.
  await expect(send.getByRole('img', { name: 'QR code of the token' })).toBeInViewport({ ratio: 1 });
  await tabTo(page, send.getByRole('button', { name: 'Pause' }));
  await page.keyboard.press('Enter');
  await tabTo(page, send.getByRole('button', { name: 'Next part' }));
  await page.keyboard.press('Enter');
  await expect(send.getByRole('img', { name: /^QR code, part \d+ of \d+$/ })).toBeVisible();

  await page.keyboard.press('Escape');
  await expect(send).toHaveCount(0);
  const takeBack = row('Send', 'by keys').getByRole('button', { name: 'Take back' });
  await tabTo(page, takeBack);
  await page.keyboard.press('Enter');
  const question = page.getByRole('alertdialog', { name: 'Take back 255 sat?' });
  await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(question).toHaveCount(0);
  await expect(takeBack).toBeFocused();
  await page.keyboard.press('Enter');
  await tabTo(page, question.getByRole('button', { name: 'Take back' }));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('region', { name: 'Notifications' })).toContainText(
    'Took back 254 sat, fee 1 sat',
  );
  await expect(row('Send', 'by keys').getByText('taken back', { exact: true })).toBeVisible();
  await expect(rows.first()).toContainText('Take back');
  await expect(balance).toContainText('998 sat');
  // The button went; the focus did not.
  await expect(page.getByRole('list', { name: 'Operations, newest first' })).toBeFocused();
  await open('Send', 'by keys');
  await expect(send).toContainText('You took it back.');
});

test('settles a send whose response was lost, and never shows its token as a new one', async ({
  page,
  served,
  mint,
}) => {
  await asOperator(served, 'receive', { token: mint.issue(1001) });
  const keys = watchKeys(page, 'send');
  const { open, amount, send, balance, rows } = await openWallet(page, served);
  await open('Send');
  const button = send.getByRole('button', { name: 'Send' });
  const shown = async (): Promise<string> => {
    await send.getByRole('button', { name: 'Show token' }).click();
    return token(page).inputValue();
  };
  await page.route('**/api/wallet/send', async (route) => {
    await route.fetch();
    await route.abort('connectionreset');
  });
  await page.route('**/api/wallet/history?*sendKey=*', (route) => route.abort());
  await amount.fill('21');
  await button.click();
  await expect(send).toContainText('dot-mi is checking whether the wallet made the token');
  await expect(button).toBeDisabled();
  // Also after a reload.
  await page.reload();
  await open('Send');
  await expect(send).toContainText('dot-mi is checking whether the wallet made the token');
  await expect(amount).toHaveValue('21');
  await page.unroute('**/api/wallet/send');
  await send.getByRole('button', { name: 'Check again' }).click();
  await expect(button).toBeDisabled();
  await page.unroute('**/api/wallet/history?*sendKey=*');
  await expect(send).toContainText(/Your token from .+ is ready: 21 sat, fee 1 sat/);
  await expect(send).toContainText('don’t give it away again');
  const lost = await shown();

  await amount.fill('5');
  await button.click();
  await expect(send).toContainText('A token for 5 sat');
  await amount.fill('21');
  await button.click();
  await expect(send).toContainText('A token for 21 sat');
  const fresh = await shown();
  expect(fresh).not.toBe(lost);
  expect(mint.unspent([lost, fresh])).toBe(42);
  expect(new Set(keys).size).toBe(3);

  // A request that never arrived made nothing, and what was typed stays.
  await page.route('**/api/wallet/send', (route) => route.abort());
  await amount.fill('9');
  await button.click();
  await expect(send.getByRole('alert')).toContainText('The wallet didn’t make a token');
  await expect(amount).toHaveValue('9');
  await page.unroute('**/api/wallet/send');
  await send.getByRole('button', { name: 'Try again' }).click();
  await expect(send).toContainText('A token for 9 sat');
  await expect(balance).toContainText('940 sat');
  await expect(rows).toHaveCount(5);
});

test('takes back a token that was sent over the API, by mouse', async ({ page, served, mint }) => {
  await asOperator(served, 'receive', { token: mint.issue(1001) });
  const kept = await asOperator<{ token: string }>(served, 'send', { amount: 100, memo: 'kept' });
  const { row, rows, balance } = await openWallet(page, served);
  await row('Send', 'kept').getByRole('button', { name: 'Take back' }).click();
  const question = page.getByRole('alertdialog', { name: 'Take back 100 sat?' });
  await question.getByRole('button', { name: 'Take back' }).click();
  await expect(question).toHaveCount(0);
  await expect(page.getByRole('region', { name: 'Notifications' })).toContainText(
    'Took back 99 sat, fee 1 sat',
  );
  await expect(row('Send', 'kept').getByText('taken back', { exact: true })).toBeVisible();
  await expect(row('Send', 'kept').getByRole('button', { name: 'Take back' })).toHaveCount(0);
  await expect(rows.first()).toContainText('Take back');
  await expect(balance).toContainText('998 sat');
  expect(mint.unspent([kept.token])).toBe(0);
  await expect(page.locator('body')).not.toBeFocused();
});

test('says why a token can’t be taken back, without a button, and shows what was sent and taken back elsewhere', async ({
  page,
  served,
  mint,
}) => {
  interface Sent {
    token: string;
    operationId: string;
  }
  await asOperator(served, 'receive', { token: mint.issue(1000) });
  const kept = await asOperator<Sent>(served, 'send', { amount: 100, memo: 'kept' });
  const paid = await asOperator<Sent>(served, 'send', { amount: 50, memo: 'paid' });
  const gone = await asOperator<Sent>(served, 'send', { amount: 40, memo: 'gone' });
  const back = await asOperator<Sent>(served, 'send', { amount: 20, memo: 'back' });
  await asOperator(served, `operations/${back.operationId}/reclaim`, {});
  const { open, row, backup } = await openWallet(page, served);
  await expect(row('Take back', 'back')).toContainText('+');
  await expect(row('Send', 'kept')).toContainText('−100 sat');
  await expect(row('Send', 'back').getByText('taken back', { exact: true })).toBeVisible();
  await expect(page.getByText(kept.token)).toHaveCount(0);
  await row('Send', 'kept').getByRole('button', { name: 'Show token' }).click();
  await expect(row('Send', 'kept').getByRole('textbox', { name: 'The sent token' })).toHaveValue(kept.token);

  // Another program takes back the one that has the focus: the next one has it then.
  await row('Send', 'gone').getByRole('button', { name: 'Take back' }).focus();
  await asOperator(served, `operations/${gone.operationId}/reclaim`, {});
  await expect(row('Send', 'gone').getByText('taken back', { exact: true })).toBeVisible();
  await expect(row('Send', 'paid').getByRole('button', { name: 'Take back' })).toBeFocused();

  // Redeemed a moment ago, which the page cannot know yet.
  await row('Send', 'paid').getByRole('button', { name: 'Take back' }).click();
  mint.spend([paid.token]);
  await page.getByRole('alertdialog').getByRole('button', { name: 'Take back' }).click();
  await expect(page.getByRole('region', { name: 'Notifications' })).toContainText(
    'The token wasn’t taken back',
  );

  // It stays until it is dismissed. A window at 200 % has little room, and it lies over no button of a dialog.
  await page.setViewportSize({ width: 640, height: 400 });
  await open('Backup');
  await backup.getByRole('button', { name: 'Restore from words…' }).click();
  const buttons = page.getByRole('dialog', { name: 'Restore from words' }).getByRole('button');
  await expect(buttons.first()).toBeVisible();
  await expect(page.getByRole('region', { name: 'Notifications' })).toContainText(
    'The token wasn’t taken back',
  );
  const isCovered = (button: Element): boolean => {
    button.scrollIntoView({ block: 'nearest' });
    const { left, top, width, height } = button.getBoundingClientRect();
    return !button.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  };
  for (const button of await buttons.all()) expect(await button.evaluate(isCovered)).toBe(false);
});

test('plays the parts of a large token, and stays still with reduced motion', async ({
  page,
  served,
  mint,
}) => {
  await asOperator(served, 'receive', { token: mint.issue(1024) });
  await page.emulateMedia({ reducedMotion: 'reduce', colorScheme: 'dark' });
  const { open, amount, send } = await openWallet(page, served);
  await open('Send');
  await amount.fill('511');
  await send.getByRole('button', { name: 'Send' }).click();
  const part = send.getByRole('img', { name: /^QR code, part/ });
  await expect(part).toHaveAccessibleName(/^QR code, part 1 of \d+$/);
  const drawn = () => part.locator('path').getAttribute('d');
  const first = await drawn();
  await send.getByRole('button', { name: 'Next part' }).click();
  await expect(part).toHaveAccessibleName(/part 2 of/);
  expect(await drawn()).not.toBe(first);
  await send.getByRole('button', { name: 'Previous part' }).click();
  expect(await drawn()).toBe(first);
  // Dark on light, in the dark theme, too.
  expect(
    await part.evaluate((svg) => {
      const { backgroundColor, fill } = getComputedStyle(svg);
      return [backgroundColor, fill];
    }),
  ).toEqual(['oklch(1 0 0)', 'oklch(0 0 0)']);

  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await send.getByRole('button', { name: 'Play' }).click();
  await expect(send.getByText(/^Part \d+\. Any \d+ parts are usually enough\.$/)).toBeVisible();
  await send.getByRole('button', { name: 'Pause' }).click();
  const paused = await drawn();
  await expect(send.getByRole('button', { name: 'Play' })).toBeVisible();
  expect(await drawn()).toBe(paused);
});

test('copies a token even where the browser denies the page the clipboard', async ({
  page,
  served,
  mint,
}) => {
  await asOperator(served, 'receive', { token: mint.issue(101) });
  const sent = await asOperator<{ token: string }>(served, 'send', { amount: 10, memo: 'copied' });
  await page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
  const { open, close, row, field } = await openWallet(page, served);
  const copy = row('Send', 'copied').getByRole('button', { name: 'Copy token' });
  await copy.click();
  await expect(copy).toBeFocused();
  await open('Receive');
  await page.keyboard.press('ControlOrMeta+V');
  await expect(field).toHaveValue(sent.token);
  await close();

  await page.evaluate(() => {
    document.execCommand = () => false;
  });
  await copy.click();
  const byHand = page.getByRole('dialog', { name: 'Copy the text yourself' }).getByRole('textbox');
  await expect(byHand).toBeFocused();
  await expect(byHand).toHaveValue(sent.token);
  expect(await byHand.evaluate((area: HTMLTextAreaElement) => area.selectionEnd)).toBe(sent.token.length);
  await page.keyboard.press('Escape');
  await expect(copy).toBeFocused();
});
