import type { Page } from '@playwright/test';
import type { UpdateState } from '../../src/shared/desktop-bridge.ts';
import { violationsInBothThemes } from './axe.ts';
import { test as desktopTest } from './desktop-fixtures.ts';
import { expect, test } from './fixtures.ts';

const AVAILABLE: UpdateState = { kind: 'available', version: '0.2.0', isPortable: false };

/** Gives the page a desktop bridge that only has updates. `show` changes their state, as the main process does. */
const withUpdates = async (page: Page, url: string) => {
  const answers: string[] = [];
  let state: UpdateState = AVAILABLE;
  await page.exposeFunction('readState', () => state);
  await page.exposeFunction('keepAnswer', (answer: string) => void answers.push(answer));
  await page.addInitScript(() => {
    const scope = window as unknown as Record<string, (input?: unknown) => Promise<never>>;
    Object.assign(window, {
      dotMiDesktop: {
        version: '0.1.0',
        readUpdate: () => scope.readState?.(),
        answerUpdate: (answer: string) => scope.keepAnswer?.(answer),
        onUpdate: (hear: () => void) => {
          addEventListener('update', hear);
          return () => removeEventListener('update', hear);
        },
      },
    });
  });
  await page.goto(url);
  const show = async (next: UpdateState) => {
    state = next;
    await page.evaluate(() => dispatchEvent(new Event('update')));
  };
  return { answers, show };
};

test('the page offers an update, and passes on the operator’s answer', async ({ page, served }) => {
  await page.setViewportSize({ width: 800, height: 600 });
  const { answers, show } = await withUpdates(page, served.pageUrl);
  const said = page.getByRole('status').filter({ hasText: /dot-mi|updat/ });
  // The buttons aren't read out with the text.
  await expect(said.getByRole('button')).toHaveCount(0);
  const banner = said.locator('..');
  await expect(banner).toContainText('dot-mi 0.2.0 is available. You have 0.1.0.');
  // There is no signature to promise.
  await expect(banner).not.toContainText(/sign|verif|trust/i);
  // The search field refers to the first agent, so the list must be there.
  await expect(page.getByRole('option').first()).toBeVisible();
  expect(await violationsInBothThemes(page)).toEqual([]);
  await banner.getByRole('button', { name: 'Later' }).click();
  await banner.getByRole('button', { name: 'Download' }).click();

  await show({ kind: 'downloading', version: '0.2.0' });
  await expect(banner).toContainText('Downloading dot-mi 0.2.0…');
  await show({ kind: 'ready', version: '0.2.0' });
  await banner.getByRole('button', { name: 'Quit and install' }).click();
  expect(answers).toEqual(['later', 'download', 'install']);

  await show({ kind: 'download-failed', version: '0.2.0', reason: 'sha512 checksum mismatch.' });
  await expect(banner).toContainText('sha512 checksum mismatch.');
  expect(await violationsInBothThemes(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
  await show({ kind: 'available', version: '0.2.0', isPortable: true });
  await expect(banner.getByRole('button', { name: 'Close' })).toBeVisible();
  await expect(banner.getByRole('button', { name: 'Download' })).toHaveCount(0);
  await show({ kind: 'none' });
  await expect(banner).toHaveCount(0);
});

desktopTest('the menu checks for updates, and the page reports the result', async ({ desktop, page }) => {
  await desktop.shell.ask('menu', 'Help', 'Check for Updates…');
  const banner = page.getByText('Only the installed program can check for updates.');
  await expect(banner).toBeVisible();
  await page.getByRole('button', { name: 'Close' }).click();
  await expect(banner).toBeHidden();
  expect(desktop.said()).toEqual([]);
});
