import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { expect, type Served, test } from './fixtures.ts';

const editor = (page: Page, file = 'SYSTEM.md') => page.getByRole('textbox', { name: `${file} of scout` });
/** What is in a file now; a save may still be under way when the page already looks saved. */
const onDisk = (served: Served, file = 'SYSTEM.md') =>
  readFile(served.agent(`scout/${file}`), 'utf8').catch(() => undefined);
const tab = (page: Page, file: string) => page.getByRole('tab', { name: new RegExp(`^${file}`) });

test.beforeEach(async ({ page, served }) => {
  await page.goto(`${served.url}/agents/scout/files/SYSTEM.md`);
});

test('edits and saves a file, with a mark while it is unsaved', async ({ page, served }) => {
  await expect(editor(page)).toHaveValue('You are a scout.\n');
  await editor(page).fill('You are a better scout.\n');
  await expect(tab(page, 'SYSTEM.md')).toHaveAccessibleName(/unsaved changes/);
  await editor(page).press('ControlOrMeta+s');
  await expect(tab(page, 'SYSTEM.md')).not.toHaveAccessibleName(/unsaved changes/);
  await expect.poll(() => onDisk(served)).toBe('You are a better scout.\n');
});

test('unsaved text survives a change of tab and of view, and leaving asks', async ({ page, served }) => {
  await editor(page).fill('mine');
  await tab(page, 'pi-args').click();
  await expect(editor(page, 'pi-args')).toHaveValue('--thinking\nlow\n');
  await tab(page, 'SYSTEM.md').click();
  await expect(editor(page)).toHaveValue('mine');

  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Catalog' }).click();
  const dialog = page.getByRole('alertdialog').or(page.getByRole('dialog'));
  await expect(dialog).toContainText('Leave with unsaved changes?');
  await dialog.getByRole('button', { name: 'Stay' }).click();
  await expect(editor(page)).toHaveValue('mine');
  await expect.poll(() => onDisk(served)).toBe('You are a scout.\n');
});

test('CRLF, BOM and a missing final newline come through an edit byte for byte', async ({ page, served }) => {
  await writeFile(served.agent('scout/SYSTEM.md'), '\uFEFFone\r\ntwo\r\nthree');
  await expect(editor(page)).toHaveValue('one\ntwo\nthree');
  await editor(page).fill('one\nTWO\nthree');
  await editor(page).press('ControlOrMeta+s');
  await expect(tab(page, 'SYSTEM.md')).not.toHaveAccessibleName(/unsaved/);
  await expect.poll(() => onDisk(served)).toBe('\uFEFFone\r\nTWO\r\nthree');
});

test('an edit of another program appears within a second when nothing is unsaved', async ({
  page,
  served,
}) => {
  await expect(editor(page)).toHaveValue('You are a scout.\n');
  await expect(page.getByText('Connected')).toBeAttached();
  await writeFile(served.agent('scout/SYSTEM.md'), 'changed by vim');
  await expect(editor(page)).toHaveValue('changed by vim', { timeout: 1000 });
  // As editors save: a new file takes the place of the old one.
  await writeFile(served.agent('scout/SYSTEM.md~'), 'renamed into place');
  await rename(served.agent('scout/SYSTEM.md~'), served.agent('scout/SYSTEM.md'));
  await expect(editor(page)).toHaveValue('renamed into place', { timeout: 1000 });
});

test('an edit of another program never takes what is typed: reload, compare, overwrite', async ({
  page,
  served,
}) => {
  await expect(page.getByText('Connected')).toBeAttached();
  await editor(page).fill('mine');
  await writeFile(served.agent('scout/SYSTEM.md'), 'theirs');
  await expect(page.getByText('SYSTEM.md changed on disk')).toBeVisible({ timeout: 1000 });
  await expect(editor(page)).toHaveValue('mine');

  await page.getByRole('button', { name: 'Show both' }).click();
  await expect(page.getByText('theirs').first()).toBeVisible();

  await page.getByRole('button', { name: 'Overwrite' }).click();
  await expect(page.getByText('SYSTEM.md changed on disk')).toBeHidden();
  await expect.poll(() => onDisk(served)).toBe('mine');

  await editor(page).fill('mine again');
  await writeFile(served.agent('scout/SYSTEM.md'), 'theirs again');
  await page.getByRole('button', { name: 'Reload theirs' }).click();
  await expect(editor(page)).toHaveValue('theirs again');
});

test('a save that comes a moment too late is a conflict, not a loss', async ({ page, served }) => {
  // Without the event stream the page cannot know before it saves.
  await page.route('**/api/events', (route) => route.abort());
  await page.reload();
  await expect(editor(page)).toHaveValue('You are a scout.\n');
  await editor(page).fill('mine');
  await writeFile(served.agent('scout/SYSTEM.md'), 'theirs');
  await editor(page).press('ControlOrMeta+s');
  await expect(page.getByText('SYSTEM.md changed on disk')).toBeVisible();
  await expect(editor(page)).toHaveValue('mine');
  await expect.poll(() => onDisk(served)).toBe('theirs');
});

test('adds an optional file with its first save', async ({ page, served }) => {
  await page.getByRole('button', { name: 'Add a file' }).click();
  await page.getByRole('menuitem', { name: /AGENT\.md/ }).click();
  await editor(page, 'AGENT.md').fill('---\nmodel: a/b\n---\n');
  await page.getByRole('button', { name: 'Create file' }).click();
  await expect(tab(page, 'AGENT.md')).not.toHaveAccessibleName(/unsaved/);
  await expect.poll(() => onDisk(served, 'AGENT.md')).toBe('---\nmodel: a/b\n---\n');
});

test('a file that is not text is a state of its own, and comes back when it is put right', async ({
  page,
  served,
}) => {
  await writeFile(served.agent('scout/SYSTEM.md'), Buffer.from([0xff, 0xfe, 0]));
  await expect(page.getByText('Not a text file')).toBeVisible();
  await writeFile(served.agent('scout/SYSTEM.md'), 'text again');
  await expect(editor(page)).toHaveValue('text again');
});

test('a file that is deleted while it is edited keeps what was typed', async ({ page, served }) => {
  await expect(page.getByText('Connected')).toBeAttached();
  await editor(page).fill('mine');
  await rm(served.agent('scout/SYSTEM.md'));
  await expect(page.getByText('SYSTEM.md was deleted on disk')).toBeVisible();
  await page.getByRole('button', { name: 'Create it again' }).click();
  await expect(page.getByText('SYSTEM.md was deleted on disk')).toBeHidden();
  await expect.poll(() => onDisk(served)).toBe('mine');
});
