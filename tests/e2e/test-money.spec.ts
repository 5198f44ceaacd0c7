import { expect, test } from './fixtures.ts';
import { pressOn, tabTo } from './keyboard.ts';
import { walletPage } from './wallet-page.ts';

test('test money plays by keyboard alone: get sats, pay an agent, see its margin', async ({
  page,
  context,
  served,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: served.url });
  await page.goto(served.pageAt('/'));
  const card = page.getByRole('region', { name: 'Balance' });
  await pressOn(page, card.getByRole('button', { name: 'Get 100 test sats' }), 'by keys');
  await expect(card).toContainText('100 sat');
  await expect(page.getByRole('region', { name: 'Notifications' })).toContainText('Received 100 test sats');
  // The button is only for an empty wallet. The way to the wallet has taken its place.
  await expect(card.getByRole('button')).toHaveCount(0);
  await expect(card.getByRole('link', { name: 'Balance' })).toBeFocused();
  await expect(page.getByRole('row', { name: /^No agent/ })).toContainText('100');

  await page.keyboard.press('Enter');
  const { open, close, amount, send, receive, field, balance, row } = walletPage(page);
  await open('Send', 'by keys');
  await expect(amount).toBeFocused();
  await page.keyboard.type('40');
  await page.keyboard.press('Enter');
  await expect(send).toContainText('A token for 40 sat');
  await expect(send).toContainText('To play a customer, copy the token, then receive it');
  await expect(balance).toContainText('60 sat');
  await pressOn(page, send.getByRole('button', { name: 'Copy token' }), 'by keys');
  const token = await page.evaluate(() => navigator.clipboard.readText());
  await close();
  await expect(row('Send', '−40 sat')).toContainText('not redeemed yet');

  await open('Receive', 'by keys');
  await expect(receive).toContainText('With test money, the wallet accepts tokens from any mint.');
  await page.keyboard.press('ControlOrMeta+v');
  await expect(field).toHaveValue(token);
  await page.keyboard.press('Tab');
  await page.keyboard.type('scout');
  await page.keyboard.press('Control+Enter');
  await expect(receive).toContainText('Received 40 sat');
  await expect(receive).toContainText('For scout.');
  await expect(receive.getByRole('link', { name: 'See what it earned' })).toHaveAttribute(
    'href',
    '/agents/scout/activity',
  );
  await expect(balance).toContainText('100 sat');

  // It pays once, as a real one does.
  await expect(field).toBeFocused();
  await page.keyboard.press('ControlOrMeta+v');
  await expect(receive).toContainText(/This wallet already received this token: 40 sat at/);
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.press('Delete');
  await close();
  await expect(row('Send', '−40 sat')).not.toContainText('not redeemed yet');

  // Anything that was sent and isn't redeemed can be taken back.
  await open('Send', 'by keys');
  await expect(amount).toBeFocused();
  await page.keyboard.type('10');
  await page.keyboard.press('Enter');
  await expect(balance).toContainText('90 sat');
  await close();
  await pressOn(page, row('Send', '−10 sat').getByRole('button', { name: 'Take back' }), 'by keys');
  await pressOn(page, page.getByRole('alertdialog').getByRole('button', { name: 'Take back' }), 'by keys');
  await expect(balance).toContainText('100 sat');

  await page.goto(`${served.url}/`);
  await expect(page.getByRole('row', { name: /^scout/ })).toContainText('40');
});

test('more test sats come from the wallet’s page, by keyboard, and the button keeps the focus', async ({
  page,
  served,
}) => {
  await page.goto(served.pageAt('/wallet'));
  const { balance, rows } = walletPage(page);
  const button = page.getByRole('main').getByRole('button', { name: 'Get 100 test sats' });
  await tabTo(page, button);
  await page.keyboard.press('Enter');
  await expect(balance).toContainText('100 sat');
  await expect(button).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(balance).toContainText('200 sat');
  await expect(rows).toHaveCount(2);
});

test.describe('with real money', () => {
  test.use({ environment: { DEV_MODE: 'false', MINT_URL: 'http://127.0.0.1:9' } });
  test('nobody gives sats away', async ({ page, served }) => {
    await page.goto(served.pageAt('/wallet'));
    await expect(walletPage(page).balance).toBeVisible();
    await expect(page.getByRole('button', { name: /test sats/ })).toHaveCount(0);
  });
});
