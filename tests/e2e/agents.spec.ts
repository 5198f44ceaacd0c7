import { lstat, mkdir, readdir, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from './fixtures.ts';
import { tabTo } from './keyboard.ts';

test.describe('agents', () => {
  test.use({
    tree: {
      'agents/writer/SYSTEM.md': 'w',
      'agents/writer/workspace.conf': '',
      'agents/zebra/SYSTEM.md': 'z',
    },
  });

  test('lists the agents of the root and filters them', async ({ page, served }) => {
    await page.goto(served.pageUrl);
    const list = page.getByRole('listbox', { name: 'Agents' });
    await expect(list.getByRole('option')).toHaveCount(3);
    await expect(list.getByRole('option', { name: /writer/ })).toContainText('workspace');
    await page.getByRole('combobox', { name: 'Search agents' }).fill('ZEB');
    await expect(list.getByRole('option')).toHaveCount(1);
    await page.getByRole('combobox', { name: 'Search agents' }).fill('nothing');
    await expect(page.getByText('Nothing matches “nothing”.')).toBeVisible();
    await expect(page).toHaveURL(`${served.url}/`);
  });

  test('creates an agent with a workspace, by keyboard alone', async ({ page, served }) => {
    await page.goto(served.pageUrl);
    await tabTo(page, page.getByRole('button', { name: 'New agent' }).first());
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'New agent' });
    await expect(dialog.getByLabel('Agent id')).toBeFocused();
    await page.keyboard.type('courier');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await expect(dialog).toBeHidden();
    await expect(page).toHaveURL(`${served.url}/agents/courier/files/SYSTEM.md`);
    await expect(
      page.getByRole('listbox', { name: 'Agents' }).getByRole('option', { name: /courier/ }),
    ).toContainText('workspace');
    expect((await lstat(served.agent('courier/workspace.conf'))).isFile()).toBe(true);
  });

  test('creates an agent with a workspace, by mouse', async ({ page, served }) => {
    await page.goto(served.pageUrl);
    await page.getByRole('button', { name: 'New agent' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'New agent' });
    await dialog.getByLabel('Agent id').fill('courier');
    // A press beside a form takes nothing of it along.
    await page.mouse.click(4, 300);
    await expect(dialog.getByLabel('Agent id')).toHaveValue('courier');
    await dialog.getByText('Add a workspace').click();
    await dialog.getByRole('button', { name: 'Create agent' }).click();
    await expect(dialog).toBeHidden();
    await expect(page).toHaveURL(`${served.url}/agents/courier/files/SYSTEM.md`);
    await expect(
      page.getByRole('listbox', { name: 'Agents' }).getByRole('option', { name: /courier/ }),
    ).toContainText('workspace');
    expect((await lstat(served.agent('courier'))).isDirectory()).toBe(true);
    expect((await lstat(served.agent('courier/workspace.conf'))).isFile()).toBe(true);
    await expect(page.locator('body')).not.toBeFocused();
  });

  test('says in the dialog what is wrong with an id, before and after asking the server', async ({
    page,
    served,
  }) => {
    await page.goto(served.pageUrl);
    await page.getByRole('button', { name: 'New agent' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'New agent' });
    await dialog.getByLabel('Agent id').fill('a..b');
    await dialog.getByLabel('Agent id').press('Enter');
    await expect(dialog.getByText(/An agent id starts with a letter or digit/)).toBeVisible();
    await dialog.getByLabel('Agent id').fill('scout');
    await dialog.getByRole('button', { name: 'Create agent' }).click();
    await expect(dialog.getByText(/named "scout" already/)).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
    expect((await readdir(join(served.root, 'agents'))).sort()).toEqual(['scout', 'writer', 'zebra']);
  });

  test('deletes an agent only after its id was typed, and undo brings it back', async ({ page, served }) => {
    await page.goto(`${served.url}/agents/zebra/files/SYSTEM.md`);
    await page.getByRole('button', { name: 'Delete zebra…' }).click();
    const dialog = page
      .getByRole('dialog', { name: 'Delete zebra?' })
      .or(page.getByRole('alertdialog', { name: 'Delete zebra?' }));
    await expect(dialog.getByRole('button', { name: 'Delete agent' })).toBeDisabled();
    await dialog.getByLabel('Type zebra to confirm').fill('zebr');
    await expect(dialog.getByRole('button', { name: 'Delete agent' })).toBeDisabled();
    await dialog.getByLabel('Type zebra to confirm').fill('zebra');
    const listRead = Promise.withResolvers<void>();
    await page.route('**/api/agents', (route) => listRead.promise.then(() => route.continue()));
    await dialog.getByRole('button', { name: 'Delete agent' }).click();
    await expect(dialog).toBeHidden();
    // At once: the list has not been read again.
    await expect(page.getByRole('option')).toHaveCount(2);
    await expect(page.getByRole('option', { name: /zebra/ })).toHaveCount(0);
    listRead.resolve();
    // The next one opens, or the one before the last.
    await expect(page).toHaveURL(/\/agents\/writer/);
    expect(await readdir(join(served.root, 'agents'))).not.toContain('zebra');

    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(page.getByRole('option', { name: /zebra/ })).toBeVisible();
    await expect.poll(() => readdir(join(served.root, 'agents'))).toContain('zebra');
  });

  test('deletes by keyboard alone, and Ctrl+Z or the toast brings the agent back', async ({
    page,
    served,
  }) => {
    await page.goto(`${served.url}/agents/zebra/skills`);
    for (const bringBack of [['Control+z'], ['F6', 'Tab', 'Tab', 'Enter']]) {
      await tabTo(page, page.getByRole('button', { name: 'Delete zebra…' }));
      await page.keyboard.press('Enter');
      await expect(page.getByLabel('Type zebra to confirm')).toBeFocused();
      await page.keyboard.type('zebra');
      await page.keyboard.press('Enter');
      await expect(page.getByRole('option', { name: /zebra/ })).toHaveCount(0);
      // What had the focus is gone; the search line has it now.
      await expect(page.getByRole('combobox', { name: 'Search agents' })).toBeFocused();
      await expect(page.getByRole('button', { name: 'Undo' })).toBeVisible();
      for (const key of bringBack) await page.keyboard.press(key);
      await expect(page.getByRole('option', { name: /zebra/ })).toBeVisible();
      await expect.poll(() => readdir(join(served.root, 'agents'))).toContain('zebra');
      await expect(page.locator('body')).not.toBeFocused();
      await page.goto(`${served.url}/agents/zebra/skills`);
    }
  });

  test('Ctrl+Z in a text undoes typing, not a deletion', async ({ page, served }) => {
    await page.goto(`${served.url}/agents/zebra/skills`);
    await page.getByRole('button', { name: 'Delete zebra…' }).click();
    await page.getByLabel('Type zebra to confirm').fill('zebra');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('button', { name: 'Undo' })).toBeVisible();
    const search = page.getByRole('combobox', { name: 'Search agents' });
    await search.pressSequentially('wri');
    await search.press('Control+z');
    await expect(search).not.toHaveValue('wri');
    expect(await readdir(join(served.root, 'agents'))).not.toContain('zebra');
  });

  test('duplicates an agent with its links, by mouse', async ({ page, served }) => {
    await symlink('../../../shared/skills/git-summary', served.agent('scout/skills/git-summary'));
    await page.goto(`${served.url}/agents/scout/skills`);
    await page.getByRole('button', { name: 'Duplicate scout…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Duplicate scout' });
    await expect(dialog.getByText(/aren’t copied: sessions\/, auth\.json, trust\.json/)).toBeVisible();
    await expect(dialog.getByLabel('Id for the copy')).toHaveValue('scout-copy');
    await dialog.getByLabel('Id for the copy').fill('writer');
    await dialog.getByRole('button', { name: 'Duplicate' }).click();
    await expect(dialog.getByText(/named "writer" already/)).toBeVisible();
    await dialog.getByLabel('Id for the copy').fill('ranger');
    await dialog.getByRole('button', { name: 'Duplicate' }).click();
    await expect(page).toHaveURL(`${served.url}/agents/ranger/files/SYSTEM.md`);
    await expect(page.getByRole('option', { name: /ranger/ })).toContainText('1 link');
    expect(await readFile(served.agent('ranger/pi-args'), 'utf8')).toBe('--thinking\nlow\n');
    expect(await readlink(served.agent('ranger/skills/git-summary'))).toBe(
      '../../../shared/skills/git-summary',
    );
  });

  test('duplicates an agent by keyboard alone, under a free id', async ({ page, served }) => {
    await mkdir(served.agent('scout-copy'));
    await page.goto(`${served.url}/agents/scout/skills`);
    await expect(page.getByRole('option', { name: /scout-copy/ })).toBeVisible();
    await tabTo(page, page.getByRole('button', { name: 'Duplicate scout…' }));
    await page.keyboard.press('Enter');
    const field = page.getByLabel('Id for the copy');
    await expect(field).toBeFocused();
    await expect(field).toHaveValue('scout-copy-2');
    await page.keyboard.press('Escape');
    await expect(page.getByRole('button', { name: 'Duplicate scout…' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(field).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(`${served.url}/agents/scout-copy-2/files/SYSTEM.md`);
    await expect(page.locator('body')).not.toBeFocused();
  });

  test('a browser opens nothing in folders and editors: it copies the path instead, by keyboard alone', async ({
    page,
    served,
    context,
  }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(`${served.url}/agents/scout/files/SYSTEM.md`);
    await tabTo(page, page.getByRole('button', { name: 'More actions for scout' }));
    await page.keyboard.press('Enter');
    await expect(page.getByRole('menuitem')).toHaveText(['Copy path', 'Copy run command']);
    await expect(page.getByRole('menuitem').first()).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page.getByText('Copied the path')).toBeVisible();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(served.agent('scout'));
    await expect(page.locator('body')).not.toBeFocused();
    // With what pi-args holds: pi itself doesn't read it.
    await page.keyboard.press('Enter');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect(page.getByText('Copied the run command')).toBeVisible();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      `PI_CODING_AGENT_DIR=${served.agent('scout')} pi --thinking low`,
    );
  });

  test('shows the links, broken links and problems of each agent, and which folders are not shown', async ({
    page,
    served,
  }) => {
    await page.goto(served.pageUrl);
    const row = (id: string) => page.getByRole('option', { name: new RegExp(id) });
    // Without pi-args: pi doesn't need it.
    await expect(row('writer')).toBeVisible();
    await expect(row('writer')).not.toContainText('missing');
    await expect(page.getByText('Connected')).toBeAttached();
    await mkdir(served.agent('writer/skills'));
    await symlink('../../../shared/skills/git-summary', served.agent('writer/skills/git-summary'));
    await expect(row('writer')).toContainText('1 link', { timeout: 1000 });
    await rename(join(served.root, 'shared/skills/git-summary'), join(served.root, 'shared/skills/moved'));
    await expect(row('writer')).toContainText('1 broken link', { timeout: 1000 });
    await rm(served.agent('writer/SYSTEM.md'));
    await expect(row('writer')).toContainText('SYSTEM.md missing', { timeout: 1000 });
    await mkdir(served.agent('writer/SYSTEM.md'));
    await expect(row('writer')).toContainText('SYSTEM.md is not a regular file', { timeout: 1000 });

    await mkdir(served.agent('my agent'));
    await symlink('scout', served.agent('linked'));
    const hidden = page.getByText('2 folders are not shown');
    await expect(hidden).toBeVisible({ timeout: 1000 });
    await hidden.focus();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('listitem').filter({ hasText: 'my agent' })).toContainText('Rename it');
    await expect(page.getByRole('listitem').filter({ hasText: 'linked' })).toContainText('It is a symlink');
  });

  test('shows what another program creates and removes within a second, without a reload', async ({
    page,
    served,
  }) => {
    await page.goto(served.pageUrl);
    await expect(page.getByRole('option')).toHaveCount(3);
    await expect(page.getByText('Connected')).toBeAttached();
    await mkdir(served.agent('made-elsewhere'), { recursive: true });
    await expect(page.getByRole('option', { name: /made-elsewhere/ })).toBeVisible({ timeout: 1000 });
    await writeFile(served.agent('made-elsewhere/workspace.conf'), '');
    await expect(page.getByRole('option', { name: /made-elsewhere/ })).toContainText('workspace', {
      timeout: 1000,
    });
    await rm(served.agent('made-elsewhere'), { recursive: true });
    await expect(page.getByRole('option', { name: /made-elsewhere/ })).toHaveCount(0, { timeout: 1000 });
  });

  test('the page of a missing agent says so, and links to another page', async ({ page, served }) => {
    await page.goto(`${served.url}/agents/nobody/files/SYSTEM.md`);
    await expect(page.getByText('No agent called “nobody”')).toBeVisible();
    await page.getByRole('link', { name: 'All agents' }).click();
    await expect(page.getByRole('option')).toHaveCount(3);
  });

  test('the page reports a root that disappears, and recovers automatically', async ({ page, served }) => {
    await page.goto(served.pageUrl);
    await expect(page.getByRole('option')).toHaveCount(3);
    await rename(served.root, `${served.root}-gone`);
    await expect(page.getByText('dot-mi can’t read the root').first()).toBeVisible({ timeout: 5000 });
    await rename(`${served.root}-gone`, served.root);
    await expect(page.getByRole('option')).toHaveCount(3, { timeout: 10_000 });
  });
});

test.describe('a setup script that fails', () => {
  test.use({ tree: { 'setup.sh': { script: '#!/bin/sh\necho "no room at the inn" >&2\nexit 4\n' } } });

  test('shows the output of the script', async ({ page, served }) => {
    await page.goto(served.pageUrl);
    await page.getByRole('button', { name: 'New agent' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'New agent' });
    await dialog.getByLabel('Agent id').fill('new');
    await dialog.getByRole('button', { name: 'Create agent' }).click();
    await expect(dialog.getByText('no room at the inn')).toBeVisible();
    await expect(dialog.getByText(/exit code 4/)).toBeVisible();
  });
});

test.describe('ten thousand agents', () => {
  test.use({
    tree: Object.fromEntries(
      Array.from({ length: 10_000 }, (_, i) => [`agents/agent-${String(i).padStart(5, '0')}`, null]),
    ),
  });

  test('are listed, found and reached by keyboard', async ({ page, served }) => {
    test.slow();
    await page.goto(served.pageUrl);
    await expect(page.getByText('10,001 agents')).toBeVisible({ timeout: 20_000 });
    expect(await page.getByRole('option').count()).toBeLessThan(200);
    const search = page.getByRole('combobox', { name: 'Search agents' });
    // However far it is scrolled, the option that has the focus stays in the page.
    await search.press('ArrowDown');
    const active = (await search.getAttribute('aria-activedescendant')) ?? '';
    await page.getByRole('listbox', { name: 'Agents' }).evaluate((list) => list.scrollTo(0, 200_000));
    await expect(page.getByRole('option', { name: 'agent-06250' })).toBeVisible();
    await expect(page.locator(`[id="${active}"]`)).toBeAttached();
    await search.press('ArrowDown');
    await expect(page.getByRole('option', { name: 'agent-00002' })).toBeInViewport();
    await search.fill('09999');
    await search.press('Enter');
    await expect(page).toHaveURL(`${served.url}/agents/agent-09999/files/SYSTEM.md`);
  });
});

test.describe('with API_TOKEN', () => {
  test.use({ environment: { API_TOKEN: 'letmein' } });

  test('the printed address carries a token, which leaves the address bar', async ({ page, served }) => {
    await page.goto(served.pageUrl);
    await expect(page.getByRole('option', { name: /scout/ })).toBeVisible();
    expect(page.url()).not.toContain('token');
    await page.reload();
    await expect(page.getByRole('option', { name: /scout/ })).toBeVisible();
  });

  test('without it the page says what is missing', async ({ page, served }) => {
    await page.goto(served.url);
    await expect(page.getByText('Sign in to this dot-mi').first()).toBeVisible();
  });
});
