import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import type { BoxAnswer } from '../support/electron/page/desktop.ts';
import { startTestMint } from '../support/mint/test-mint.ts';
import { plant } from '../support/plant.ts';
import { type Desktop, expect, expectAgents, isAnswering, test } from './desktop-fixtures.ts';
import { editor, expectText } from './editor.ts';
import { openSettings } from './settings-page.ts';
import { walletPage } from './wallet-page.ts';

const STAY: BoxAnswer = { response: 0, checkboxChecked: false };
const LEAVE: BoxAnswer = { response: 1, checkboxChecked: false };

test('another launch passes its link on, brings the window to the front and exits', async ({
  desktop,
  page,
  sharedPlace,
}) => {
  await desktop.shell.ask('window', 1, 'minimize');
  expect(desktop.state()).toMatchObject({ isMinimized: true });
  const second = await sharedPlace.launch({ argv: ['--', 'cashu:no-token'] });
  expect(await second.exited).toBe(0);
  expect(second.recordedCalls).toEqual([]);
  await expect.poll(() => desktop.state()).toMatchObject({ isMinimized: false, isFocused: true });
  await expect(page.getByRole('alert').first()).toContainText(/link/i);
});

test('with "Close to tray" the window only hides, the API keeps running, and the tray shows the window again or quits', async ({
  place,
}) => {
  // The installed program, which may start at login.
  const launchOptions = { isPackaged: true };
  const desktop = await place.launch({ launchOptions });
  const page = await desktop.page();
  await openSettings(page, 'Desktop');
  await page.getByRole('switch', { name: 'Close to tray' }).click();
  await expect
    .poll(() => desktop.recordedCalls)
    .toContainEqual({ kind: 'tray', isThere: true, hasImage: true });
  expect(await desktop.shell.ask('tray-tip')).toBe(`dot-mi: ${new URL(page.url()).origin}`);
  await page.getByRole('switch', { name: 'Start at login' }).click();
  // The page shows what was chosen at once, and what the system keeps when it asks again.
  await page.getByRole('link', { name: 'Agents' }).click();
  await openSettings(page, 'Desktop');
  await expect(page.getByRole('switch', { name: 'Start at login' })).toBeChecked();
  desktop.shell.tell('window', 1, 'close');
  await expect.poll(() => desktop.state()).toMatchObject({ isVisible: false });
  expect(await isAnswering(`${new URL(page.url()).origin}/api/health`)).toBe(true);
  await desktop.shell.ask('tray', 'Open dot-mi');
  await expect.poll(() => desktop.state()).toMatchObject({ isVisible: true, isFocused: true });

  desktop.shell.tell('window', 1, 'close');
  await expect.poll(() => desktop.state()).toMatchObject({ isVisible: false });
  await desktop.shell.ask('tray', 'Quit dot-mi');
  expect(await desktop.exited).toBe(0);

  // Kept, and a start at login stays in the tray.
  const again = await place.launch({ argv: ['--hidden'], launchOptions });
  await expect
    .poll(() => again.recordedCalls)
    .toContainEqual({ kind: 'tray', isThere: true, hasImage: true });
  expect(again.state()).toEqual({});
  await again.shell.ask('tray-click');
  await expectAgents(await again.page());
});

test('on a desktop without a tray, closing the window quits, and the setting says why', async ({ place }) => {
  const launchOptions = { tray: 'hidden' } as const;
  const desktop = await place.launch({ launchOptions });
  const page = await desktop.page();
  await openSettings(page, 'Desktop');
  const toTray = page.getByRole('switch', { name: 'Close to tray' });
  await expect(toTray).toBeDisabled();
  await expect(toTray).toHaveAccessibleDescription(/^Your desktop has no tray/);
  // It was chosen where there was a tray.
  await page.evaluate(() =>
    window.dotMiDesktop.writePreferences({
      closeToTray: true,
      startAtLogin: false,
      checkForUpdates: false,
      notifications: {
        payments: true,
        attention: true,
        mint: true,
        budgets: true,
        sales: true,
        waiting: true,
        done: true,
        updates: true,
      },
    }),
  );
  desktop.shell.tell('window', 1, 'close');
  expect(await desktop.exited).toBe(0);
  expect(desktop.recordedCalls.filter(({ kind }) => kind === 'tray')).toEqual([]);
});

test('the window opens in the theme that was chosen, without a white flash', async ({ place }) => {
  const backgroundOf = async (desktop: Desktop) => (await desktop.window()).made.options.backgroundColor;
  const desktop = await place.launch();
  expect(await backgroundOf(desktop)).toBe('#fffefd');
  const page = await desktop.page();
  await openSettings(page, 'Appearance');
  await page.getByRole('radio', { name: 'Dark' }).click();
  const settings = join(desktop.userData, 'settings.json');
  await expect
    .poll(async () => JSON.parse(await readFile(settings, 'utf8').catch(() => '{}')).theme)
    .toBe('dark');
  expect(await desktop.quit()).toBe(0);
  // The page's own background.
  const again = await place.launch();
  expect(await backgroundOf(again)).toBe('#1a1816');
});

/** Pastes a token into the wallet page without receiving it. */
const pasteToken = async (page: Page, token = `cashuA${btoa('{"token":[]}')}`) => {
  await page.getByRole('link', { name: 'Wallet' }).click();
  const { open, field } = walletPage(page);
  await open('Receive');
  await field.fill(token);
  return field;
};

test('leaving a token that isn’t received asks first, staying keeps everything, and closing the window ends the program and its server', async ({
  place,
}) => {
  const desktop = await place.launch({ launchOptions: { unresponsiveAfterCloseMs: 100 } });
  const page = await desktop.page();
  const health = `${new URL(page.url()).origin}/api/health`;
  const field = await pasteToken(page);
  desktop.answer(STAY);
  desktop.shell.tell('quit');
  await expect.poll(() => desktop.said()).toEqual(['Close and lose a token?']);
  // Electron calls the window unresponsive, because it doesn't close.
  await expect.poll(() => desktop.recordedCalls).toContainEqual({ kind: 'unresponsive', window: 1 });
  expect(desktop.said()).toEqual(['Close and lose a token?']);
  await expect(field).toHaveValue(/^cashuA/);
  expect(await isAnswering(health)).toBe(true);
  desktop.answer(LEAVE);
  desktop.shell.tell('window', 1, 'close');
  expect(await desktop.exited).toBe(0);
  expect(await isAnswering(health)).toBe(false);
});

test('text that neither dot-mi nor the window can keep, because the disk is full, is asked about before it is lost', async ({
  place,
}) => {
  const desktop = await place.launch();
  const page = await desktop.page();
  // As on a full disk: no store accepts anything.
  await writeFile(join(desktop.userData, 'data/drafts'), '');
  await page.evaluate(() => {
    IDBObjectStore.prototype.put = () => {
      throw new DOMException('Connection is closing.', 'InvalidStateError');
    };
  });
  await page.getByText('scout', { exact: true }).first().click();
  await editor(page).fill('Typed on a full disk.\n');
  const notifications = page.getByRole('region', { name: 'Notifications' });
  await expect(notifications).toContainText('Unsaved text is lost when this page closes');
  await expect(notifications).toContainText('The disk may be full. Save or copy the text');
  await expect(notifications).not.toContainText(/Connection is closing|site data/);
  desktop.answer(STAY);
  desktop.shell.tell('quit');
  await expect.poll(() => desktop.said()).toEqual(['Close and lose text?']);
  await expectText(editor(page), 'Typed on a full disk.\n');
  await page.keyboard.press('ControlOrMeta+S');
  await expect(notifications).not.toContainText('Unsaved text is lost');
  expect(await desktop.quit()).toBe(0);
});

test('while any dialog is open, agents get responses and a pending receive completes', async ({ place }) => {
  const mint = await startTestMint();
  try {
    const desktop = await place.launch({ environment: { DEV_MODE: 'false', MINT_URL: mint.url } });
    const page = await desktop.page();
    const { origin } = new URL(page.url());
    // Nobody answers the dialog before: a process that it stops would give no answer at all.
    const expectAnswers = async () => expect(await isAnswering(`${origin}/api/agents`)).toBe(true);
    await pasteToken(page);
    mint.fail('/v1/swap', { kind: 'hang', when: 'after' });
    const receiving = fetch(`${origin}/api/wallet/receive`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ token: mint.issue(64) }),
    });
    await expect.poll(() => mint.hanging()).toBe(1);

    const decision = Promise.withResolvers<BoxAnswer>();
    desktop.answer(() => decision.promise);
    desktop.shell.tell('window', 1, 'close');
    await expect.poll(() => desktop.said()).toEqual(['Close and lose a token?']);
    await expectAnswers();
    mint.clearFaults();
    expect((await receiving).status).toBe(200);
    decision.resolve(STAY);

    const waiting = Promise.withResolvers<BoxAnswer>();
    desktop.answer(() => waiting.promise);
    desktop.shell.tell('contents', 1, 'unresponsive');
    await expect.poll(() => desktop.said()).toContain('The page isn’t responding.');
    await expectAnswers();
    waiting.resolve({ response: 1, checkboxChecked: false });

    const folder = Promise.withResolvers<string | null>();
    desktop.choose(folder.promise);
    const choosing = page.evaluate(() => window.dotMiDesktop.chooseFolder());
    // It starts next to the current root.
    await expect
      .poll(() => desktop.recordedCalls)
      .toContainEqual({
        kind: 'chooser',
        options: expect.objectContaining({ defaultPath: place.directory }),
      });
    await expectAnswers();
    folder.resolve('/elsewhere');
    expect(await choosing).toBe('/elsewhere');
  } finally {
    await mint.close();
  }
});

test('a page that hangs or crashes is loaded again, and what was typed is still there', async ({ place }) => {
  const desktop = await place.launch();
  const page = await desktop.page();
  await page.getByRole('link', { name: 'scout', exact: true }).click();
  await page.getByRole('textbox', { name: 'SYSTEM.md of scout' }).click();
  await page.keyboard.type('typed before it ');
  // The server keeps it a moment after the last key.
  const kept = async () => {
    const folder = join(desktop.userData, 'data', 'drafts');
    const names = await readdir(folder, { recursive: true }).catch(() => []);
    const files = names.filter((name) => name.endsWith('.json'));
    return (await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')))).join();
  };
  await expect.poll(kept).toContain('typed before it');
  const window = await desktop.window();
  /** Waits for another page than `gone`, with the text. */
  const expectBack = async (gone: Page) => {
    await expect.poll(() => window.page() !== gone).toBe(true);
    const editor = window.page().getByRole('textbox', { name: 'SYSTEM.md of scout' });
    await expect(editor).toContainText('typed before it');
    return window.page();
  };

  // A page that is busy for ever hears no reload; "Load again" does it all the same.
  await page.evaluate(() => {
    setTimeout(() => {
      for (;;);
    });
  });
  await desktop.shell.ask('contents', 1, 'unresponsive');
  const second = await expectBack(page);
  expect(desktop.said()).toEqual(['The page isn’t responding.']);

  await window.crash();
  const third = await expectBack(second);
  expect(await readFile(join(desktop.userData, 'logs/dot-mi.log'), 'utf8')).toContain('"reason":"crashed"');
  expect(desktop.said()).toHaveLength(1);

  // The second time a person is asked.
  await window.crash();
  await expectBack(third);
  expect(desktop.said().slice(1)).toEqual(['The page crashed again.']);
});

test('an uncaught error ends the program cleanly, and the log says where it happened but doesn’t quote it', async ({
  place,
}) => {
  const desktop = await place.launch();
  await desktop.window();
  await desktop.shell.ask('throw', 'about cashuBsecret');
  expect(await desktop.exited).toBe(1);
  const log = await readFile(join(desktop.userData, 'logs/dot-mi.log'), 'utf8');
  expect(log).toMatch(/"origin":"exception".*"frames":\["at .*uncaught error/);
  expect(desktop.said()).toEqual(['dot-mi has to quit']);
  expect(desktop.details()).toEqual([expect.stringMatching(/^dot-mi hit an unexpected error.*logs$/)]);
  expect(log + desktop.said().join() + desktop.details().join() + desktop.stderr()).not.toContain(
    'cashuBsecret',
  );
});

test('quitting during a receive waits until it is finished', async ({ place }) => {
  const mint = await startTestMint();
  try {
    const environment = { DEV_MODE: 'false', MINT_URL: mint.url };
    const desktop = await place.launch({ environment });
    const page = await desktop.page();
    const health = `${new URL(page.url()).origin}/api/health`;
    await page.getByRole('link', { name: 'Wallet' }).click();
    mint.fail('/v1/swap', { kind: 'hang', when: 'after' });
    const { open, field, receiveButton } = walletPage(page);
    await open('Receive');
    await field.fill(mint.issue(64));
    await receiveButton.click();
    await expect.poll(() => mint.hanging()).toBe(1);
    // It may still be refused, and then the token is in the page alone.
    const decision = Promise.withResolvers<BoxAnswer>();
    desktop.answer(() => decision.promise);
    desktop.shell.tell('quit');
    await expect.poll(() => desktop.said()).toEqual(['Close and lose a token?']);
    decision.resolve(LEAVE);
    // Nobody new is served, and what is under way goes on.
    await expect.poll(() => isAnswering(health)).toBe(false);
    expect(mint.hanging()).toBe(1);
    mint.clearFaults();
    expect(await desktop.exited).toBe(0);

    // Without its mint a wallet recovers nothing: the sats are there since the quit waited for them.
    await mint.away();
    const again = await place.launch({ environment });
    const after = await again.page();
    await after.getByRole('link', { name: 'Wallet' }).click();
    await expect(after.getByRole('region', { name: 'Balance' })).toContainText('64 sat');
  } finally {
    await mint.close();
  }
});

test('without a keychain the seed is in a plain file and the page says so, a keychain seals it, and another keychain turns off the wallet with advice', async ({
  place,
}) => {
  const mint = await startTestMint();
  const environment = { DEV_MODE: 'false', MINT_URL: mint.url };
  /** Starts it, and the page says what keeps the words. */
  const expectProtection = async (keychain: { keychain?: string }, sentence: string) => {
    const desktop = await place.launch({ environment, launchOptions: keychain });
    const page = await desktop.page();
    await page.getByRole('link', { name: 'Wallet' }).click();
    await walletPage(page).open('Backup');
    await page.getByRole('button', { name: 'Show backup words…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Backup words' });
    await dialog.getByRole('button', { name: 'Show words' }).click();
    await expect(dialog).toContainText(sentence);
    expect(await desktop.quit()).toBe(0);
  };
  try {
    await expectProtection(
      {},
      'This computer has no keychain, so they’re in a file that only your user account can read.',
    );
    await expectProtection({ keychain: 'k' }, 'the system keychain protects them');

    const other = await place.launch({ environment, launchOptions: { keychain: 'another' } });
    const page = await other.page();
    await expectAgents(page);
    await page.getByRole('link', { name: 'Wallet' }).click();
    await expect(page.getByRole('alert')).toContainText(
      /can’t open the backup words in .*Nothing is lost.*write the backup words into/,
    );
    await expect(page.getByRole('button', { name: 'Restart dot-mi' })).toBeVisible();
    expect(await other.quit()).toBe(0);
  } finally {
    await mint.close();
  }
});

test('a keychain that is locked at the start locks only the wallet, and the page says so and restarts the program', async ({
  place,
}) => {
  const mint = await startTestMint();
  const environment = { DEV_MODE: 'false', MINT_URL: mint.url };
  const launchOptions = { keychain: 'k' };
  try {
    const first = await place.launch({ environment, launchOptions });
    await expectAgents(await first.page());
    expect(await first.quit()).toBe(0);

    const locked = await place.launch({
      environment,
      launchOptions: { ...launchOptions, isKeychainLocked: true },
    });
    const page = await locked.page();
    await expectAgents(page);
    await page.getByRole('link', { name: 'Wallet' }).click();
    await expect(page.getByRole('heading', { name: 'The wallet is locked' })).toBeVisible();
    await expect(page.getByText('Unlock the keychain, then restart dot-mi.')).toBeVisible();
    await page.getByRole('button', { name: 'Restart dot-mi' }).click();
    expect(await locked.exited).toBe(0);
    expect(locked.recordedCalls.map(({ kind }) => kind)).toContain('relaunch');

    const again = await (await place.launch({ environment, launchOptions })).page();
    await again.getByRole('link', { name: 'Wallet' }).click();
    await expect(again.getByRole('region', { name: 'Balance' })).toContainText('0 sat');
  } finally {
    await mint.close();
  }
});

test('a machine that wakes up asks for the BTC price once', async ({ place }) => {
  let asked = 0;
  let answer: (() => void) | undefined;
  const source = createServer((_request, response) => {
    asked += 1;
    // The first one fails, so that there is no price when the machine wakes up; the second is slow.
    if (asked === 1) response.writeHead(503).end();
    else
      answer = () =>
        response
          .setHeader('Content-Type', 'application/json')
          .end(JSON.stringify({ USD: 64_000, time: Math.floor(Date.now() / 1000) }));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => source.once('listening', resolve));
  try {
    const url = `http://127.0.0.1:${(source.address() as AddressInfo).port}`;
    const desktop = await place.launch({ environment: { BTC_PRICE_SOURCES: `mempool=${url}` } });
    const page = await desktop.page();
    const priceIs = (status: number) =>
      expect.poll(() => page.evaluate(async () => (await fetch('/api/pricing/btc')).status)).toBe(status);
    await expect.poll(() => asked).toBe(1);
    await priceIs(503);
    // Far sooner than it would have tried again.
    await desktop.shell.ask('power', 'resume');
    await expect.poll(() => asked).toBe(2);
    await desktop.shell.ask('power', 'resume');
    answer?.();
    await priceIs(200);
    await desktop.shell.ask('power', 'resume');
    expect(await desktop.quit()).toBe(0);
    expect(asked).toBe(2);
  } finally {
    source.closeAllConnections();
    source.close();
  }
});

test('the menu opens another folder, and one that was open before', async ({ place }) => {
  // Without the variable, which no menu can change.
  const desktop = await place.launch({ environment: { DOT_MI_ROOT: '' } });
  const page = await desktop.page();
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  desktop.choose(place.root);
  await desktop.shell.ask('menu', 'File', 'Open Folder…');
  await expectAgents(page);
  const other = join(place.directory, 'other');
  await plant(other, { 'agents/courier/SYSTEM.md': 'You carry.\n' });
  desktop.choose(other);
  await desktop.shell.ask('menu', 'File', 'Open Folder…');
  await expect(page.getByText('courier', { exact: true }).first()).toBeVisible();
  await expect
    .poll(() =>
      desktop.shell.ask('menu', 'File', 'Open Recent', place.root).then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
  await expectAgents(page);
});

test('the native menu does what the page does, on the page that is open', async ({
  desktop,
  page,
  sharedPlace,
}) => {
  await desktop.shell.ask('menu', 'Go', 'Search…');
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
  await desktop.shell.ask('menu', 'File', 'New Agent…');
  await expect(page.getByRole('dialog', { name: 'New agent' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
  desktop.choose(null);
  await desktop.shell.ask('menu', 'File', 'Open Folder…');
  await expect.poll(() => desktop.recordedCalls.some(({ kind }) => kind === 'chooser')).toBe(true);
  await page.getByRole('link', { name: 'Agents' }).click();

  await page.getByRole('option', { name: /scout/ }).click();
  await page.getByRole('textbox', { name: 'SYSTEM.md of scout' }).click();
  await page.keyboard.type('saved by the menu ');
  await desktop.shell.ask('menu', 'File', 'Save');
  await expect
    .poll(() => readFile(join(sharedPlace.root, 'agents/scout/SYSTEM.md'), 'utf8'))
    .toContain('saved by the menu');
  // The file is there before the page hears that it is.
  await expect(page.getByRole('tab', { name: 'SYSTEM.md' })).not.toHaveAccessibleName(/unsaved/i);
  const find = page.getByRole('textbox', { name: 'Find' });
  await desktop.shell.ask('menu', 'Edit', 'Find');
  await expect(find).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(find).toHaveCount(0);
  await page.getByRole('tab', { name: 'SYSTEM.md' }).focus();
  await page.keyboard.press('ControlOrMeta+f');
  await expect(find).toBeFocused();
  await page.keyboard.press('Escape');

  await desktop.shell.ask('menu', 'File', 'New Agent…');
  await expect(page.getByRole('dialog', { name: 'New agent' }).getByRole('textbox').first()).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  // The opened agent stays open, and in a field the menu works as elsewhere.
  await expect(page).toHaveURL(/agents\/scout\/files\/SYSTEM\.md$/);
  await page.getByRole('combobox', { name: 'Search agents' }).click();
  await desktop.shell.ask('menu', 'Help', 'Keyboard Shortcuts');
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await desktop.shell.ask('menu', 'File', 'Settings…');
  await expect(page.getByRole('heading', { name: 'Settings', exact: true })).toBeVisible();
  await openSettings(page, 'Desktop');
  await desktop.shell.ask('menu', 'Help', 'Open Logs');
  await page.getByRole('button', { name: 'Open logs' }).click();
  const logs = join(desktop.userData, 'logs');
  await expect.poll(() => desktop.opened()).toEqual([logs, logs]);
});
