import { readFile } from 'node:fs/promises';
import type { Locator, Page } from '@playwright/test';
import { expect, type Served } from './fixtures.ts';
import { type How, tabTo } from './keyboard.ts';

/** The editor of a file of scout. */
export const editor = (page: Page, file = 'SYSTEM.md'): Locator =>
  page.getByRole('textbox', { name: `${file} of scout`, exact: true });

/** The tab of a file. */
export const tab = (page: Page, file: string): Locator =>
  page.getByRole('tab', { name: new RegExp(`^${file.replace('.', '\\.')}`) });

const textOf = (area: Locator): Promise<string> =>
  area.evaluate((element) =>
    Array.from(element.querySelectorAll('.cm-line'), (line) => line.textContent).join('\n'),
  );

/** Waits until an editor shows exactly this text. Only for texts that fit on the screen: the rest is not in the page. */
export const expectText = (area: Locator, text: string): Promise<void> =>
  expect.poll(() => textOf(area), { intervals: [20, 50, 100] }).toBe(text);

/** What is in a file now; undefined when it is not there. */
export const onDisk = (served: Served, file = 'SYSTEM.md'): Promise<string | undefined> =>
  readFile(served.agent(`scout/${file}`), 'utf8').catch(() => undefined);

/** Puts a text into the editor in place of what is there; by keys, with the focus going there first. */
export const retype = async (page: Page, text: string, how: How): Promise<void> => {
  if (how === 'by mouse') return editor(page).fill(text);
  await tabTo(page, editor(page));
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(text);
};
