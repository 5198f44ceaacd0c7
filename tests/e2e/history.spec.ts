import { lstat, mkdir, readdir, readFile, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { makeSession } from '../support/session-file.ts';
import { violationsInBothThemes } from './axe.ts';
import { expect, type Served, test } from './fixtures.ts';
import { pressOn } from './keyboard.ts';

test.use({ signedIn: true });

const notices = (page: Page) => page.getByRole('region', { name: 'Notifications' });

/** Dismisses all toasts, as time does. */
const dismissAll = async (page: Page): Promise<void> => {
  const dismiss = notices(page).getByRole('button', { name: 'Dismiss' });
  await expect(async () => {
    if ((await dismiss.count()) > 0) await dismiss.first().click({ timeout: 1_000 });
    expect(await dismiss.count()).toBe(0);
  }).toPass();
};

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

const tokenOf = (served: Served): string => new URL(served.pageUrl).hash.replace('#token=', '');

test('Ctrl+Z undoes the changes of this page one after another, also after their messages, and Ctrl+Shift+Z redoes them', async ({
  page,
  served,
}) => {
  const linked = () => exists(served.agent('scout/skills/git-summary'));
  const deleted = async () => !(await exists(served.agent('scout')));
  await page.goto(`${served.url}/agents/scout/skills`);
  await page.getByRole('button', { name: 'Link git-summary', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Unlink git-summary' })).toBeVisible();

  // A save is a change too. In the editor, its own undo comes first.
  await page.getByRole('link', { name: 'Edit', exact: true }).click();
  const editor = page.getByRole('textbox', { name: /SYSTEM.md/ });
  await editor.fill('You look around.\n');
  await page.keyboard.press('ControlOrMeta+s');
  await expect.poll(() => readFile(served.agent('scout/SYSTEM.md'), 'utf8')).toBe('You look around.\n');
  await page.keyboard.press('ControlOrMeta+z');
  await expect(editor).toContainText('You are a scout.');
  await page.keyboard.press('ControlOrMeta+y');
  await expect(editor).toContainText('You look around.');
  expect(await readFile(served.agent('scout/SYSTEM.md'), 'utf8')).toBe('You look around.\n');

  await dismissAll(page);
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('main').focus();
  await page.keyboard.press('ControlOrMeta+z');
  await expect(notices(page)).toContainText('Undone: Saved SYSTEM.md of scout');
  expect(await readFile(served.agent('scout/SYSTEM.md'), 'utf8')).toBe('You are a scout.\n');
  expect(await linked()).toBe(true);
  await page.keyboard.press('ControlOrMeta+z');
  await expect(notices(page)).toContainText('Undone: Linked git-summary');
  expect(await linked()).toBe(false);
  // There's nothing left to undo.
  await page.keyboard.press('ControlOrMeta+z');

  await page.keyboard.press('ControlOrMeta+Shift+Z');
  await expect.poll(linked).toBe(true);
  await notices(page).getByRole('button', { name: 'Redo' }).first().click();
  await expect.poll(() => readFile(served.agent('scout/SYSTEM.md'), 'utf8')).toBe('You look around.\n');
  await dismissAll(page);
  for (const key of ['ControlOrMeta+z', 'ControlOrMeta+y']) await page.keyboard.press(key);
  await expect(notices(page)).toContainText('Redone: Saved SYSTEM.md of scout');
  expect(await readFile(served.agent('scout/SYSTEM.md'), 'utf8')).toBe('You look around.\n');
  expect(await deleted()).toBe(false);
});

test('an undo that would overwrite another program’s change says so, and leads to both texts', async ({
  page,
  served,
}) => {
  const file = served.agent('scout/SYSTEM.md');
  await page.goto(`${served.url}/agents/scout/files/SYSTEM.md`);
  await page.getByRole('textbox', { name: /SYSTEM.md/ }).fill('Mine.\n');
  await page.keyboard.press('ControlOrMeta+s');
  await expect.poll(() => readFile(file, 'utf8')).toBe('Mine.\n');
  await writeFile(file, 'Theirs.\n');
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('main').focus();
  await page.keyboard.press('ControlOrMeta+z');
  const failure = notices(page).getByRole('dialog', { name: 'Not undone: Saved SYSTEM.md of scout' });
  await expect(failure).toContainText('agents/scout/SYSTEM.md has changed since');
  expect(await readFile(file, 'utf8')).toBe('Theirs.\n');
  await failure.getByRole('button', { name: 'Recent changes' }).click();
  const sheet = page.getByRole('dialog', { name: 'Recent changes' });
  const entry = sheet.getByRole('listitem').filter({ hasText: 'You' });
  await entry
    .last()
    .getByRole('button', { name: /^Details: / })
    .click();
  const difference = entry.last().getByRole('region', { name: 'Changes to agents/scout/SYSTEM.md' });
  await expect(difference).toContainText('You are a scout.');
  await expect(difference).toContainText('Mine.');
  // The other program's change is an entry, too.
  await expect(sheet.getByRole('listitem').first()).toContainText('Another program');
});

test('a change that the history no longer has is reported, and the next one can be undone', async ({
  page,
  served,
}) => {
  await page.goto(`${served.url}/agents/scout/skills`);
  await page.getByRole('button', { name: 'Link git-summary', exact: true }).click();
  const undo = notices(page).getByRole('button', { name: 'Undo' });
  await expect(undo).toBeVisible();
  const gone = `${served.url}/api/changes/gone/undo`;
  await page.route('**/api/changes/*/undo', (route) => route.continue({ url: gone }), { times: 1 });
  await undo.click();
  await expect(notices(page)).toContainText('The history doesn’t have this change.');
});

test('all changes are listed with their authors and texts, by keyboard alone, and undone there', async ({
  page,
  served,
}) => {
  const file = served.agent('scout/SYSTEM.md');
  const token = tokenOf(served);
  await page.request.put(`${served.url}/api/agents/scout/file`, {
    headers: { Authorization: `Bearer ${token}`, 'If-Match': '*' },
    data: { path: 'SYSTEM.md', content: 'You are a scout.\nYou climb.\n' },
  });
  await page.goto(served.pageAt('/'));
  await expect(page.getByText('Connected')).toBeAttached();
  await page.keyboard.press('ControlOrMeta+Shift+H');
  const sheet = page.getByRole('dialog', { name: 'Recent changes' });
  const row = sheet.getByRole('listitem').first();
  await expect(row).toContainText('You');
  await pressOn(page, row.getByRole('button', { name: /^Details: / }), 'by keys');
  await expect(row.getByRole('region')).toContainText('You climb.');
  expect(await violationsInBothThemes(page)).toEqual([]);
  await pressOn(page, row.getByRole('button', { name: /^Undo: / }), 'by keys');
  await expect.poll(() => readFile(file, 'utf8')).toBe('You are a scout.\n');
  // The change says so, and can be redone and undone again in the same row.
  await expect(row).toContainText('Undone');
  await pressOn(page, row.getByRole('button', { name: /^Redo: / }), 'by keys');
  await expect.poll(() => readFile(file, 'utf8')).toBe('You are a scout.\nYou climb.\n');
  await expect(row).toContainText('Redone');
  await pressOn(page, row.getByRole('button', { name: /^Undo: / }), 'by keys');
  await expect.poll(() => readFile(file, 'utf8')).toBe('You are a scout.\n');
  await expect(row).toContainText('Undone');
  await expect(sheet.getByRole('listitem')).toHaveCount(1);
  await page.keyboard.press('Escape');
  await expect(sheet).toHaveCount(0);

  await page.keyboard.press('ControlOrMeta+k');
  await page.keyboard.type('>recent changes');
  await page.keyboard.press('Enter');
  await expect(sheet).toBeVisible();
});

test.describe('an agent', () => {
  test.use({ tree: { 'agents/other/SYSTEM.md': 'You are the other one.\n' } });

  test('has its own history, from which a change is undone and a version restored', async ({
    page,
    served,
  }) => {
    const write = (id: string, content: string) =>
      page.request.put(`${served.url}/api/agents/${id}/file`, {
        headers: { Authorization: `Bearer ${tokenOf(served)}`, 'If-Match': '*' },
        data: { path: 'SYSTEM.md', content },
      });
    await write('scout', 'Second.\n');
    await write('other', 'Not this one.\n');
    await write('scout', 'Third.\n');
    await page.goto(served.pageAt('/agents/scout/history'));
    await expect(page.getByRole('region', { name: 'History' })).toBeVisible();
    const list = page.getByRole('list', { name: 'Changes' });
    await expect(list.getByRole('listitem')).toHaveCount(2);
    await list
      .getByRole('button', { name: /^Undo: / })
      .first()
      .click();
    await expect.poll(() => readFile(served.agent('scout/SYSTEM.md'), 'utf8')).toBe('Second.\n');
    await expect(list.getByRole('listitem').first()).toContainText('Undone');
    // The undone version comes back, whatever the file is now.
    await list
      .getByRole('button', { name: /^Details: Edit/ })
      .first()
      .click();
    await list.getByRole('button', { name: 'Restore SYSTEM.md as of this change' }).click();
    await expect.poll(() => readFile(served.agent('scout/SYSTEM.md'), 'utf8')).toBe('Third.\n');
    await expect(list.getByRole('listitem')).toHaveCount(3);

    // A run after the newest version.
    const session = makeSession({ startedAtMs: Date.now() + 1_000 });
    session.say('Look.');
    session.call({ input: 10_000, output: 500, usd: 0.25 });
    await mkdir(served.agent('scout/sessions/--work--'), { recursive: true });
    await writeFile(served.agent(`scout/sessions/--work--/${session.fileName}`), session.text());
    await page.reload();
    await expect(list.getByRole('listitem').first()).toContainText('1 session');
  });

  test('finds the versions of a shared skill in the catalog', async ({ page, served }) => {
    const file = join(served.root, 'shared/skills/git-summary/SKILL.md');
    const before = await readFile(file, 'utf8');
    await page.request.post(`${served.url}/api/changes`, {
      headers: { Authorization: `Bearer ${tokenOf(served)}` },
      data: {
        label: 'Shorten the skill',
        items: [{ shared: { kind: 'skills', name: 'git-summary' }, file: 'SKILL.md', content: 'Short.\n' }],
      },
    });
    expect(await readFile(file, 'utf8')).toBe('Short.\n');
    await page.goto(served.pageAt('/catalog/skills/git-summary'));
    const history = page.getByRole('region', { name: 'History' });
    await expect(history.getByRole('listitem')).toHaveCount(1);
    await history.getByRole('button', { name: 'Undo: Shorten the skill' }).click();
    await expect.poll(() => readFile(file, 'utf8')).toBe(before);
  });
});

test.describe('a change of many agents', () => {
  const AGENTS = Array.from({ length: 60 }, (_, at) => `agent-${at}`);
  test.use({ tree: Object.fromEntries(AGENTS.map((id) => [`agents/${id}/SYSTEM.md`, 'Old.\n'])) });

  test('that a crash interrupts is finished from the list, and undone', async ({ page, served }) => {
    const texts = () => Promise.all(AGENTS.map((id) => readFile(served.agent(`${id}/SYSTEM.md`), 'utf8')));
    const changeAll = (label: string, content: string) =>
      page.request
        .post(`${served.url}/api/changes`, {
          headers: { Authorization: `Bearer ${tokenOf(served)}` },
          data: { label, items: AGENTS.map((agent) => ({ agent, file: 'SYSTEM.md', content })) },
        })
        // The kill ends the request.
        .catch(() => undefined);
    // A kill can come after the last file, so there is another try.
    let label = '';
    let content = '';
    do {
      label = `Change all to ${label.length}`;
      content = `${label}.\n`;
      const changing = changeAll(label, content);
      while (!(await texts()).includes(content));
      await served.kill();
      await changing;
      await served.startAgain();
    } while ((await texts()).every((text) => text === content));

    await page.goto(served.pageAt('/'));
    await expect(page.getByText('Connected')).toBeAttached();
    await page.keyboard.press('ControlOrMeta+Shift+H');
    const entry = page.getByRole('dialog', { name: 'Recent changes' }).getByRole('listitem').first();
    await expect(entry).toContainText('Interrupted');
    await entry.getByRole('button', { name: `Finish: ${label}` }).click();
    await expect(notices(page)).toContainText(`Finished: ${label}`);
    expect(new Set(await texts())).toEqual(new Set([content]));
    await expect(entry).not.toContainText('Interrupted');
    await entry.getByRole('button', { name: `Undo: ${label}` }).click();
    await expect.poll(async () => (await texts()).includes(content)).toBe(false);
  });
});

test.describe('the matrix', () => {
  const SKILLS = ['skill-1', 'skill-2', 'skill-3'];
  test.use({
    tree: {
      ...Object.fromEntries(
        SKILLS.map((name) => [
          `shared/skills/${name}/SKILL.md`,
          `---\nname: ${name}\ndescription: It.\n---\n`,
        ]),
      ),
      ...Object.fromEntries(
        SKILLS.map((name) => [`agents/scout/skills/${name}`, { link: `../../../shared/skills/${name}` }]),
      ),
      'agents/writer/SYSTEM.md': 'You write.\n',
    },
  });

  test('keeps the selected and the active skill when another program adds one before them', async ({
    page,
    served,
  }) => {
    const skillsOf = async (id: string): Promise<string[]> =>
      (await readdir(served.agent(`${id}/skills`)).catch(() => [])).sort();
    const addSkill = async (name: string): Promise<void> => {
      await mkdir(join(served.root, 'shared/skills', name), { recursive: true });
      const text = `---\nname: ${name}\ndescription: It.\n---\n`;
      await writeFile(join(served.root, 'shared/skills', name, 'SKILL.md'), text);
      await expect(page.getByRole('columnheader', { name, exact: true })).toBeVisible();
    };
    await page.goto(served.pageAt('/matrix/skills'));
    await page.getByRole('columnheader', { name: 'skill-2' }).click();
    const bar = page.getByRole('region', { name: 'Actions on the selection' });
    await expect(bar).toContainText('skill-2 in 2 agents');
    await addSkill('a-new-one');
    await expect(bar).toContainText('skill-2 in 2 agents');
    await expect(page.getByRole('columnheader', { name: 'skill-2' })).toHaveAttribute(
      'aria-selected',
      'true',
    );
    await bar.getByRole('button', { name: 'Unlink' }).click();
    await expect.poll(() => skillsOf('scout')).toEqual(['skill-1', 'skill-3']);
    await expect(bar).toContainText('skill-2 in 2 agents');

    // The same for the cell that keys act on: skill-1 of scout.
    const grid = page.getByRole('grid', { name: 'Agents and skills' });
    await grid.focus();
    for (const key of ['Control+Home', 'ArrowRight', 'ArrowRight']) await page.keyboard.press(key);
    const active = async () =>
      page.locator(`[id="${await grid.getAttribute('aria-activedescendant')}"]`).getAttribute('aria-label');
    expect(await active()).toBe('skill-1 for scout: linked');
    await addSkill('another-one');
    expect(await active()).toBe('skill-1 for scout: linked');
    await page.keyboard.press('Space');
    await expect.poll(() => skillsOf('scout')).toEqual(['skill-3']);
  });
});

test.describe('broken links of several agents', () => {
  test.use({
    tree: {
      'shared/skills/moved/SKILL.md': '---\nname: moved\ndescription: It came back. Use it to test.\n---\n',
      'agents/scout/skills/moved': { link: '/elsewhere/skills/moved' },
      'agents/scout/skills/lost': { link: '../../../shared/skills/lost' },
      'agents/writer/SYSTEM.md': 'You write.\n',
      'agents/writer/skills/moved': { link: '/elsewhere/skills/moved' },
    },
  });

  test('are repaired and removed in one change', async ({ page, served }) => {
    const target = (path: string) => readlink(served.agent(path)).catch(() => null);
    await page.goto(served.pageAt('/'));
    await page.getByRole('button', { name: 'Fix all…' }).click();
    const dialog = page.getByRole('dialog', { name: /^Fix / });
    await expect(dialog.getByRole('checkbox', { name: 'Repair 2 broken links' })).toBeChecked();
    const remove = dialog.getByRole('checkbox', { name: 'Remove 1 broken link' });
    await expect(remove).not.toBeChecked();
    await remove.check();
    await dialog.getByRole('button', { name: /^Fix \d+ problems$/ }).click();
    await expect.poll(() => target('scout/skills/moved')).toBe('../../../shared/skills/moved');
    await expect.poll(() => target('writer/skills/moved')).toBe('../../../shared/skills/moved');
    await expect.poll(() => target('scout/skills/lost')).toBeNull();
    await page.keyboard.press('Escape');
    await notices(page).getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => target('scout/skills/lost')).toBe('../../../shared/skills/lost');
    await expect.poll(() => target('writer/skills/moved')).toBe('/elsewhere/skills/moved');
  });
});

test.describe('a model that settings.json names', () => {
  const SETTINGS =
    '{\n  "theme": "dark",\n  "defaultProvider": "openai",\n  "defaultModel": "gpt-5.4:high"\n}\n';
  test.use({ tree: { 'agents/scout/settings.json': SETTINGS } });

  test('is changed there, and pi-args stays as it is', async ({ page, served }) => {
    const args = await readFile(served.agent('scout/pi-args'), 'utf8');
    await page.goto(served.pageAt('/agents/scout/checks'));
    const chip = page.getByRole('list', { name: 'About scout' }).getByRole('button', { name: /^Model/ });
    await expect(chip).toContainText('openai/gpt-5.4');
    await chip.click();
    const search = page.getByRole('combobox', { name: 'Search models' });
    await search.fill('openai/o9-tiny');
    await page.getByRole('option', { name: 'openai/o9-tiny' }).click();
    await expect
      .poll(() => readFile(served.agent('scout/settings.json'), 'utf8'))
      .toBe(SETTINGS.replace('gpt-5.4', 'o9-tiny'));
    expect(await readFile(served.agent('scout/pi-args'), 'utf8')).toBe(args);
    // The file changes before the page knows.
    await expect(notices(page).getByRole('button', { name: 'Undo' })).toBeVisible();
    await chip.focus();
    await page.keyboard.press('ControlOrMeta+z');
    await expect.poll(() => readFile(served.agent('scout/settings.json'), 'utf8')).toBe(SETTINGS);
  });
});
