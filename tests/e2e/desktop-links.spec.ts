import type { Page } from '@playwright/test';
import { freePort } from '../support/free-port.ts';
import { type Desktop, expect, isAnswering, test } from './desktop-fixtures.ts';
import { openSettings } from './settings-page.ts';
import { SIMULATED_MINT, simulatedToken, walletPage } from './wallet-page.ts';

const field = (page: Page) => page.getByRole('textbox', { name: 'Cashu token' });

/** Nothing was redeemed, and the link is in no address. */
const expectUntouched = async (page: Page) => {
  await expect(walletPage(page).balance).toContainText('0 sat');
  await expect(page).toHaveURL(/\/wallet$/);
};

/** How a link reaches a program that runs: as another launch, or on macOS as an event. */
const WAYS: Record<string, (desktop: Desktop, link: string) => Promise<unknown>> = {
  'as another launch (Windows, Linux)': (desktop, link) =>
    desktop.shell.ask('app', 'second-instance', ['dot-mi', '--', link], ''),
  'as an event (macOS)': (desktop, link) => desktop.shell.ask('app', 'open-url', link),
};

for (const [way, open] of Object.entries(WAYS)) {
  test(`a cashu: link fills in the wallet's field, ${way}, and redeems nothing`, async ({
    desktop,
    page,
  }) => {
    const token = simulatedToken(21);
    await open(desktop, `cashu:${token}`);
    await expect(field(page)).toHaveValue(token);
    await expectUntouched(page);
    expect(desktop.state()).toMatchObject({ isFocused: true });

    // Again on the page that is open, once the field is free.
    await field(page).fill('');
    await open(desktop, `CASHU:${simulatedToken(42)}`);
    await expect(field(page)).toHaveValue(simulatedToken(42));
    await expectUntouched(page);
  });
}

test('links that start the program wait for the window, which waits for Chromium and its guards, and each is offered', async ({
  place,
}) => {
  const port = String(await freePort());
  const token = simulatedToken(8);
  const desktop = await place.launch({
    environment: { MINT_URL: SIMULATED_MINT, PORT: port },
    launchOptions: { isReadyLater: true },
    argv: ['--flag', '--', `cashu:${token}`, 'https://evil.example'],
  });
  // The server is there before Chromium is.
  await expect.poll(() => isAnswering(`http://127.0.0.1:${port}/api/health`)).toBe(true);
  await desktop.shell.ask('app', 'second-instance', ['dot-mi'], '');
  await desktop.shell.ask('app', 'activate');
  for (const amount of [16, 32])
    await desktop.shell.ask('app', 'open-url', `cashu:${simulatedToken(amount)}`);
  expect(desktop.state()).toEqual({});
  await desktop.shell.ask('ready');
  const page = await desktop.page();
  await expect(field(page)).toHaveValue(token);
  await expectUntouched(page);
  expect(desktop.state(2)).toEqual({});
  const takeNext = page.getByRole('button', { name: 'Put it in the field' });
  for (const amount of [16, 32]) {
    await takeNext.click();
    await expect(field(page)).toHaveValue(simulatedToken(amount));
  }
  await expect(takeNext).toHaveCount(0);
  await expectUntouched(page);
});

test('a link that is too long, has markup or another scheme in it is refused with an explanation, and nothing runs', async ({
  desktop,
  page,
}) => {
  const refused = page.getByRole('alert');
  for (const link of [
    `cashu:cashuA${'x'.repeat(100_000)}`,
    'cashu:<img src=x onerror="document.title=`ran`"><script>document.title="ran"</script>',
    'cashu:javascript:document.title="ran"',
    'cashu:file:///etc/passwd',
    'cashu://https://evil.example/',
    `cashu:#token=${'0'.repeat(64)}`,
    'cashu:%3Cscript%3Edocument.title%3D%22ran%22%3C%2Fscript%3E',
  ]) {
    await desktop.shell.ask('app', 'open-url', link);
    await expect(page).toHaveURL(/\/wallet$/);
    await expect(refused.first()).toContainText(/link/i);
    await expect(field(page)).toHaveValue('');
  }
  expect(await page.title()).not.toContain('ran');
  expect(desktop.opened()).toEqual([]);
  expect(await page.locator('img[src="x"]').count()).toBe(0);
  // The token of the operator is still its own.
  await walletPage(page).close();
  await openSettings(page, 'Pricing');
  await expect(page.getByRole('textbox', { name: 'Price interval' })).toBeVisible();
});

test('anything but a cashu: link is ignored', async ({ desktop, page }) => {
  await desktop.shell.ask('app', 'open-url', 'https://evil.example/#cashu:x');
  await desktop.shell.ask(
    'app',
    'second-instance',
    ['dot-mi', 'cashu:x', '--', '--cashu:x', 'smb://host'],
    '',
  );
  // The first that the page takes is the first that is one.
  await desktop.shell.ask('app', 'open-url', `cashu:${simulatedToken(2)}`);
  await expect(field(page)).toHaveValue(simulatedToken(2));
  await expect(page.getByRole('alert')).toHaveCount(0);
});
