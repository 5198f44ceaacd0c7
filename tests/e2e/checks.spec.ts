import { lstat, readFile, readlink, writeFile } from 'node:fs/promises';
import { editor, expectText } from './editor.ts';
import { expect, test } from './fixtures.ts';

test.use({ signedIn: true });

const ARGS = '# Reads only\n--thinking low\n--tools read,bash\n';
const FIXED = '# Reads only\n--thinking\nlow\n--tools\nread,bash\n';

test.use({ tree: { 'agents/scout/pi-args': ARGS, 'agents/scout/AGENT.md': 'Nobody reads it.\n' } });

test('the Checks tab fixes findings with undo, follows the disk, and leads to the line in the editor', async ({
  page,
  served,
}) => {
  const file = served.agent('scout/pi-args');
  await page.goto(`${served.url}/agents/scout/checks`);
  const inArgs = page.getByRole('region', { name: 'Problems in pi-args' });
  const rows = inArgs.getByRole('listitem').filter({ hasText: 'pi-args-several-tokens' });
  await expect(rows).toHaveCount(2);
  await expect(page.getByRole('option', { name: /scout/ })).toContainText('warnings');
  await rows
    .first()
    .getByRole('button', { name: /^Why\?/ })
    .press('Enter');
  await expect(rows.first()).toContainText('works with every launcher');

  // One fix by keyboard keeps the focus in the list.
  await rows.first().getByRole('button', { name: 'Put each argument on its own line' }).press('Enter');
  await expect(rows).toHaveCount(1);
  expect(await readFile(file, 'utf8')).toBe(ARGS.replace('--thinking low', '--thinking\nlow'));
  await expect(inArgs.getByRole('button', { name: 'Put each argument on its own line' })).toBeFocused();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(rows).toHaveCount(2);
  expect(await readFile(file, 'utf8')).toBe(ARGS);

  await page.getByRole('button', { name: /^Apply \d+ safe fix(es)?$/ }).click();
  await expect(rows).toHaveCount(0);
  expect(await readFile(file, 'utf8')).toBe(FIXED);
  await writeFile(file, ARGS);
  await expect(rows).toHaveCount(2);

  // The editor opens at the line. Its mark offers the same fix, which is typed and not saved.
  await rows.last().getByRole('link', { name: 'Line 3' }).click();
  await expect(editor(page, 'pi-args')).toBeFocused();
  await expect(page.locator('.cm-lintRange-warning')).toHaveCount(2);
  await page.keyboard.press('ControlOrMeta+Shift+M');
  const findings = page.getByRole('listbox', { name: 'Problems' });
  await expect(findings.getByRole('option').first()).toBeVisible();
  await page.keyboard.press('Escape');
  await page.locator('.cm-lintRange-warning').last().hover();
  await page
    .locator('.cm-tooltip')
    .getByRole('button', { name: /Put each argument/ })
    .click();
  await expectText(editor(page, 'pi-args'), ARGS.replace('--tools read', '--tools\nread'));
  expect(await readFile(file, 'utf8')).toBe(ARGS);

  // The file on disk has no fix while it has unsaved text.
  await page.getByRole('link', { name: /^Checks/ }).click();
  await expect(inArgs).toContainText('pi-args has unsaved changes');
  await expect(inArgs.getByRole('button', { name: 'Put each argument on its own line' })).toHaveCount(0);
});

test.describe('a broken link', () => {
  test.use({
    tree: {
      'shared/skills/moved/SKILL.md': '---\nname: moved\ndescription: It came back. Use it to test.\n---\n',
      'agents/scout/skills/moved': { link: '/elsewhere/skills/moved' },
      'agents/scout/skills/lost': { link: '../../../shared/skills/lost' },
    },
  });

  test('is repaired if the catalog has its name, or removed, each with undo', async ({ page, served }) => {
    const moved = served.agent('scout/skills/moved');
    const lost = served.agent('scout/skills/lost');
    await page.goto(`${served.url}/agents/scout/checks`);
    const notices = page.getByRole('region', { name: 'Notifications' });
    const repair = page.getByRole('button', { name: 'Repair moved: link it to the shared entry' });
    await repair.press('Enter');
    await expect(repair).toHaveCount(0);
    expect(await readlink(moved)).toBe('../../../shared/skills/moved');
    await notices.getByRole('button', { name: 'Undo' }).click();
    await expect(notices).toContainText('Undone: Repaired moved');
    await expect(repair).toBeVisible();
    expect(await readlink(moved)).toBe('/elsewhere/skills/moved');

    const remove = page.getByRole('button', { name: 'Remove broken link lost' });
    await remove.click();
    await expect(remove).toHaveCount(0);
    await expect(lstat(lost)).rejects.toThrow();
    await expect(page.getByRole('button', { name: /^Repair lost/ })).toHaveCount(0);
    await notices.getByRole('button', { name: 'Undo' }).click();
    await expect(remove).toBeVisible();
    expect(await readlink(lost)).toBe('../../../shared/skills/lost');
  });
});

test.describe('problems of several agents', () => {
  const WRONG = '--nonsense\n--thinking low\n';
  test.use({
    tree: {
      'agents/scout/pi-args': ARGS,
      'agents/second/SYSTEM.md': 'You are second.\n',
      'agents/second/pi-args': WRONG,
      'agents/second/skills/lost': { link: '../../../shared/skills/lost' },
    },
  });

  test('are fixed from the overview after one question, with one undo, and what is left is named', async ({
    page,
    served,
  }) => {
    await page.goto(served.pageAt('/'));
    const open = page.getByRole('button', { name: 'Fix all…' });
    await open.press('Enter');
    const dialog = page.getByRole('dialog', { name: /^Fix / });
    await expect(dialog.getByRole('heading')).toHaveText('Fix 3 problems in 2 agents?');
    await expect(dialog.getByRole('region', { name: 'Fixes by kind' }).getByRole('listitem')).toHaveText([
      /3$/,
    ]);
    await expect(dialog).toContainText('1 agent has problems that you have to fix yourself.');
    expect(await readFile(served.agent('scout/pi-args'), 'utf8')).toBe(ARGS);

    // Another program writes one of the files after the check, so its fix would be of another text.
    const changed = `${WRONG}--verbose\n`;
    await writeFile(served.agent('second/pi-args'), changed);
    await dialog.getByRole('button', { name: 'Fix 3 problems' }).press('Enter');
    await expect(dialog).toContainText('Fixed 2 problems in 1 agent');
    const left = dialog.getByRole('region', { name: 'Agents with problems that weren’t fixed' });
    await expect(left.getByRole('listitem')).toHaveCount(1);
    await expect(left).toContainText(/second\d problems.*changed/);
    expect(await readFile(served.agent('scout/pi-args'), 'utf8')).toBe(FIXED);
    expect(await readFile(served.agent('second/pi-args'), 'utf8')).toBe(changed);
    await dialog.getByRole('button', { name: 'Close' }).press('Enter');
    await expect(open).toBeFocused();

    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(page.getByText('Undone: Fixed 2 problems in 1 agent')).toBeVisible();
    expect(await readFile(served.agent('scout/pi-args'), 'utf8')).toBe(ARGS);

    // The next question begins with a new check.
    await open.press('Enter');
    await dialog.getByRole('button', { name: 'Fix 3 problems' }).click();
    await left.getByRole('link', { name: 'second' }).click();
    await expect(dialog).toHaveCount(0);
    await expect(page).toHaveURL(/\/agents\/second\/checks$/);
    expect(await readFile(served.agent('second/pi-args'), 'utf8')).toContain('--thinking\nlow\n');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(page.getByText('Undone: Fixed 3 problems in 2 agents')).toBeVisible();
    expect(await readFile(served.agent('scout/pi-args'), 'utf8')).toBe(ARGS);
    expect(await readFile(served.agent('second/pi-args'), 'utf8')).toBe(changed);
  });

  test('are fixed for the selected agents alone', async ({ page, served }) => {
    await page.goto(served.pageAt('/agents'));
    await page.getByRole('option', { name: /second/ }).click({ modifiers: ['ControlOrMeta'] });
    await page.getByRole('button', { name: 'Fix…' }).click();
    const dialog = page.getByRole('dialog', { name: /^Fix / });
    await dialog.getByRole('button', { name: 'Fix 1 problem' }).click();
    await expect(dialog).toContainText('Fixed 1 problem in 1 agent');
    expect(await readFile(served.agent('scout/pi-args'), 'utf8')).toBe(ARGS);
    expect(await readFile(served.agent('second/pi-args'), 'utf8')).toContain('--thinking\nlow\n');
  });
});
