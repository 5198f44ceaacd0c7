import { readlink } from 'node:fs/promises';
import type { Locator, Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { tabTo } from './keyboard.ts';

test.use({ signedIn: true });

const search = (page: Page) => page.getByRole('dialog', { name: 'Search' });
const options = (page: Page) => search(page).getByRole('option');

/** Opens the search and types into it, without waiting in between, as fast as a person can. */
const find = async (page: Page, text: string, shortcut = 'ControlOrMeta+k') => {
  await page.keyboard.press(shortcut);
  await page.keyboard.type(text);
  await expect(search(page).getByRole('combobox')).toHaveValue(text);
};

test.use({
  tree: {
    'agents/writer/SYSTEM.md': `You write.\n${'\n'.repeat(200)}Ask the courier before you send.\n`,
    'agents/writer/AGENT.md': 'a',
    'agents/broken/SYSTEM.md/in-the-way': '',
  },
});

test('no keystroke is lost, whatever was open before', async ({ page, served }) => {
  await page.goto(served.pageAt('/agents'));
  const filter = page.getByRole('combobox', { name: 'Search agents' });
  await filter.focus();
  // Before its code has loaded, and Enter before its list is there.
  await page.keyboard.press('ControlOrMeta+p');
  await page.keyboard.type('writer');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`${served.url}/agents/writer/files/SYSTEM.md`);
  await expect(page.getByRole('main')).toBeFocused();

  // While the last one closes.
  await filter.focus();
  await find(page, 'nothing like that');
  await expect(search(page).getByText('Nothing matches.')).toBeVisible();
  await page.keyboard.press('Escape');
  await find(page, 'scout', 'ControlOrMeta+p');
  await expect(options(page).first()).toHaveText('scout');

  // The shortcut again starts over.
  await page.keyboard.press('ControlOrMeta+k');
  await page.keyboard.type('writer');
  await expect(search(page).getByRole('combobox')).toHaveValue('writer');
  await page.keyboard.press('Escape');
  await expect(search(page)).toHaveCount(0);
  await expect(filter).toBeFocused();
  await expect(filter).toHaveValue('');

  // Above what only shows something.
  await page.getByRole('button', { name: 'More actions for writer' }).click();
  await expect(page.getByRole('menu')).toBeVisible();
  await find(page, 'scout');
  await page.keyboard.press('Escape');
  await page.getByRole('main').focus();
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
  await find(page, 'go to cat');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`${served.url}/catalog`);

  // A form is answered first.
  await find(page, 'new agent');
  await page.keyboard.press('Enter');
  const id = page.getByRole('dialog', { name: 'New agent' }).getByLabel('Agent id');
  await expect(id).toBeFocused();
  await page.keyboard.press('ControlOrMeta+k');
  await expect(search(page)).toHaveCount(0);
  await expect(id).toBeFocused();
});

test('one search finds agents, files, skills, models, settings, commands and the text of prompts', async ({
  page,
  served,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto(served.pageAt('/agents'));
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await options(page).filter({ hasText: 'Go to catalog' }).click();
  await expect(page).toHaveURL(`${served.url}/catalog`);

  await find(page, 'sco pi');
  await expect(options(page).first()).toContainText('scout/pi-args');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`${served.url}/agents/scout/files/pi-args`);
  // An optional file of any agent that has it. Opening a missing one would offer to create it.
  await find(page, 'wri agent');
  await options(page).filter({ hasText: 'writer/AGENT.md' }).click();
  await expect(page).toHaveURL(`${served.url}/agents/writer/files/AGENT.md`);

  // What was opened last is first.
  await page.keyboard.press('ControlOrMeta+k');
  const recent = search(page).getByRole('group', { name: 'Recent' });
  await expect(recent.getByRole('option')).toHaveText([/^scout/, /Go to catalog/]);
  await page.keyboard.press('Escape');

  await find(page, 'git-summary');
  await expect(search(page).getByRole('group', { name: 'Shared entries' }).getByRole('option')).toHaveCount(
    1,
  );
  await page.keyboard.press('Escape');
  await find(page, 'claude');
  await expect(search(page).getByRole('group', { name: 'Models' }).getByRole('option').first()).toBeVisible();
  await page.keyboard.press('Escape');
  await find(page, 'price interval');
  await expect(options(page).first()).toContainText('Price interval');
  await page.keyboard.press('Escape');

  await find(page, 'courier');
  const prompts = search(page).getByRole('group', { name: 'In prompts: courier' });
  await expect(prompts.getByRole('option')).toContainText('Ask the courier before you send.');
  await expect(search(page).getByText('1 file couldn’t be read.')).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`${served.url}/agents/writer/files/SYSTEM.md`);
  // The match is on the screen and selected, also when its file is open already.
  const prompt = page.getByRole('textbox', { name: 'SYSTEM.md of writer' });
  const match = prompt.getByText('Ask the courier before you send.');
  for (const again of [false, true]) {
    if (again) {
      await page.keyboard.press('ControlOrMeta+Home');
      await expect(match).not.toBeAttached();
      await find(page, 'courier');
      await expect(prompts.getByRole('option')).toHaveText([/Ask the courier/]);
      await page.keyboard.press('Enter');
    }
    await expect(match).toBeInViewport();
    await expect(prompt).toBeFocused();
    await page.keyboard.press('ControlOrMeta+c');
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('courier');
  }

  await find(page, '>copy run');
  await expect(search(page).getByRole('group')).toHaveCount(1);
  await page.keyboard.press('Enter');
  await expect(page.getByText('Copied the run command')).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(served.agent('writer'));
  await find(page, '>duplicate');
  await page.keyboard.press('Enter');
  await expect(
    page.getByRole('dialog', { name: 'Duplicate writer' }).getByLabel('Id for the copy'),
  ).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await find(page, '>theme dark');
  await page.keyboard.press('Enter');
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await find(page, 'receive');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`${served.url}/wallet`);
  await expect(page.getByRole('dialog', { name: 'Receive' }).locator('textarea')).toBeFocused();
});

test('shortcuts are shown on request, and ignore letters typed in a field', async ({ page, served }) => {
  await page.goto(served.pageAt('/agents'));
  const filter = page.getByRole('combobox', { name: 'Search agents' });
  await filter.fill('a');
  await filter.press('?');
  await expect(filter).toHaveValue('a?');
  await filter.press('Escape');
  await page.getByRole('main').focus();
  await page.keyboard.press('?');
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(sheet.getByText('Undo the last change')).toBeVisible();
  await sheet.getByRole('button', { name: 'Close' }).click();
  await expect(sheet).toHaveCount(0);
  await page.keyboard.press('ControlOrMeta+,');
  await expect(page).toHaveURL(`${served.url}/settings`);
});

test('by keyboard alone, the search does what there is to do with the open agent', async ({
  page,
  served,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(served.pageAt('/agents/scout/prompt'));
  const main = page.getByRole('main');
  const heading = main.getByRole('heading', { name: 'scout', exact: true });
  await expect(heading).toBeVisible();
  await main.focus();
  const pick = async (text: string) => {
    await find(page, text);
    await expect(options(page).first()).toBeVisible();
    await page.keyboard.press('Enter');
  };
  const leave = async (name: string) => {
    const dialog = page.getByRole('dialog', { name, exact: true });
    await expect(dialog).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
    await expect(main, `after “${name}” the focus is where it was`).toBeFocused();
  };

  // The actions come right after what was opened last.
  await page.keyboard.press('ControlOrMeta+k');
  const own = search(page).getByRole('group', { name: 'This agent' }).getByRole('option');
  await expect(own.first()).toHaveText('Copy run command');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Copied the run command')).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(served.agent('scout'));
  await expect(main).toBeFocused();

  await pick('budget');
  await leave('Budget for scout');
  await pick('duplicate');
  await leave('Duplicate scout');
  await pick('delete');
  const question = page.getByRole('heading', { name: 'Delete scout?' });
  await expect(question).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(question).toHaveCount(0);
  await expect(main).toBeFocused();

  // The list of what can be linked replaces the commands, and shows no more than the agent lacks.
  const link = async (query: string, name: string) => {
    await pick(query);
    await expect(search(page).getByRole('combobox')).toHaveValue('link: ');
    await expect(search(page).getByRole('group', { name: 'Link to scout' })).toBeVisible();
    await page.keyboard.type(name.slice(0, 3));
    await expect(options(page)).toHaveText([new RegExp(name)]);
    await page.keyboard.press('Enter');
    await expect(page.getByText(`Linked ${name}`)).toBeVisible();
    await expect(main).toBeFocused();
  };
  await link('link', 'git-summary');
  await link('link extension', 'say.ts');
  const linked = await Promise.all(
    ['skills/git-summary', 'extensions/say.ts'].map((path) => readlink(served.agent(`scout/${path}`))),
  );
  expect(linked).toEqual(['../../../shared/skills/git-summary', '../../../shared/extensions/say.ts']);
  await find(page, 'link:');
  await expect(search(page).getByText('Nothing to link')).toBeVisible();
  await page.keyboard.press('Escape');
  // While the search closes, the keys are still its own.
  await expect(main).toBeFocused();
  await page.keyboard.press('ControlOrMeta+z');
  await expect(page.getByText('Undone: Linked say.ts')).toBeVisible();

  await pick('sell scout');
  await expect(page).toHaveURL(`${served.url}/agents/scout/sell`);
  await pick('scout activity');
  await expect(page).toHaveURL(`${served.url}/agents/scout/activity`);
  await pick('set the model');
  await expect(page.getByRole('combobox', { name: 'Search models' })).toBeFocused();
});

test('ten everyday things are done from the search alone, for an agent that isn’t open', async ({
  page,
  served,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(served.pageAt('/agents/writer/prompt'));
  await expect(page.getByRole('heading', { name: 'writer', exact: true })).toBeVisible();
  const main = page.getByRole('main');
  const pick = async (text: string, first: string | RegExp) => {
    await find(page, text);
    await expect(options(page).first()).toHaveText(first);
    await page.keyboard.press('Enter');
    await expect(search(page)).toHaveCount(0);
  };
  const leave = async (name: string) => {
    const dialog = page.getByRole('dialog', { name, exact: true });
    await expect(dialog).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
  };

  await pick('scout run', /^Copy run command/);
  await expect(page.getByText('Copied the run command')).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(served.agent('scout'));

  await find(page, 'link skill scout');
  await expect(options(page).first()).toHaveText(/^Link a shared entry to scout…/);
  await page.keyboard.press('Enter');
  await expect(search(page).getByRole('group', { name: 'Link to scout' })).toBeVisible();
  await page.keyboard.type('git');
  await expect(options(page)).toHaveText([/git-summary/]);
  await page.keyboard.press('Enter');
  await expect(page.getByText('Linked git-summary')).toBeVisible();
  expect(await readlink(served.agent('scout/skills/git-summary'))).toBe('../../../shared/skills/git-summary');

  await pick('budget scout', /^Set the budget for scout…/);
  await expect(page).toHaveURL(`${served.url}/agents/scout/files/SYSTEM.md`);
  await leave('Budget for scout');
  await pick('writer model', /^Set the model for writer…/);
  await expect(page).toHaveURL(`${served.url}/agents/writer/files/SYSTEM.md`);
  await leave('Choose a model');

  await pick('scout session', 'scout/sessions');
  await expect(page).toHaveURL(`${served.url}/agents/scout/sessions`);
  await pick('fix writer', 'writer/checks');
  await expect(page).toHaveURL(`${served.url}/agents/writer/checks`);
  await pick('sell scout', 'scout/sell');
  await expect(page).toHaveURL(`${served.url}/agents/scout/sell`);
  await pick('receive', /^Receive a token…/);
  await expect(page).toHaveURL(`${served.url}/wallet`);
  await leave('Receive');
  await pick('send', /^Send sats…/);
  await expect(page.getByRole('dialog', { name: 'Send' }).getByLabel('Amount in sats')).toBeFocused();
  await leave('Send');
  await pick('open writer', 'writer');
  await expect(page).toHaveURL(`${served.url}/agents/writer/files/SYSTEM.md`);
  await expect(main).toBeFocused();

  // Where no agent is open, words that name none are about the last one.
  await pick('overview', /^Go to overview/);
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible();
  await pick('copy run', /^Copy run command/);
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toContain(served.agent('writer'));
  await pick('problems', /^Show agents with problems/);
  await expect(page).toHaveURL(`${served.url}/agents?filter=problems`);
});

test('single keys act in the list of agents, and never while typing', async ({ page, served }) => {
  await page.goto(served.pageAt('/agents'));
  const list = page.getByRole('listbox', { name: 'Agents' });
  const filter = page.getByRole('combobox', { name: 'Search agents' });
  await expect(page.getByRole('option').first()).toBeVisible();
  await page.keyboard.press('/');
  await expect(filter).toBeFocused();
  await expect(filter).toHaveValue('');
  // What is typed stays text, whatever it would do elsewhere.
  await page.keyboard.type('nex/');
  await expect(filter).toHaveValue('nex/');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.keyboard.press('Escape');

  await tabTo(page, list);
  await page.keyboard.press('End');
  await page.keyboard.press('x');
  const bar = page.getByRole('region', { name: 'Selected agents' });
  await expect(bar).toContainText('1 selected');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('x');
  await expect(bar).toContainText('2 selected');
  await page.keyboard.press('x');
  await expect(bar).toContainText('1 selected');
  await expect(list).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(bar).toHaveCount(0);

  // The marked agent, not the first.
  await page.keyboard.press('End');
  await page.keyboard.press('e');
  await expect(page).toHaveURL(`${served.url}/agents/writer/files/SYSTEM.md`);
  const prompt = page.getByRole('textbox', { name: 'SYSTEM.md of writer' });
  await expect(prompt).toBeFocused();
  await page.keyboard.type('nex/');
  await expect(prompt).toContainText('nex/');
  await expect(page.getByRole('dialog')).toHaveCount(0);

  // Elsewhere on the page, the opened agent: also from another of its sections.
  await page.getByRole('main').focus();
  await page.keyboard.press('n');
  const dialog = page.getByRole('dialog', { name: 'New agent' });
  await expect(dialog.getByLabel('Agent id')).toBeFocused();
  await page.keyboard.type('nex');
  await expect(dialog.getByLabel('Agent id')).toHaveValue('nex');
  await dialog.getByLabel('Agent id').fill('');
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await page.goto(`${served.url}/agents/writer/skills`);
  await expect(page.getByRole('heading', { name: 'writer', exact: true })).toBeVisible();
  await page.getByRole('main').focus();
  await page.keyboard.press('e');
  await expect(prompt).toBeFocused();
});

test('“/” and “n” work in the other lists as well, and the sheet of shortcuts names all', async ({
  page,
  served,
}) => {
  for (const [path, name] of [
    ['/catalog', 'Search skills'],
    ['/pricing', 'Search models'],
    ['/matrix/skills', 'Filter agents'],
    ['/connect', 'Search routes'],
  ] as const) {
    await page.goto(path === '/catalog' ? served.pageAt(path) : `${served.url}${path}`);
    const field = page.getByLabel(name);
    await expect(field).toBeVisible();
    await page.getByRole('main').focus();
    await page.keyboard.press('/');
    await expect(field, path).toBeFocused();
    await expect(field).toHaveValue('');
  }
  await page.goto(`${served.url}/pricing`);
  await expect(page.getByRole('button', { name: 'Add model' })).toBeEnabled();
  await page.getByRole('main').focus();
  await page.keyboard.press('n');
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.keyboard.press('?');
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  for (const shortcut of ['New', 'Search the list', 'Edit the prompt', 'Select'])
    await expect(sheet.getByText(shortcut, { exact: true })).toBeVisible();
});

test.describe('ten thousand agents', () => {
  test.use({
    tree: Object.fromEntries(
      Array.from({ length: 10_000 }, (_, at) => [`agents/agent-${String(at).padStart(5, '0')}`, null]),
    ),
  });

  test('the search finds one among them as fast as it is typed', async ({ page, served }) => {
    await page.goto(served.pageAt('/agents'));
    await expect(page.getByRole('option').first()).toBeVisible();
    await find(page, 'age 07777');
    await expect(options(page).first()).toContainText('agent-07777');
    // Only the best are drawn, however many there are.
    expect(await options(page).count()).toBeLessThanOrEqual(50);
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(`${served.url}/agents/agent-07777/files/SYSTEM.md`);
  });
});

test('Escape puts the focus back where it was, also on a place where Tab doesn’t stop', async ({
  page,
  served,
}) => {
  await page.goto(served.pageAt('/agents'));
  await expect(page.getByRole('option').first()).toBeVisible();
  await expect(page.getByRole('main')).toBeFocused();
  const opensAndCloses = async (place: Locator) => {
    await expect(place).toBeFocused();
    for (const shortcut of ['ControlOrMeta+k', 'ControlOrMeta+p']) {
      await page.keyboard.press(shortcut);
      await expect(search(page)).toBeVisible();
      // Also after a look around.
      await page.keyboard.type('wri');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Escape');
      await expect(search(page)).toHaveCount(0);
      await expect(place).toBeFocused();
    }
  };
  await opensAndCloses(page.getByRole('main'));
  const list = page.getByRole('listbox', { name: 'Agents' });
  await list.focus();
  await opensAndCloses(list);
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  const tab = page.getByRole('link', { name: 'Checks' });
  await tab.focus();
  await opensAndCloses(tab);
  const prompt = page.getByRole('textbox', { name: 'SYSTEM.md of writer' });
  await prompt.focus();
  await opensAndCloses(prompt);
});
