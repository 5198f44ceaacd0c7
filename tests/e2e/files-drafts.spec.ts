import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContext, Page } from '@playwright/test';
import { plant, SMALL_ROOT } from '../support/plant.ts';
import { choose } from './agent-menu.ts';
import { editor, expectText, onDisk, tab } from './editor.ts';
import { expect, type Served, test } from './fixtures.ts';
import { tabTo } from './keyboard.ts';

const open = async (page: Page, served: Served, path = '/agents/scout/files/SYSTEM.md') => {
  await page.goto(`${served.url}${path}`);
};

/** The text of the one draft the browser keeps now; undefined for none. */
const keptText = (page: Page): Promise<string | undefined> =>
  page.evaluate(
    () =>
      new Promise<string | undefined>((resolve, reject) => {
        const opening = indexedDB.open('dot-mi');
        opening.onerror = () => reject(opening.error);
        opening.onsuccess = () => {
          const reading = opening.result.transaction('drafts').objectStore('drafts').getAll();
          reading.onsuccess = () => {
            opening.result.close();
            resolve(reading.result[0]?.text);
          };
        };
      }),
  );

/** The texts that the server keeps. */
const keptByServer = async ({ directory }: Served): Promise<readonly string[]> => {
  const folder = join(directory, 'data/drafts');
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const files = names.filter((name) => name.endsWith('.json'));
  return Promise.all(
    files.map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8')).draft.text),
  );
};

/** Scout as the small root has it. */
const SMALL_AGENT = Object.fromEntries(
  Object.entries(SMALL_ROOT).filter(([path]) => path.startsWith('agents/scout')),
);

/** Ends the process of a page, as a crash does: no event of the page runs. */
const crash = async (context: BrowserContext, page: Page): Promise<Page> => {
  const crashed = page.waitForEvent('crash');
  void page.goto('chrome://crash').catch(() => {});
  await crashed;
  return context.newPage();
};

const catalog = (page: Page) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Catalog' });

test('unsaved text survives a crash of the page and a change on disk meanwhile', { tag: '@smoke' }, async ({
  page,
  served,
  context,
}) => {
  await open(page, served);
  await editor(page).fill('typed before the crash');
  await expect.poll(() => keptText(page)).toBe('typed before the crash');
  const second = await crash(context, page);
  await writeFile(served.agent('scout/SYSTEM.md'), 'theirs');

  await open(second, served);
  await expect(second.getByText('SYSTEM.md changed on disk')).toBeVisible();
  await expect(second.getByText('dot-mi recovered your unsaved text')).toBeVisible();
  await expectText(editor(second), 'typed before the crash');
  await second.getByRole('button', { name: 'Overwrite' }).click();
  await expect.poll(() => onDisk(served)).toBe('typed before the crash');
  await expect.poll(() => keptText(second)).toBeUndefined();
  await second.reload();
  await expectText(editor(second), 'typed before the crash');
  await expect(second.getByText('Recovered unsaved text')).toBeHidden();
});

test('recovered text is announced once on every page, and can be discarded by keyboard alone', async ({
  page,
  served,
  context,
}) => {
  await open(page, served);
  await editor(page).fill('mine');
  await expect.poll(() => keptText(page)).toBe('mine');
  const second = await crash(context, page);
  await open(second, served, '/catalog');
  await expect(second.getByText('Recovered unsaved text in scout')).toBeVisible();
  await second.keyboard.press('F6');
  await tabTo(second, second.getByRole('button', { name: 'Open' }));
  await second.keyboard.press('Enter');
  await expectText(editor(second), 'mine');
  await expect(second.getByText('Recovered unsaved text')).toBeHidden();
  // After that, the rail says it.
  await second.reload();
  await expectText(editor(second), 'mine');
  await expect(second.getByRole('button', { name: '1 unsaved file' })).toBeVisible();
  await expect(second.getByText('Recovered unsaved text')).toBeHidden();
  await tabTo(second, second.getByRole('button', { name: 'Revert' }));
  await second.keyboard.press('Enter');
  await expectText(editor(second), 'You are a scout.\n');
  await expect(editor(second)).toBeFocused();
  await expect.poll(() => keptText(second)).toBeUndefined();
});

test('a text of 2 MiB and the line ends of its file survive a reload', async ({ page, served }) => {
  const large = `${'A line of a large file.\r\n'.repeat(80_000)}end`;
  await writeFile(served.agent('scout/SYSTEM.md'), large);
  await open(page, served);
  await editor(page).press('ControlOrMeta+End');
  await page.keyboard.type('!');
  await expect.poll(async () => (await keptText(page))?.endsWith('end!')).toBe(true);
  await page.reload();
  await expect(page.getByText('Recovered unsaved text')).toBeVisible();
  await page.getByRole('button', { name: 'Keep text' }).click();
  await expect(page.getByText('Recovered unsaved text')).toBeHidden();
  await page.keyboard.press('ControlOrMeta+s');
  await expect.poll(async () => (await onDisk(served)) === `${large}!`).toBe(true);
});

test('two pages with one draft: neither removes what the other typed since', async ({
  page,
  served,
  context,
}) => {
  await open(page, served);
  await editor(page).fill('from the first');
  await expect.poll(() => keptText(page)).toBe('from the first');
  const second = await context.newPage();
  await open(second, served);
  await expectText(editor(second), 'from the first');
  await editor(page).fill('from the first, and more');
  await expect.poll(() => keptText(page)).toBe('from the first, and more');
  await second.getByRole('button', { name: 'Discard text' }).click();
  await expectText(editor(second), 'You are a scout.\n');
  expect(await keptText(page)).toBe('from the first, and more');
  // What one saves is not asked about in the other.
  await second.getByRole('button', { name: 'Undo' }).click();
  await editor(second).fill('from the first, and more');
  await page.bringToFront();
  await editor(page).press('ControlOrMeta+s');
  await expect.poll(() => onDisk(served)).toBe('from the first, and more');
  await expect(tab(second, 'SYSTEM.md')).not.toHaveAccessibleName(/unsaved/);
  await expect(second.getByText('changed on disk')).toBeHidden();
});

test('the server goes away during typing: the text is kept, and saved once the server is back', async ({
  page,
  served,
}) => {
  await open(page, served);
  await expect(page.getByText('Connected')).toBeAttached();
  await editor(page).fill('before');
  await served.kill();
  await expect(page.getByText('Offline: the API isn’t responding', { exact: false })).toBeVisible();
  await editor(page).press('ControlOrMeta+End');
  await page.keyboard.type(' and after');
  await page.keyboard.press('ControlOrMeta+s');
  await expect(page.getByText('Not saved')).toBeVisible();
  await served.startAgain();
  await expect(page.getByText('Connected')).toBeAttached();
  await expectText(editor(page), 'before and after');
  // The cause is gone, and the text is still unsaved.
  await expect(page.getByText('Not saved')).toBeHidden();
  await expect(tab(page, 'SYSTEM.md')).toHaveAccessibleName(/unsaved/);
  await editor(page).press('ControlOrMeta+s');
  await expect(tab(page, 'SYSTEM.md')).not.toHaveAccessibleName(/unsaved/);
  await expect.poll(() => onDisk(served)).toBe('before and after');
});

test('text typed for one root is never saved into another on the same port, and is there when its root is back', async ({
  page,
  served,
}) => {
  const otherRoot = join(served.directory, 'other-root');
  const theirFile = join(otherRoot, 'agents/scout/SYSTEM.md');
  await plant(otherRoot, SMALL_ROOT);
  await open(page, served);
  await expect(page.getByText('Connected')).toBeAttached();
  await editor(page).fill('mine');
  // The page doesn't learn about the other root before it saves.
  await page.route(/\/api\/(health|events)/, (route) => route.abort());
  await served.kill();
  await served.startAgain({ DOT_MI_ROOT: otherRoot });
  await editor(page).press('ControlOrMeta+s');
  await expect(page.getByText('dot-mi now manages another root', { exact: false }).first()).toBeVisible();
  expect(await readFile(theirFile, 'utf8')).toBe('You are a scout.\n');
  await expectText(editor(page), 'mine');

  await page.unroute(/\/api\/(health|events)/);
  await expect(page.getByText('get back your unsaved text in 1 file', { exact: false })).toBeVisible();
  await expectText(editor(page), 'You are a scout.\n');
  expect(await readFile(theirFile, 'utf8')).toBe('You are a scout.\n');
  await served.kill();
  await served.startAgain();
  await page.reload();
  await expectText(editor(page), 'mine');
  await page.keyboard.press('ControlOrMeta+s');
  await expect.poll(() => onDisk(served)).toBe('mine');
  expect(await readFile(theirFile, 'utf8')).toBe('You are a scout.\n');
});

test('typing goes on while another program renames the agent’s directory away and back', async ({
  page,
  served,
}) => {
  await open(page, served);
  await expect(page.getByText('Connected')).toBeAttached();
  await editor(page).fill('mine');
  await expect.poll(() => keptText(page)).toBe('mine');
  await rename(served.agent('scout'), served.agent('elsewhere'));
  await expect(page.getByText('No agent called “scout”')).toBeVisible();
  await page.keyboard.type(' and more');
  await rename(served.agent('elsewhere'), served.agent('scout'));
  await expect(page.getByText('No agent called “scout”')).toBeHidden();
  await page.keyboard.type(' at the end');
  await expectText(editor(page), 'mine and more at the end');
  await expect(tab(page, 'SYSTEM.md')).toHaveAccessibleName(/unsaved/);
  expect(await onDisk(served)).toBe('You are a scout.\n');

  // A page that never saw the agent offers the text to copy or discard.
  await expect.poll(() => keptText(page)).toBe('mine and more at the end');
  await rm(served.agent('scout'), { recursive: true });
  await page.reload();
  await expect(page.getByRole('heading', { name: 'This agent’s unsaved text' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Discard SYSTEM.md' })).toBeVisible();
  await plant(served.root, SMALL_AGENT);
  await expectText(editor(page), 'mine and more at the end');
});

test.describe('an agent that is deleted', () => {
  test.use({ signedIn: true });

  test('keeps its unsaved text, which Undo restores', async ({ page, served }) => {
    await open(page, served);
    await editor(page).fill('mine');
    await expect(tab(page, 'SYSTEM.md')).toHaveAccessibleName(/unsaved/);
    await choose(page, 'scout', 'Delete…');
    await page.getByRole('button', { name: 'Delete agent' }).click();
    await expect(page.getByRole('option', { name: /scout/ })).toHaveCount(0);
    await expect.poll(() => onDisk(served)).toBeUndefined();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('option', { name: /scout/ }).click();
    await expectText(editor(page), 'mine');
    await expect(tab(page, 'SYSTEM.md')).toHaveAccessibleName(/unsaved/);
    expect(await onDisk(served)).toBe('You are a scout.\n');
  });
});

test('unsaved text survives a reload, a kill of the server, another port and another browser, and two tabs never replace each other’s', async ({
  page,
  served,
  browser,
}) => {
  // Nothing asks before the page is left or reloaded.
  const asked: string[] = [];
  page.on('dialog', (dialog) => {
    asked.push(dialog.type());
    void dialog.accept();
  });
  await page.goto(served.pageUrl);
  await open(page, served);
  await editor(page).fill('from the first');
  await catalog(page).click();
  await expect(page).toHaveURL(/catalog$/);
  await page.reload();
  await page.getByRole('button', { name: '1 unsaved file' }).click();
  await page.getByRole('menuitem', { name: /scout.*SYSTEM\.md/ }).click();
  await expectText(editor(page), 'from the first');
  expect(asked).toEqual([]);
  await expect.poll(() => keptByServer(served)).toEqual(['from the first']);
  await served.kill();
  await served.startAgain({ PORT: '0' });

  const another = await browser.newContext();
  const second = await another.newPage();
  await second.goto(served.pageUrl);
  const { origin } = new URL(second.url());
  expect(origin).not.toBe(served.url);
  await second.goto(`${origin}/agents/scout/files/SYSTEM.md`);
  await expectText(editor(second), 'from the first');
  await editor(second).fill('from the second');
  await expect.poll(() => keptByServer(served)).toEqual(['from the second']);

  const third = await another.newPage();
  await third.goto(served.pageUrl);
  await third.goto(`${origin}/agents/scout/files/SYSTEM.md`);
  await expectText(editor(third), 'from the second');
  await editor(third).fill('from the third');
  const newer = second.getByText('Newer unsaved text from another tab or browser');
  await expect(newer).toBeVisible();
  await expectText(editor(second), 'from the second');
  await second.getByRole('button', { name: 'Use that text' }).click();
  await expectText(editor(second), 'from the third');
  await second.getByRole('button', { name: 'Undo' }).click();
  await expectText(editor(second), 'from the second');
  expect(await onDisk(served)).toBe('You are a scout.\n');
  await another.close();
});
