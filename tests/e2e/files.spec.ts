import { writeFile } from 'node:fs/promises';
import { editor, expectText, onDisk, tab } from './editor.ts';
import { expect, test } from './fixtures.ts';
import { tabTo } from './keyboard.ts';

test.beforeEach(async ({ page, served }) => {
  await page.goto(`${served.url}/agents/scout/files/SYSTEM.md`);
  await expectText(editor(page), 'You are a scout.\n');
});

test('edits and saves a file by mouse, with a mark while it is unsaved', async ({ page, served }) => {
  await editor(page).click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText('You are a better scout.\n');
  await expect(tab(page, 'SYSTEM.md')).toHaveAccessibleName(/unsaved changes/);
  await expect(page.locator('.cm-changedSinceSave').first()).toBeVisible();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(tab(page, 'SYSTEM.md')).not.toHaveAccessibleName(/unsaved changes/);
  await expect.poll(() => onDisk(served)).toBe('You are a better scout.\n');
  await expect(page.locator('.cm-changedSinceSave')).toHaveCount(0);
});

test('edits and saves by keyboard alone, and Tab moves the focus out of the editor', async ({
  page,
  served,
}) => {
  await tabTo(page, editor(page));
  await page.keyboard.press('ControlOrMeta+End');
  // With `/` and `?`, which are shortcuts of the page elsewhere.
  await page.keyboard.type('- Look/?\nAround');
  // Markdown goes on with a list; the caret is where the text grows.
  await expectText(editor(page), 'You are a scout.\n- Look/?\n- Around');
  await page.keyboard.press('ControlOrMeta+s');
  await expect(tab(page, 'SYSTEM.md')).not.toHaveAccessibleName(/unsaved changes/);
  await expect.poll(() => onDisk(served)).toBe('You are a scout.\n- Look/?\n- Around');
  await expect(editor(page)).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(editor(page)).not.toBeFocused();
  await page.keyboard.press('Shift+Tab');
  await expect(editor(page)).toBeFocused();
  await page.keyboard.press('ControlOrMeta+]');
  await expectText(editor(page), 'You are a scout.\n- Look/?\n  - Around');
});

test('types over several lines at once', async ({ page, served }) => {
  await editor(page).fill('one **two**\nthree\nfour five\n');
  await page.keyboard.press('ControlOrMeta+Home');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  // The browser, left to itself, would join the lines with inline styles, and the CSP would say so in the console.
  await page.keyboard.type('x');
  await expectText(editor(page), 'oxour five\n');
  await page.keyboard.press('ControlOrMeta+z');
  await expectText(editor(page), 'one **two**\nthree\nfour five\n');
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('all');
  await page.keyboard.press('ControlOrMeta+s');
  await expect.poll(() => onDisk(served)).toBe('all');
});

test('keeps the undo history of each file across tabs, other views and a save', async ({ page, served }) => {
  await editor(page).fill('one\n');
  await page.keyboard.press('ControlOrMeta+s');
  await expect.poll(() => onDisk(served)).toBe('one\n');
  await tab(page, 'pi-args').click();
  await editor(page, 'pi-args').fill('--no-skills\n');
  await page.getByRole('button', { name: 'Revert' }).click();
  await expectText(editor(page, 'pi-args'), '--thinking\nlow\n');
  // Reverting is a step like any other.
  await expect(editor(page, 'pi-args')).toBeFocused();
  await page.keyboard.press('ControlOrMeta+z');
  await expectText(editor(page, 'pi-args'), '--no-skills\n');
  await page.keyboard.press('ControlOrMeta+z');
  await page.getByRole('link', { name: 'Skills' }).click();
  await page.getByRole('link', { name: 'Edit', exact: true }).click();
  await expectText(editor(page, 'pi-args'), '--thinking\nlow\n');
  await tab(page, 'SYSTEM.md').click();
  await editor(page).focus();
  await page.keyboard.press('ControlOrMeta+z');
  await expectText(editor(page), 'You are a scout.\n');
  await expect(tab(page, 'SYSTEM.md')).toHaveAccessibleName(/unsaved changes/);
  await page.keyboard.press('ControlOrMeta+Shift+z');
  await expectText(editor(page), 'one\n');
  await expect(tab(page, 'SYSTEM.md')).not.toHaveAccessibleName(/unsaved changes/);
});

test('wraps long lines, and highlights the frontmatter of Markdown', async ({ page }) => {
  await editor(page).fill(`---\nname: scout\n---\nname: scout\n\n${'word '.repeat(200)}`);
  const look = () =>
    editor(page).evaluate((area) => {
      const lines = Array.from(area.querySelectorAll('.cm-line'), (line) => ({
        height: line.clientHeight,
        color: getComputedStyle(line.querySelector('span') ?? line).color,
      }));
      const ink = getComputedStyle(area).color;
      const [, front, , body] = lines;
      return {
        colours: [front?.color !== ink, body?.color !== ink],
        rows: Math.round((lines.at(-1)?.height ?? 0) / (body?.height ?? 1)) > 2,
        overflow: (area.parentElement?.scrollWidth ?? 0) - (area.parentElement?.clientWidth ?? 0),
      };
    });
  // The same words in the text below are no YAML.
  await expect.poll(look).toEqual({ colours: [true, false], rows: true, overflow: 0 });
});

test('finds and replaces by mouse and by keyboard', async ({ page, served }) => {
  await editor(page).fill('ask, then ask again\n');
  await page.getByRole('button', { name: 'Find and replace' }).click();
  await page.getByRole('textbox', { name: 'Find' }).fill('ask');
  // The panel reads the field at each key.
  await page.getByRole('textbox', { name: 'Find' }).press('End');
  await expect(page.getByText('2 matches')).toBeVisible();
  await page.getByRole('textbox', { name: 'Replace with' }).fill('look');
  await page.getByRole('button', { name: 'Replace all' }).click();
  await expectText(editor(page), 'look, then look again\n');
  await page.getByRole('button', { name: 'Close' }).click();
  await expect(page.getByRole('textbox', { name: 'Find' })).toBeHidden();
  await expect(editor(page)).toBeFocused();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect.poll(() => onDisk(served)).toBe('look, then look again\n');

  await page.keyboard.press('ControlOrMeta+f');
  await expect(page.getByRole('textbox', { name: 'Find' })).toBeFocused();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('AGAIN');
  await page.keyboard.press('Tab');
  await tabTo(page, page.getByRole('textbox', { name: 'Replace with' }));
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('twice');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await expectText(editor(page), 'look, then look twice\n');
  await page.keyboard.press('Escape');
  await expect(editor(page)).toBeFocused();
});

test('goes to a heading by its outline, and remembers whether lines have numbers', async ({ page }) => {
  const numbers = page.locator('.cm-lineNumbers');
  const filler = 'Some words.\n'.repeat(80);
  await editor(page).fill(`# First\n${filler}## Second\n${filler}`);
  await expect(numbers).toHaveCount(0);
  const outline = page.getByRole('button', { name: 'Headings' });
  await outline.click();
  await expect(page.getByRole('menuitem')).toHaveText(['First', 'Second']);
  await expect(page.getByRole('menuitem', { name: 'Second' })).toHaveAttribute('aria-current', 'location');
  await page.getByRole('menuitem', { name: 'First' }).click();
  await expect(editor(page)).toBeFocused();
  await page.keyboard.type('>');
  await expect(editor(page).getByText('># First')).toBeInViewport();

  await page.keyboard.press('ControlOrMeta+k');
  await page.keyboard.type('>line numbers');
  await page.keyboard.press('Enter');
  await expect(numbers).toContainText('12');
  await page.reload();
  await expect(numbers).toBeVisible();

  await tabTo(page, outline, 'Shift+Tab');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('menuitem', { name: 'First' })).toBeFocused();
  await page.keyboard.type('sec');
  await page.keyboard.press('Enter');
  await expect(editor(page)).toBeFocused();
  await page.keyboard.type('>');
  await expect(editor(page).getByText('>## Second')).toBeInViewport();
});

test('adds optional files with their first save, by mouse and by keyboard', async ({ page, served }) => {
  await page.getByRole('button', { name: 'Add a file' }).click();
  await page.getByRole('menuitem', { name: /AGENT\.md/ }).click();
  await editor(page, 'AGENT.md').fill('---\nmodel: a/b\n---\n');
  await page.getByRole('button', { name: 'Create file' }).click();
  await expect(tab(page, 'AGENT.md')).not.toHaveAccessibleName(/unsaved/);
  await expect.poll(() => onDisk(served, 'AGENT.md')).toBe('---\nmodel: a/b\n---\n');

  await tabTo(page, page.getByRole('button', { name: 'Add a file' }));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('menuitem').first()).toBeFocused();
  await page.keyboard.type('work');
  await page.keyboard.press('Enter');
  await tabTo(page, editor(page, 'workspace.conf'));
  await page.keyboard.type('dir=work');
  await page.keyboard.press('ControlOrMeta+s');
  await expect.poll(() => onDisk(served, 'workspace.conf')).toBe('dir=work');
});

test('the open AGENT.md says how it differs from SYSTEM.md, and no other file does', async ({ page }) => {
  const difference = page.getByText('this file adds text to the prompt');
  await expect(editor(page)).toBeVisible();
  await expect(difference).toBeHidden();
  await page.getByRole('button', { name: 'Add a file' }).click();
  await page.getByRole('menuitem', { name: /^AGENT\.md/ }).click();
  await expect(difference).toBeVisible();
});

test('saves the unsaved files of an agent at once', async ({ page, served }) => {
  await editor(page).fill('one');
  await expect(page.getByRole('button', { name: 'Save all' })).toBeHidden();
  await tab(page, 'pi-args').click();
  await editor(page, 'pi-args').fill('--no-skills');
  await page.getByRole('button', { name: 'Save all' }).click();
  await expect(page.getByRole('button', { name: 'Save all' })).toBeHidden();
  await expect.poll(() => onDisk(served)).toBe('one');
  await expect.poll(() => onDisk(served, 'pi-args')).toBe('--no-skills');
});

test('CRLF, BOM and a missing final newline survive an edit byte for byte', async ({ page, served }) => {
  await writeFile(served.agent('scout/SYSTEM.md'), '\uFEFFone\r\ntwo\r\nthree');
  await expectText(editor(page), 'one\ntwo\nthree');
  await editor(page).fill('one\nTWO\nthree');
  await editor(page).press('ControlOrMeta+s');
  await expect(tab(page, 'SYSTEM.md')).not.toHaveAccessibleName(/unsaved/);
  await expect.poll(() => onDisk(served)).toBe('\uFEFFone\r\nTWO\r\nthree');
});

test('mixed line endings stay as they are outside the edit', async ({ page, served }) => {
  await writeFile(served.agent('scout/SYSTEM.md'), 'one\r\ntwo\nthree\rfour');
  await expectText(editor(page), 'one\ntwo\nthree\nfour');
  await editor(page).press('ControlOrMeta+End');
  await page.keyboard.type('!');
  await page.keyboard.press('ControlOrMeta+s');
  await expect.poll(() => onDisk(served)).toBe('one\r\ntwo\nthree\rfour!');
});

test('counts lines, words and text tokens during typing', async ({ page }) => {
  const foot = page.getByRole('status').filter({ hasText: 'Saved' }).locator('..');
  await expect(foot).toContainText('1 line');
  await expect(foot).toContainText('4 words');
  await expect(foot).toContainText('≈ 5 tokens');
  await editor(page).fill('one two\nthree <|endoftext|>');
  await expect(page.getByText('2 lines')).toBeVisible();
  await expect(page.getByText('4 words')).toBeVisible();
  await expect(page.getByText('≈ 11 tokens')).toBeVisible();
});

test('a file that is not text has a state of its own, and opens again when it is fixed', async ({
  page,
  served,
}) => {
  await writeFile(served.agent('scout/SYSTEM.md'), Buffer.from([0xff, 0xfe, 0]));
  await expect(page.getByRole('heading', { name: 'The file isn’t text' })).toBeVisible();
  await writeFile(served.agent('scout/SYSTEM.md'), 'text again');
  await expectText(editor(page), 'text again');
});

test('an editor that cannot be loaded shows the text and offers a reload', async ({ page, served }) => {
  await page.route('**/assets/open-editor-*.js', (route) => route.abort());
  await page.goto(`${served.url}/agents/scout/files/SYSTEM.md`);
  await expect(page.getByText('The editor didn’t load')).toBeVisible();
  await expect(page.getByText('You are a scout.')).toBeVisible();
  await page.unroute('**/assets/open-editor-*.js');
  await page.getByRole('button', { name: 'Reload page' }).click();
  await expectText(editor(page), 'You are a scout.\n');
});
