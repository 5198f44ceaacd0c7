import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, expectAgents, test } from './desktop-fixtures.ts';
import { openSettings } from './settings-page.ts';
import { SIMULATED_MINT, simulatedToken } from './wallet-page.ts';

const receive = (origin: string, amount: number) =>
  fetch(`${origin}/api/wallet/receive`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ token: simulatedToken(amount, 'secret memo') }),
  });

test('payments show a notification unless the operator sees them, a click opens the wallet, and Settings turns it off', async ({
  place,
}) => {
  const desktop = await place.launch({ environment: { MINT_URL: SIMULATED_MINT } });
  const page = await desktop.page();
  await expectAgents(page);
  const { origin } = new URL(page.url());
  const notifications = () => desktop.recordedCalls.filter(({ kind }) => kind === 'notification');
  await desktop.shell.ask('window', 1, 'minimize');
  for (const amount of [1, 4, 16]) expect((await receive(origin, amount)).status).toBe(200);
  await expect.poll(notifications).toHaveLength(1);
  expect(notifications()[0]).toEqual({
    kind: 'notification',
    id: 1,
    title: 'Test payment received',
    body: '3 payments, 21 sat in total',
  });
  await desktop.shell.ask('notification', 1, 'click');
  await expect.poll(() => desktop.state()).toMatchObject({ isMinimized: false, isFocused: true });
  await expect(page).toHaveURL(`${origin}/wallet`);

  // The person sees the first one on the page.
  await receive(origin, 64);
  await expect(page.getByText('64 sat').first()).toBeVisible();
  await openSettings(page, 'Desktop');
  const payments = page.getByRole('switch', { name: 'Payment received' });
  await expect(payments).toBeChecked();
  await receive(origin, 2);
  await expect.poll(notifications).toHaveLength(2);
  expect(notifications()[1]).toMatchObject({ body: '2 sat' });
  await payments.click();
  await page.reload();
  await expect(payments).not.toBeChecked();
  await expect(page.getByRole('switch', { name: 'Payment needs attention' })).toBeChecked();
  const kept = JSON.parse(await readFile(join(desktop.userData, 'settings.json'), 'utf8'));
  expect(kept.preferences.notifications).toEqual({
    payments: false,
    attention: true,
    mint: true,
    budgets: true,
    sales: true,
    waiting: true,
    done: false,
    updates: true,
  });
});

test('an agent that waits for a person shows a notification and is in the tray’s menu, and a click opens its page', async ({
  place,
}) => {
  const desktop = await place.launch();
  const page = await desktop.page();
  await expectAgents(page);
  const { origin } = new URL(page.url());
  await page.evaluate(() =>
    window.dotMiDesktop
      .readPreferences()
      .then((preferences) => window.dotMiDesktop.writePreferences({ ...preferences, closeToTray: true })),
  );
  const reported = await fetch(`${origin}/api/agents/scout/status`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ run: 'one', state: 'waiting' }),
  });
  expect(reported.status).toBe(200);
  const notifications = () => desktop.recordedCalls.filter(({ kind }) => kind === 'notification');
  await expect
    .poll(notifications)
    .toEqual([
      { kind: 'notification', id: 1, title: 'scout is waiting for you', body: 'Answer it in its terminal.' },
    ]);
  await desktop.shell.ask('notification', 1, 'click');
  await expect(page).toHaveURL(/\/agents\/scout/);
  await page.getByRole('link', { name: 'Wallet' }).click();
  await desktop.shell.ask('tray', 'scout is waiting for you');
  await expect(page.getByRole('heading', { name: 'scout', exact: true })).toBeVisible();
});
