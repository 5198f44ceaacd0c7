import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { violationsInBothThemes } from './axe.ts';
import { expect, type Served } from './fixtures.ts';
import { pressOn, tabTo } from './keyboard.ts';
import { pricingTest as test } from './pricing-page.ts';

const PI_ARGS = '# scout only reads\r\n--tools\r\nread,grep\r\n\r\n  --model\tgpt-5.4:high\r\n# the end';

const MODELS = Object.fromEntries([
  ['gpt-5.4', { input_usd_per_million: 2.5, output_usd_per_million: 15 }],
  ['claude-opus-5', { input_usd_per_million: 5, output_usd_per_million: 25 }],
  ['Not an argument', { input_usd_per_million: 1, output_usd_per_million: 1 }],
  ...Array.from({ length: 997 }, (_, index) => [
    `maker-${index % 10}/model-${index}`,
    { input_usd_per_million: index / 100, output_usd_per_million: index / 50 },
  ]),
]);

test.use({
  tree: {
    'agents/scout/pi-args': PI_ARGS,
    'agents/writer/SYSTEM.md': 'You write.\n',
    'agents/writer/pi-args': '# nothing\n',
    'agents/zebra/SYSTEM.md': 'You run.\n',
    'agents/zebra/pi-args': '--model\nclaude-opus-5',
  },
});

test.beforeEach(({ served }) =>
  writeFile(join(served.directory, 'data/model_pricing.json'), JSON.stringify({ models: MODELS })),
);

const piArgs = (served: Served, id: string) => readFile(served.agent(`${id}/pi-args`), 'utf8');

const partsOf = (page: Page, id: string) => ({
  chip: page.getByRole('list', { name: `About ${id}` }).getByRole('button', { name: /^Model/ }),
  popup: page.getByRole('dialog', { name: 'Choose a model' }),
  search: page.getByRole('combobox', { name: 'Search models' }),
  options: page.getByRole('listbox', { name: 'Models' }).getByRole('option'),
});

test('the model of an agent is chosen by keyboard alone, with the price of a call, and one key undoes it', async ({
  page,
  served,
}) => {
  await page.goto(served.pageAt('/agents/scout/checks'));
  const { chip, popup, search, options } = partsOf(page, 'scout');
  await expect(chip).toHaveText('Modelgpt-5.4:high');
  await pressOn(page, chip, 'by keys');
  await expect(search).toBeFocused();
  // The model in use is marked and in sight, and the rest of a thousand isn't drawn.
  await expect(options.filter({ hasText: 'gpt-5.4' })).toHaveAttribute('aria-selected', 'true');
  await expect(options.filter({ hasText: 'gpt-5.4' })).toHaveAttribute('aria-setsize', '999');
  expect(await options.count()).toBeLessThan(60);
  expect(await violationsInBothThemes(page)).toEqual([]);
  await page.keyboard.press('End');
  await expect(options.filter({ hasText: 'maker-9/model-989' })).toBeVisible();

  await page.keyboard.type('opus anthropic');
  await expect(options).toHaveCount(1);
  const answer = await (
    await page.request.get(`${served.url}/api/agents/scout/cost?model=claude-opus-5`)
  ).json();
  const { sats } = answer.cost.call;
  expect(sats).toBeGreaterThan(0);
  const shown = (await options.textContent())?.match(/claude-opus-5([\d.,]+) sat/)?.[1];
  expect(Number(shown?.replace(',', ''))).toBeCloseTo(sats, 3);
  await expect(popup).toContainText(`Price of the prompt alone, ${answer.promptTokens} tokens`);
  await page.keyboard.press('Enter');
  await expect(popup).toHaveCount(0);
  await expect(chip).toHaveText('Modelanthropic/claude-opus-5:high');
  await expect(chip).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(options.filter({ hasText: 'claude-opus-5' })).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('Escape');
  await expect(page.getByText('scout uses anthropic/claude-opus-5')).toBeVisible();
  expect(await piArgs(served, 'scout')).toBe(PI_ARGS.replace('gpt-5.4', 'anthropic/claude-opus-5'));
  await page.keyboard.press('Control+z');
  await expect(chip).toHaveText('Modelgpt-5.4:high');
  expect(await piArgs(served, 'scout')).toBe(PI_ARGS);

  // Escape empties the search first, and then closes without a change.
  await page.keyboard.press('Enter');
  await expect(search).toBeFocused();
  await page.keyboard.type('zzz z');
  await expect(popup).toContainText('Nothing matches “zzz z”.');
  await page.keyboard.press('Escape');
  await expect(search).toHaveValue('');
  await page.keyboard.press('Escape');
  await expect(popup).toHaveCount(0);
  await expect(chip).toBeFocused();
  expect(await piArgs(served, 'scout')).toBe(PI_ARGS);
});

test('favorites come first, in every browser, and a name that has no price can be typed', async ({
  page,
  served,
}) => {
  await page.goto(served.pageAt('/agents/writer/checks'));
  const { chip, search, options } = partsOf(page, 'writer');
  await expect(chip).toHaveText('Modelpi’s default');
  await pressOn(page, chip, 'by keys');
  await expect(search).toBeFocused();
  await page.keyboard.type('model-42');
  // An arrow key that overtakes the search would move from another option.
  await expect(options.first()).toHaveText(/^maker-0\/model-420/);
  await page.keyboard.press('Home');
  await pressOn(page, page.getByRole('button', { name: 'Add maker-0/model-420 to favorites' }), 'by keys');
  await expect(page.getByRole('button', { name: 'Remove maker-0/model-420 from favorites' })).toBeFocused();
  await tabTo(page, search, 'Shift+Tab');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await expect(chip).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(options.first()).toHaveText(/^maker-0\/model-420.*favorite$/);
  await page.keyboard.press('Escape');
  await page.evaluate(() => localStorage.clear());
  await page.reload();
  await chip.click();
  await expect(options.first()).toHaveText(/^maker-0\/model-420/);
  await expect(search).toBeFocused();
  await page.keyboard.type('ollama/qwen3:8b');
  await expect(options).toHaveText(['Use “ollama/qwen3:8b”no price']);
  await page.keyboard.press('Enter');
  await expect(chip).toHaveText('Modelollama/qwen3:8b');
  expect(await piArgs(served, 'writer')).toBe('# nothing\n--model\nollama/qwen3:8b\n');
  // It is first the next time, and no price is made up for it.
  await chip.click();
  await expect(options.first()).toHaveText('ollama/qwen3:8bno price');
});

test('says which other file names the model, and changes it there', async ({ page, served }) => {
  await writeFile(served.agent('writer/settings.json'), '{"defaultModel":"gpt-5.4"}');
  await page.goto(served.pageAt('/agents/writer/checks'));
  const { chip, search, options } = partsOf(page, 'writer');
  await expect(chip).toHaveText('Modelgpt-5.4from settings.json');
  await chip.click();
  await expect(options.filter({ hasText: 'gpt-5.4' })).toHaveAttribute('aria-selected', 'true');
  await search.fill('opus');
  await options.filter({ hasText: 'claude-opus-5' }).click();
  await expect(chip).toHaveText('Modelanthropic/claude-opus-5from settings.json');
  expect(JSON.parse(await readFile(served.agent('writer/settings.json'), 'utf8'))).toEqual({
    defaultModel: 'claude-opus-5',
    defaultProvider: 'anthropic',
  });
  expect(await piArgs(served, 'writer')).toBe('# nothing\n');
});

test('where a call can’t have a cost without a model, the sentence leads to the choice', async ({
  page,
  served,
}) => {
  await page.goto(served.pageAt('/agents/writer/checks'));
  const { chip, popup, search } = partsOf(page, 'writer');
  const cost = page.getByRole('list', { name: 'About writer' }).getByRole('button', { name: /token/ });
  await pressOn(page, cost, 'by keys');
  const explained = page.getByRole('dialog', { name: 'One call with this prompt' });
  await expect(explained).toContainText('dot-mi can’t calculate what a call costs');
  await pressOn(page, explained.getByRole('button', { name: 'Choose a model' }), 'by keys');
  await expect(popup).toBeVisible();
  await expect(search).toBeFocused();
  await page.keyboard.type('opus');
  await page.keyboard.press('Enter');
  await expect(chip).toHaveText('Modelanthropic/claude-opus-5');
  await expect(cost).toContainText('sat per call');
});

test('several agents get a model at once, and one Undo gives each its own back', async ({ page, served }) => {
  await page.goto(served.pageUrl);
  const before = await Promise.all(['writer', 'zebra'].map((id) => piArgs(served, id)));
  const list = page.getByRole('listbox', { name: 'Agents' });
  await list.focus();
  await page.keyboard.press('End');
  await page.keyboard.press('Shift+ArrowUp');
  const bar = page.getByRole('region', { name: 'Actions on the selected agents' });
  await expect(bar).toContainText('2 selected');
  await pressOn(page, bar.getByRole('button', { name: 'Set model…' }), 'by keys');
  await expect(partsOf(page, '').search).toBeFocused();
  await expect(page.getByRole('dialog', { name: 'Choose a model' })).toContainText(
    'Price of 1,000 input tokens',
  );
  await page.keyboard.type('gpt-5.4');
  // 2.50 USD a million at 64,000 USD a BTC.
  await expect(page.getByRole('option', { name: 'gpt-5.4' })).toContainText('3.906 sat');
  await page.keyboard.press('Enter');
  await expect(page.getByText('2 agents use openai/gpt-5.4')).toBeVisible();
  // The selection stays for the next action.
  await expect(bar).toContainText('2 selected');
  expect(await piArgs(served, 'writer')).toBe('# nothing\n--model\nopenai/gpt-5.4\n');
  expect(await piArgs(served, 'zebra')).toBe('--model\nopenai/gpt-5.4');
  expect(await piArgs(served, 'scout')).toBe(PI_ARGS);
  await expect(bar.getByRole('button', { name: 'Set model…' })).toBeFocused();
  await page.keyboard.press('Control+z');
  await expect(page.getByText('Undone: 2 agents use openai/gpt-5.4')).toBeVisible();
  expect(await Promise.all(['writer', 'zebra'].map((id) => piArgs(served, id)))).toEqual(before);
});

test('a new agent starts with the model that was chosen, by keyboard alone', async ({ page, served }) => {
  await page.goto(served.pageUrl);
  await pressOn(page, page.getByRole('button', { name: 'New agent' }), 'by keys');
  const dialog = page.getByRole('dialog', { name: 'New agent' });
  await expect(dialog.getByLabel('Agent id')).toBeFocused();
  await page.keyboard.type('poet');
  const { search, options } = partsOf(page, 'poet');
  const field = dialog.getByRole('button', { name: /^Model/ });
  await pressOn(page, field, 'by keys');
  await expect(search).toBeFocused();
  await page.keyboard.type('opus');
  await expect(options.first()).toHaveText(/claude-opus/);
  await page.keyboard.press('Enter');
  await expect(field).toHaveText(/^anthropic\/claude-opus-5.* per 1,000 input tokens$/);
  await expect(field).toBeFocused();
  await expect(dialog.getByLabel('Agent id')).toHaveValue('poet');
  await pressOn(page, dialog.getByRole('button', { name: 'Clear model' }), 'by keys');
  await expect(field).toHaveText('pi’s default');
  await expect(field).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(search).toBeFocused();
  await page.keyboard.type('gpt');
  await expect(options.first()).toHaveText(/gpt/);
  await page.keyboard.press('Enter');
  await pressOn(page, dialog.getByRole('button', { name: 'Create agent' }), 'by keys');
  await expect(partsOf(page, 'poet').chip).toHaveText('Modelopenai/gpt-5.4');
  expect(await piArgs(served, 'poet')).toBe('--model\nopenai/gpt-5.4\n');
  // One Undo takes back the model and the agent, and one Redo brings both back.
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByText('Undone: Created poet')).toBeVisible();
  await expect(piArgs(served, 'poet')).rejects.toThrow('ENOENT');
  await page.getByRole('button', { name: 'Redo' }).click();
  await expect(page.getByText('Redone: Created poet')).toBeVisible();
  expect(await piArgs(served, 'poet')).toBe('--model\nopenai/gpt-5.4\n');
});

test('unsaved text of pi-args gets the model too, so that saving it brings nothing back', async ({
  page,
  served,
}) => {
  await page.goto(served.pageAt('/agents/zebra/files/pi-args'));
  const editor = page.getByRole('textbox', { name: /pi-args/ });
  await editor.click();
  await page.keyboard.press('Control+Home');
  await page.keyboard.type('# mine\n');
  const { chip, options, search } = partsOf(page, 'zebra');
  await chip.click();
  await search.fill('gpt-5.4');
  await options.first().click();
  await expect(chip).toHaveText('Modelopenai/gpt-5.4');
  expect(await piArgs(served, 'zebra')).toBe('--model\nopenai/gpt-5.4');
  await expect(editor).toHaveText('# mine--modelopenai/gpt-5.4');
  await expect(page.getByRole('button', { name: 'Compare' })).toHaveCount(0);
  await chip.focus();
  await page.keyboard.press('Control+z');
  await expect(editor).toHaveText('# mine--modelclaude-opus-5');
  await editor.focus();
  await page.keyboard.press('Control+s');
  await expect.poll(() => piArgs(served, 'zebra')).toBe('# mine\n--model\nclaude-opus-5');
});

test('pi-args completes flags and models while it is edited', async ({ page, served }) => {
  await page.goto(served.pageAt('/agents/writer/files/pi-args'));
  await page.getByRole('textbox', { name: /pi-args/ }).click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('--model');
  const offers = page.getByRole('listbox', { name: 'Suggestions' });
  await expect(offers.getByRole('option').first()).toHaveText('--model');
  await page.keyboard.press('Enter');
  // The value comes on the next line, and is offered at once.
  await expect(offers.getByRole('option').filter({ hasText: 'claude-opus-5' })).toBeVisible();
  await page.keyboard.type('opus');
  await expect(offers.getByRole('option')).toHaveText(['anthropic/claude-opus-5']);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Control+s');
  await expect.poll(() => piArgs(served, 'writer')).toBe('# nothing\n--model\nanthropic/claude-opus-5');
});
