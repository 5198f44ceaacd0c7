import { lstat, mkdir, readdir, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { choose } from './agent-menu.ts';
import { expect, test } from './fixtures.ts';
import { pressOn, tabTo } from './keyboard.ts';

test.use({ signedIn: true });

test.describe('agents', () => {
  test.use({
    tree: {
      'agents/writer/SYSTEM.md': 'w',
      'agents/writer/workspace.conf': '',
      'agents/zebra/SYSTEM.md': 'z',
    },
  });

  test('lists the agents of the root, filters them, and opens the first match', async ({ page, served }) => {
    await symlink('../../../shared/skills/gone', served.agent('scout/skills/gone'));
    await page.goto(`${served.url}/agents/writer/files/SYSTEM.md`);
    const options = page.getByRole('listbox', { name: 'Agents' }).getByRole('option');
    await expect(options).toHaveCount(3);
    await expect(options.filter({ hasText: 'writer' })).toContainText('workspace');
    const search = page.getByRole('combobox', { name: 'Search agents' });
    await search.fill('nothing');
    await expect(page.getByText('Nothing matches “nothing”.')).toBeVisible();
    // The first match has the highlight, even though the opened agent matches too.
    await search.fill('R');
    await expect(page.getByText('2 of 3')).toBeVisible();
    await search.fill('T');
    await expect(search).toHaveAttribute('aria-activedescendant', 'agent-option-scout');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(`${served.url}/agents/scout/files/SYSTEM.md`);

    // Space is a character there, and selects nothing.
    await search.fill('');
    await search.pressSequentially('a b');
    await expect(search).toHaveValue('a b');
    await expect(page.getByText('1 selected')).toHaveCount(0);

    await search.fill('');
    const filters = page.getByRole('group', { name: 'Filters' });
    await filters.getByRole('button', { name: 'Workspace 1' }).click();
    await expect(options).toHaveText([/writer/]);
    await filters.getByRole('button', { name: 'Broken links 1' }).click();
    await expect(options).toHaveCount(0);
    await page.getByRole('button', { name: 'Clear search and filters' }).click();
    await expect(options).toHaveCount(3);
    await expect(search).toBeFocused();
  });

  test('links and deletes several agents at once, and one Undo reverts each', async ({ page, served }) => {
    const linked = (id: string) => readlink(served.agent(`${id}/skills/git-summary`)).catch(() => 'none');
    await page.goto(served.pageUrl);
    const option = (id: string) => page.getByRole('option', { name: new RegExp(id) });
    const bar = page.getByRole('region', { name: 'Actions on the selected agents' });
    // By mouse: one with Ctrl, and up to another with Shift.
    await option('scout').click({ modifiers: ['ControlOrMeta'] });
    await expect(bar).toContainText('1 selected');
    await option('zebra').click({ modifiers: ['Shift'] });
    await expect(bar).toContainText('3 selected');
    await option('writer').click({ modifiers: ['ControlOrMeta'] });
    await expect(page).toHaveURL(`${served.url}/agents`);
    await expect(page.getByRole('option', { selected: true })).toHaveCount(2);
    await bar.getByRole('button', { name: 'Link…' }).click();
    await page.getByRole('checkbox', { name: 'git-summary' }).check();
    await page.getByRole('button', { name: 'Link 1 to 2 agents' }).click();
    await expect(page.getByText('Linked 2', { exact: true })).toBeVisible();
    expect(await Promise.all(['scout', 'writer', 'zebra'].map(linked))).toEqual([
      '../../../shared/skills/git-summary',
      'none',
      '../../../shared/skills/git-summary',
    ]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => Promise.all(['scout', 'zebra'].map(linked))).toEqual(['none', 'none']);

    // By keyboard: Space, and Shift with an arrow.
    await page.getByRole('listbox', { name: 'Agents' }).focus();
    // The selection stays until it's cleared.
    await expect(bar).toContainText('2 selected');
    await page.keyboard.press('Escape');
    await page.keyboard.press('End');
    await page.keyboard.press('Space');
    await page.keyboard.press('Shift+ArrowUp');
    await expect(bar).toContainText('2 selected');
    await page.keyboard.press('Escape');
    await expect(bar).toHaveCount(0);
    await page.keyboard.press('Shift+ArrowDown');
    await tabTo(page, bar.getByRole('button', { name: 'Delete…' }));
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Delete 2 agents?' });
    await expect(dialog.getByRole('listitem')).toHaveText([/writer/, /zebra/]);
    await pressOn(page, dialog.getByRole('button', { name: 'Delete 2 agents' }), 'by keys');
    await expect(page.getByText('Deleted 2 agents')).toBeVisible();
    await expect(page.getByRole('option')).toHaveCount(1);
    expect(await readdir(join(served.root, 'agents'))).toEqual(['scout']);
    await expect(page.locator('body')).not.toBeFocused();
    await page.keyboard.press('Control+z');
    await expect(page.getByRole('option')).toHaveCount(3);
    expect((await readdir(join(served.root, 'agents'))).sort()).toEqual(['scout', 'writer', 'zebra']);
    // It was one change.
    await page.keyboard.press('ControlOrMeta+Shift+H');
    const changes = page.getByRole('dialog', { name: 'Recent changes' }).getByRole('listitem');
    await expect(changes.nth(0)).toContainText('Delete 2 agents');
    await expect(changes.nth(0)).toContainText('Undone');
    await expect(changes.nth(1)).not.toContainText('elete');
  });

  test('names the model of settings.json next to its cost', async ({ page, served }) => {
    await writeFile(served.agent('scout/settings.json'), '{"defaultModel":"gpt-5.4"}');
    await page.goto(served.pageAt('/agents/scout'));
    await expect(page.getByRole('list', { name: 'About scout' })).toContainText(
      'Modelgpt-5.4from settings.json',
    );
  });

  test('creates an agent with a workspace, by keyboard alone', async ({ page, served }) => {
    await page.goto(served.pageUrl);
    await tabTo(page, page.getByRole('button', { name: 'New agent' }).first());
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'New agent' });
    await expect(dialog.getByLabel('Agent id')).toBeFocused();
    await page.keyboard.type('courier');
    await tabTo(page, dialog.getByRole('checkbox', { name: 'Add a workspace' }));
    await page.keyboard.press('Space');
    await tabTo(page, dialog.getByLabel('Agent id'), 'Shift+Tab');
    await page.keyboard.press('Enter');
    await expect(dialog).toBeHidden();
    await expect(page).toHaveURL(`${served.url}/agents/courier/files/SYSTEM.md`);
    await expect(page.getByRole('textbox', { name: 'SYSTEM.md of courier' })).toBeFocused();
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
    await expect(page.getByRole('textbox', { name: 'SYSTEM.md of courier' })).toBeFocused();
    await expect(
      page.getByRole('listbox', { name: 'Agents' }).getByRole('option', { name: /courier/ }),
    ).toContainText('workspace');
    expect((await lstat(served.agent('courier'))).isDirectory()).toBe(true);
    expect((await lstat(served.agent('courier/workspace.conf'))).isFile()).toBe(true);
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
    await expect(dialog.getByText('An id can’t have “..”. Try “a.b”.')).toBeVisible();
    await dialog.getByLabel('Agent id').fill('scout');
    await dialog.getByRole('button', { name: 'Create agent' }).click();
    await expect(dialog.getByText(/named "scout" already/)).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
    expect((await readdir(join(served.root, 'agents'))).sort()).toEqual(['scout', 'writer', 'zebra']);
  });

  test('deletes an agent after one question, opens the next one, and Undo, Ctrl+Z or the toast restores it', async ({
    page,
    served,
  }) => {
    await page.goto(`${served.url}/agents/writer/skills`);
    await choose(page, 'writer', 'Delete…');
    const dialog = page.getByRole('dialog', { name: 'Delete writer?' });
    await expect(dialog).toContainText('You can restore it from the trash for 30 days');
    await expect(dialog.getByRole('textbox')).toHaveCount(0);
    const listRead = Promise.withResolvers<void>();
    await page.route('**/api/agents', (route) => listRead.promise.then(() => route.continue()));
    await dialog.getByRole('button', { name: 'Delete agent' }).click();
    await expect(dialog).toBeHidden();
    // At once: the list has not been read again.
    await expect(page.getByRole('option')).toHaveCount(2);
    await expect(page.getByRole('option', { name: /writer/ })).toHaveCount(0);
    await expect(page).toHaveURL(`${served.url}/agents/zebra/files/SYSTEM.md`);
    listRead.resolve();
    expect(await readdir(join(served.root, 'agents'))).not.toContain('writer');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(page.getByRole('option', { name: /writer/ })).toBeVisible();
    await expect.poll(() => readdir(join(served.root, 'agents'))).toContain('writer');

    for (const bringBack of [['Control+z'], ['F6', 'Tab', 'Tab', 'Enter']]) {
      await page.goto(`${served.url}/agents/zebra/skills`);
      await choose(page, 'zebra', 'Delete…', 'by keys');
      const question = page.getByRole('dialog', { name: 'Delete zebra?' });
      await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused();
      await pressOn(page, question.getByRole('button', { name: 'Delete agent' }), 'by keys');
      await expect(page.getByRole('option', { name: /zebra/ })).toHaveCount(0);
      // The last one is gone, so the one before it opens. The search line has the focus.
      await expect(page).toHaveURL(`${served.url}/agents/writer/files/SYSTEM.md`);
      const search = page.getByRole('combobox', { name: 'Search agents' });
      await expect(search).toBeFocused();
      await expect(page.getByRole('button', { name: 'Undo' })).toBeVisible();
      // In a text, Ctrl+Z undoes typing and not the deletion.
      await search.pressSequentially('wri');
      await search.press('Control+z');
      await expect(search).not.toHaveValue('wri');
      await search.fill('');
      expect(await readdir(join(served.root, 'agents'))).not.toContain('zebra');
      for (const key of bringBack) await page.keyboard.press(key);
      await expect(page.getByRole('option', { name: /zebra/ })).toBeVisible();
      await expect.poll(() => readdir(join(served.root, 'agents'))).toContain('zebra');
      await expect(page.locator('body')).not.toBeFocused();
    }
  });

  test('duplicates an agent with its links, by mouse, and under a free id, by keyboard', async ({
    page,
    served,
  }) => {
    await symlink('../../../shared/skills/git-summary', served.agent('scout/skills/git-summary'));
    await mkdir(served.agent('scout-copy'));
    await page.goto(`${served.url}/agents/scout/skills`);
    await choose(page, 'scout', 'Duplicate…');
    const dialog = page.getByRole('dialog', { name: 'Duplicate scout' });
    const field = dialog.getByLabel('Id for the copy');
    await expect(dialog.getByText('Sign-ins, sessions and logs aren’t copied.')).toBeVisible();
    await expect(field).toHaveValue('scout-copy-2');
    await field.fill('writer');
    await dialog.getByRole('button', { name: 'Duplicate' }).click();
    await expect(dialog.getByText(/named "writer" already/)).toBeVisible();
    await field.fill('ranger');
    await dialog.getByRole('button', { name: 'Duplicate' }).click();
    await expect(page).toHaveURL(`${served.url}/agents/ranger/files/SYSTEM.md`);
    await expect(page.getByRole('option', { name: /ranger/ })).toContainText('1 link');
    expect(await readFile(served.agent('ranger/pi-args'), 'utf8')).toBe('--thinking\nlow\n');
    expect(await readlink(served.agent('ranger/skills/git-summary'))).toBe(
      '../../../shared/skills/git-summary',
    );

    await choose(page, 'ranger', 'Duplicate…', 'by keys');
    await expect(page.getByLabel('Id for the copy')).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('button', { name: 'More actions for ranger' })).toBeFocused();
    await choose(page, 'ranger', 'Duplicate…', 'by keys');
    await expect(page.getByLabel('Id for the copy')).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(`${served.url}/agents/ranger-copy/files/SYSTEM.md`);
    await expect(page.locator('body')).not.toBeFocused();
  });

  test('the header names the model and the tools, keeps the whole name in a narrow window, and copies the run command and the path', async ({
    page,
    served,
    context,
  }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await writeFile(served.agent('writer/pi-args'), '--model\nlocal/qwen3\n--tools\nread,bash\n');
    await page.goto(`${served.url}/agents/writer/files/SYSTEM.md`);
    await expect(page.getByRole('list', { name: 'About writer' }).getByRole('listitem')).toHaveText([
      'Modellocal/qwen3',
      'Toolsread, bash',
      // There is no BTC price here. The first count starts a thread and loads the tokenizer.
      /^\d+ tokens$/,
      'workspace',
    ]);
    await page.setViewportSize({ width: 640, height: 480 });
    const name = page.getByRole('heading', { name: 'writer', level: 1 });
    expect(await name.evaluate((heading) => heading.scrollWidth <= heading.clientWidth)).toBe(true);
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    // With the arguments of pi-args, because pi itself doesn't read that file.
    await pressOn(page, page.getByRole('button', { name: 'Copy run command' }), 'by keys');
    await expect(page.getByText('Copied the run command')).toBeVisible();
    expect(await copied()).toContain('pi --model local/qwen3 --tools read,bash');
    // A browser can’t open folders and editors.
    await page.getByRole('button', { name: 'More actions for writer' }).click();
    await expect(page.getByRole('menuitem')).toHaveText(['Copy path', 'Budget…', 'Duplicate…', 'Delete…']);
    await page.getByRole('menuitem', { name: 'Copy path' }).click();
    await expect(page.getByText('Copied the path')).toBeVisible();
    expect(await copied()).toBe(served.agent('writer'));
    await expect(page.locator('body')).not.toBeFocused();
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
    await expect(row('writer')).toContainText('1 link');
    await rename(join(served.root, 'shared/skills/git-summary'), join(served.root, 'shared/skills/moved'));
    await expect(row('writer')).toContainText('1 broken link');
    await rm(served.agent('writer/SYSTEM.md'));
    await expect(row('writer')).toContainText('SYSTEM.md missing');
    await mkdir(served.agent('writer/SYSTEM.md'));
    await expect(row('writer')).toContainText('SYSTEM.md is not a regular file');

    await mkdir(served.agent('my agent'));
    await symlink('scout', served.agent('linked'));
    const hidden = page.getByText('2 folders are not shown');
    await expect(hidden).toBeVisible();
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
    await expect(page.getByRole('option', { name: /made-elsewhere/ })).toBeVisible();
    await writeFile(served.agent('made-elsewhere/workspace.conf'), '');
    await expect(page.getByRole('option', { name: /made-elsewhere/ })).toContainText('workspace');
    await rm(served.agent('made-elsewhere'), { recursive: true });
    await expect(page.getByRole('option', { name: /made-elsewhere/ })).toHaveCount(0);
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
    await expect(page.getByText('dot-mi can’t read the root').first()).toBeVisible();
    await rename(`${served.root}-gone`, served.root);
    await expect(page.getByRole('option')).toHaveCount(3);
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
    await expect(page.getByText('10,001 agents')).toBeVisible();
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
  test.use({ environment: { API_TOKEN: 'let-me-in-please' }, signedIn: false });

  test('the printed address carries a token, which leaves the address bar', async ({ page, served }) => {
    await page.goto(served.pageUrl);
    await expect(page.getByRole('option', { name: /scout/ })).toBeVisible();
    expect(page.url()).not.toContain('token');
    await page.reload();
    await expect(page.getByRole('option', { name: /scout/ })).toBeVisible();
  });

  test('without it the page says what is missing', async ({ page, served }) => {
    await page.goto(`${served.url}/agents`);
    await expect(page.getByText('Sign in to this dot-mi').first()).toBeVisible();
  });
});
