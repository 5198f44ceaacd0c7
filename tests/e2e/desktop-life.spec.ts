import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { startTestMint } from '../support/mint/test-mint.ts';
import { expect, expectAgents, test } from './desktop-fixtures.ts';

const isAnswering = (url: string) =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );

test('another launch brings the window to the front and ends itself', async ({ place }) => {
  const desktop = await place.launch();
  await expectAgents(await desktop.page());
  await desktop.shell.ask('window', 1, 'minimize');
  expect(desktop.state()).toMatchObject({ isMinimized: true });
  const second = await place.launch();
  expect(await second.exited).toBe(0);
  expect(second.deeds).toEqual([]);
  await expect.poll(() => desktop.state()).toMatchObject({ isMinimized: false, isFocused: true });
});

test('closing the window ends the program and its server', async ({ place }) => {
  const desktop = await place.launch();
  const page = await desktop.page();
  await expectAgents(page);
  const { origin } = new URL(page.url());
  desktop.shell.tell('window', 1, 'close');
  expect(await desktop.exited).toBe(0);
  expect(await isAnswering(`${origin}/api/health`)).toBe(false);
});

test('with "Close to tray" the window only hides, the API goes on, and the tray brings it back or ends it', async ({
  place,
}) => {
  const desktop = await place.launch();
  const page = await desktop.page();
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('switch', { name: 'Close to tray' }).click();
  await expect.poll(() => desktop.deeds).toContainEqual({ kind: 'tray', isThere: true, hasImage: true });
  desktop.shell.tell('window', 1, 'close');
  await expect.poll(() => desktop.state()).toMatchObject({ isVisible: false });
  expect(await isAnswering(`${new URL(page.url()).origin}/api/health`)).toBe(true);
  await desktop.shell.ask('tray', 'Open dot-mi');
  expect(desktop.state()).toMatchObject({ isVisible: true, isFocused: true });

  desktop.shell.tell('window', 1, 'close');
  await expect.poll(() => desktop.state()).toMatchObject({ isVisible: false });
  await desktop.shell.ask('tray', 'Quit dot-mi');
  expect(await desktop.exited).toBe(0);

  // Kept, and a start at login stays in the tray.
  const again = await place.launch({ argv: ['--hidden'] });
  await expect.poll(() => again.deeds).toContainEqual({ kind: 'tray', isThere: true, hasImage: true });
  expect(again.state()).toEqual({});
  await again.shell.ask('tray', 'Open dot-mi');
  await expectAgents(await again.page());
});

test('quitting with unsaved text asks; staying keeps everything, closing ends it', async ({ place }) => {
  const desktop = await place.launch();
  const page = await desktop.page();
  await page.getByRole('option', { name: /scout/ }).click();
  const editor = page.getByRole('textbox', { name: 'SYSTEM.md of scout' });
  await editor.click();
  await page.keyboard.type('unsaved ');
  await desktop.answerSync(0);
  desktop.shell.tell('quit');
  await expect.poll(() => desktop.said()).toEqual(['Close with unsaved changes?']);
  await expect(editor).toContainText('unsaved');
  expect(await isAnswering(`${new URL(page.url()).origin}/api/health`)).toBe(true);
  await desktop.answerSync(1);
  expect(await desktop.quit()).toBe(0);
});

test('a crash of the page loads it again, and what was typed is still there', async ({ place }) => {
  const desktop = await place.launch();
  const page = await desktop.page();
  await page.getByRole('option', { name: /scout/ }).click();
  await page.getByRole('textbox', { name: 'SYSTEM.md of scout' }).click();
  await page.keyboard.type('typed before the crash ');
  // Written to the page's storage a moment after the last key.
  await expect
    .poll(() =>
      page.evaluate(
        () =>
          new Promise((resolve) => {
            const opening = indexedDB.open('dot-mi');
            opening.onsuccess = () => {
              const reading = opening.result.transaction('drafts').objectStore('drafts').getAll();
              reading.onsuccess = () => {
                opening.result.close();
                resolve(JSON.stringify(reading.result));
              };
            };
          }),
      ),
    )
    .toContain('typed before the crash');
  const window = await desktop.window();
  await window.crash();
  await expect.poll(() => window.page() !== page).toBe(true);
  const editor = window.page().getByRole('textbox', { name: 'SYSTEM.md of scout' });
  await expect(editor).toContainText('typed before the crash');
  expect(await readFile(join(desktop.userData, 'logs/dot-mi.log'), 'utf8')).toContain('"reason":"crashed"');
  expect(desktop.said()).toEqual([]);

  // The second time a person is asked; "Load again" does it.
  const second = window.page();
  await window.crash();
  await expect.poll(() => desktop.said()).toEqual(['The page crashed again.']);
  await expect.poll(() => window.page() !== second).toBe(true);
  await expect(window.page().getByRole('textbox', { name: 'SYSTEM.md of scout' })).toContainText(
    'typed before the crash',
  );
});

test('quitting during a receive loses nothing', async ({ place }) => {
  const mint = await startTestMint();
  try {
    const environment = { DEV_MODE: 'false', MINT_URL: mint.url };
    const desktop = await place.launch({ environment });
    const page = await desktop.page();
    await page.getByRole('link', { name: 'Wallet' }).click();
    mint.fail('/v1/swap', { kind: 'hang', when: 'after' });
    await page.getByRole('textbox', { name: 'Cashu token' }).fill(mint.issue(64));
    await page.getByRole('button', { name: 'Receive', exact: true }).click();
    await expect.poll(() => mint.hanging()).toBe(1);
    expect(await desktop.quit()).toBe(0);
    mint.clearFaults();

    const again = await place.launch({ environment });
    const after = await again.page();
    await after.getByRole('link', { name: 'Wallet' }).click();
    await expect(after.getByRole('region', { name: 'Balance' })).toContainText('64 sat');
  } finally {
    await mint.close();
  }
});

test('the seed is sealed by the keychain where there is one', async ({ place }) => {
  const mint = await startTestMint();
  try {
    const environment = { DEV_MODE: 'false', MINT_URL: mint.url };
    const protectionOf = async (orders: object) => {
      const desktop = await place.launch({ environment, orders });
      const page = await desktop.page();
      await expectAgents(page);
      const answer = await page.evaluate(async () => {
        const authorization = `Bearer ${sessionStorage.getItem('dot-mi.token')}`;
        return (await fetch('/api/wallet/seed', { headers: { authorization } })).json();
      });
      expect(await desktop.quit()).toBe(0);
      return answer as { mnemonic: string; protection: string };
    };
    const plain = await protectionOf({ keychain: 'k', keyring: 'basic_text' });
    expect(plain.protection).toBe('file');
    expect(await protectionOf({ keychain: 'k' })).toEqual({ ...plain, protection: 'keychain' });

    const other = await place.launch({ environment, orders: { keychain: 'another' } });
    expect(await other.exited).toBe(1);
    expect(other.said().join()).toMatch(
      /does not open the wallet's seed .*restore from the words.*Nothing is lost/,
    );
  } finally {
    await mint.close();
  }
});

test('a machine that wakes up asks for the BTC price once', async ({ place }) => {
  let asked = 0;
  const source = createServer((_request, response) => {
    asked += 1;
    response.setHeader('Content-Type', 'application/json').end('{"USD": 64000, "time": 1772366400}');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => source.once('listening', resolve));
  try {
    const url = `http://127.0.0.1:${(source.address() as AddressInfo).port}`;
    const desktop = await place.launch({ environment: { BTC_PRICE_SOURCES: `mempool=${url}` } });
    await expectAgents(await desktop.page());
    await expect.poll(() => asked).toBe(1);
    // A moment after a price came, there is nothing to ask.
    await desktop.shell.ask('power', 'resume');
    expect(asked).toBe(1);
  } finally {
    source.close();
  }
});

test('the native menu does what the page does, on the page that is open', async ({ place }) => {
  const desktop = await place.launch();
  const page = await desktop.page();
  await expectAgents(page);
  await desktop.shell.ask('menu', 'Go', 'Command Palette…');
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
  await desktop.shell.ask('menu', 'File', 'New Agent…');
  await expect(page.getByRole('dialog', { name: 'New agent' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();

  await page.getByRole('option', { name: /scout/ }).click();
  await page.getByRole('textbox', { name: 'SYSTEM.md of scout' }).click();
  await page.keyboard.type('saved by the menu ');
  await desktop.shell.ask('menu', 'File', 'Save');
  await expect
    .poll(() => readFile(join(place.root, 'agents/scout/SYSTEM.md'), 'utf8'))
    .toContain('saved by the menu');

  await desktop.shell.ask('menu', 'File', 'Settings…');
  await expect(page.getByRole('heading', { name: 'Settings', exact: true })).toBeVisible();
  await desktop.shell.ask('menu', 'Help', 'Open Logs');
  await page.getByRole('button', { name: 'Open logs' }).click();
  const logs = join(desktop.userData, 'logs');
  await expect.poll(() => desktop.opened()).toEqual([logs, logs]);
});
