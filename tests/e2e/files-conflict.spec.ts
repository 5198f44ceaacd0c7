import { rename, rm, writeFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { editor, expectText, onDisk, retype, tab } from './editor.ts';
import { expect, type Served, test } from './fixtures.ts';
import { type How, pressOn, tabTo } from './keyboard.ts';

const conflict = (page: Page) => page.getByText('SYSTEM.md changed on disk');
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const writeTheirs = (served: Served, text: string) => writeFile(served.agent('scout/SYSTEM.md'), text);

/** Types something, and has another program save the file meanwhile: that is said within a second. */
const makeConflict = async (
  page: Page,
  served: Served,
  mine: string,
  theirs: string,
  how: How = 'by mouse',
): Promise<void> => {
  await retype(page, mine, how);
  await writeTheirs(served, theirs);
  await expect(conflict(page)).toBeVisible();
  await expectText(editor(page), mine);
};

test.beforeEach(async ({ page, served }) => {
  await page.goto(`${served.url}/agents/scout/files/SYSTEM.md`);
  await expectText(editor(page), 'You are a scout.\n');
  await expect(page.getByText('Connected')).toBeAttached();
});

test('an edit of another program appears and leaves the caret where it is', async ({ page, served }) => {
  await writeTheirs(served, 'one\ntwo\nthree\n');
  await expectText(editor(page), 'one\ntwo\nthree\n');
  await editor(page).focus();
  await page.keyboard.press('ControlOrMeta+Home');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('End');
  // As editors save: a new file takes the place of the old one.
  await writeFile(served.agent('scout/SYSTEM.md~'), 'zero\none\ntwo\nthree and more\n');
  await rename(served.agent('scout/SYSTEM.md~'), served.agent('scout/SYSTEM.md'));
  await expectText(editor(page), 'zero\none\ntwo\nthree and more\n');
  await expect(tab(page, 'SYSTEM.md')).not.toHaveAccessibleName(/unsaved/);
  await page.keyboard.type('!');
  await expectText(editor(page), 'zero\none\ntwo!\nthree and more\n');
  // What came from disk is a step of its own.
  await page.keyboard.press('ControlOrMeta+z');
  await page.keyboard.press('ControlOrMeta+z');
  await expectText(editor(page), 'one\ntwo\nthree\n');
});

test('a conflict is answered with "Overwrite" by mouse', async ({ page, served }) => {
  await makeConflict(page, served, 'mine', 'theirs');
  await button(page, 'Overwrite').click();
  await expect(conflict(page)).toBeHidden();
  await expect(editor(page)).toBeFocused();
  await expect.poll(() => onDisk(served)).toBe('mine');
});

test('a conflict is answered with "Reload from disk" by mouse, and that can be undone', async ({
  page,
  served,
}) => {
  await makeConflict(page, served, 'mine', 'theirs');
  await button(page, 'Reload from disk').click();
  await expectText(editor(page), 'theirs');
  await expect(conflict(page)).toBeHidden();
  await button(page, 'Undo').click();
  await expectText(editor(page), 'mine');
  await expect(conflict(page)).toBeVisible();
  expect(await onDisk(served)).toBe('theirs');
});

test('a conflict is compared side by side by mouse: a part of theirs is applied, and my edit continues', async ({
  page,
  served,
}) => {
  await makeConflict(page, served, 'first\nsame\nmine\n', 'first, by them\nsame\ntheirs\n');
  await button(page, 'Compare').click();
  const theirs = page.getByRole('textbox', { name: 'On disk: SYSTEM.md of scout' });
  await expectText(theirs, 'first, by them\nsame\ntheirs\n');
  await expectText(editor(page), 'first\nsame\nmine\n');
  await page.getByRole('button', { name: 'Use this part from disk' }).first().click();
  await expectText(editor(page), 'first, by them\nsame\nmine\n');
  await theirs.click();
  await page.keyboard.type('nothing');
  await expectText(theirs, 'first, by them\nsame\ntheirs\n');

  await writeTheirs(served, 'first, by them\nsame\ntheirs again\n');
  await expectText(theirs, 'first, by them\nsame\ntheirs again\n');
  await expect(button(page, 'Overwrite')).toBeHidden();
  // Both changed the last line, so saving mine there is no merge.
  await expect(page.getByText('1 conflict')).toBeVisible();
  await expect(button(page, 'Save merged text')).toBeHidden();
  await button(page, 'Overwrite with my text').click();
  await expect(theirs).toBeHidden();
  await expect(conflict(page)).toBeHidden();
  await expect.poll(() => onDisk(served)).toBe('first, by them\nsame\nmine\n');
  // The history goes through the comparison.
  await expect(editor(page)).toBeFocused();
  await page.keyboard.press('ControlOrMeta+z');
  await expectText(editor(page), 'first\nsame\nmine\n');
});

test('edits in different places of a file are merged, and the merge can be undone', async ({
  page,
  served,
}) => {
  await writeTheirs(served, 'one\ntwo\nthree\n');
  await expectText(editor(page), 'one\ntwo\nthree\n');
  await makeConflict(page, served, 'ONE\ntwo\nthree\n', 'one\ntwo\nthree\nfour\n');
  await button(page, 'Compare').click();
  await expectText(editor(page), 'ONE\ntwo\nthree\nfour\n');
  await expect(page.getByText('All changes from disk are in your text')).toBeVisible();
  await button(page, 'Save merged text').click();
  await expect.poll(() => onDisk(served)).toBe('ONE\ntwo\nthree\nfour\n');
  await button(page, 'Undo').click();
  await expectText(editor(page), 'ONE\ntwo\nthree\n');
  await expect(conflict(page)).toBeHidden();
});

test('each answer to a conflict can be given by keyboard alone', async ({ page, served }) => {
  await makeConflict(page, served, 'same\nmine\n', 'same\ntheirs\n', 'by keys');
  await tabTo(page, button(page, 'Compare'), 'Shift+Tab');
  await page.keyboard.press('Enter');
  const theirs = page.getByRole('textbox', { name: 'On disk: SYSTEM.md of scout' });
  await expectText(theirs, 'same\ntheirs\n');
  await tabTo(page, button(page, 'Next difference'));
  await page.keyboard.press('Enter');
  const take = page.getByRole('button', { name: 'Use this part from disk' });
  await tabTo(page, take);
  await page.keyboard.press('Enter');
  // The comparison stays until the person ends it.
  await expectText(editor(page), 'same\ntheirs\n');
  await expect(page.getByText('Both sides are the same')).toBeVisible();
  await tabTo(page, button(page, 'Save merged text'), 'Shift+Tab');
  await page.keyboard.press('Enter');
  await expect(conflict(page)).toBeHidden();
  await expect(editor(page)).toBeFocused();
  await expect(tab(page, 'SYSTEM.md')).not.toHaveAccessibleName(/unsaved/);

  await makeConflict(page, served, 'mine again', 'theirs again', 'by keys');
  await tabTo(page, button(page, 'Reload from disk'), 'Shift+Tab');
  await page.keyboard.press('Enter');
  await expectText(editor(page), 'theirs again');
  await expect(editor(page)).toBeFocused();

  await makeConflict(page, served, 'mine at last', 'theirs at last', 'by keys');
  await tabTo(page, button(page, 'Overwrite'), 'Shift+Tab');
  await page.keyboard.press('Enter');
  await expect(conflict(page)).toBeHidden();
  await expect.poll(() => onDisk(served)).toBe('mine at last');
});

test('a save that arrives a moment too late is a conflict, not a loss', { tag: '@smoke' }, async ({
  page,
  served,
}) => {
  // Without the event stream the page cannot know before it saves.
  await page.route('**/api/events', (route) => route.abort());
  await page.reload();
  await expectText(editor(page), 'You are a scout.\n');
  await editor(page).fill('mine');
  await writeTheirs(served, 'theirs');
  await editor(page).press('ControlOrMeta+s');
  await expect(conflict(page)).toBeVisible();
  await expectText(editor(page), 'mine');
  await expect.poll(() => onDisk(served)).toBe('theirs');
});

test('files that another program adds and deletes appear and disappear', async ({ page, served }) => {
  await writeFile(served.agent('scout/AGENT.md'), '# New\n');
  await expect(tab(page, 'AGENT.md')).toBeVisible();
  await tab(page, 'AGENT.md').click();
  await expectText(editor(page, 'AGENT.md'), '# New\n');
  await tab(page, 'SYSTEM.md').click();
  await rm(served.agent('scout/AGENT.md'));
  await expect(tab(page, 'AGENT.md')).toBeHidden();
});

test('a file that is deleted while it is edited keeps what was typed, by mouse and by keyboard', async ({
  page,
  served,
}) => {
  const deleted = page.getByText('SYSTEM.md was deleted on disk');
  for (const how of ['by mouse', 'by keys'] as const) {
    await retype(page, `mine, ${how}`, how);
    await rm(served.agent('scout/SYSTEM.md'));
    await expect(deleted).toBeVisible();
    await expectText(editor(page), `mine, ${how}`);
    await pressOn(page, button(page, 'Create file again'), how, 'Shift+Tab');
    await expect(deleted).toBeHidden();
    await expect(editor(page)).toBeFocused();
    await expect.poll(() => onDisk(served)).toBe(`mine, ${how}`);
  }
});
