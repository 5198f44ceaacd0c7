import { readFile, rm, writeFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { listenProvider, PROVIDER_KEY } from '../support/model-provider.ts';
import { violationsInBothThemes } from './axe.ts';
import { expect, type Served } from './fixtures.ts';
import { pressOn, tabTo } from './keyboard.ts';
import { pricingTest as test } from './pricing-page.ts';

const SECRET = 'Zq4T8vW1nB6x';

/** Written by hand, with comments and keys that nobody knows. */
const MODELS = `{
    // At home
    "providers": {
        "local": {
            "baseUrl": "http://127.0.0.1:8080/v1", "api": "openai-completions", "apiKey": "${SECRET}",
            "future": [1,2],
            "models": [
                { "id": "qwen3", "contextWindow": 32000, "cost": {"input": 0.5,"output": 2,"cacheRead": 0,"cacheWrite": 0} }, // Small
                { "id": "free" }
            ]
        },
        "other": { "api": "openai-completions", "apiKey": "$KEY", "models": [ { "id": "m" } ] },
    }
}
`;

test.use({
  tree: {
    'agents/scout/models.json': MODELS,
    'agents/scout/pi-args': '# scout\n--model\ngpt-5.4\n',
    'agents/writer/SYSTEM.md': 'You write.\n',
  },
});

const partsOf = (page: Page) => {
  const list = page.getByRole('list', { name: 'Providers of scout' });
  const dialog = page.getByRole('dialog', { name: /^(Add a (provider|model)|Edit |Change a model)/ });
  return {
    provider: (id: string) =>
      list
        .getByRole('listitem')
        .filter({ has: page.getByRole('list', { name: `Models of ${id}`, exact: true }) }),
    model: (provider: string, id: string) =>
      page
        .getByRole('list', { name: `Models of ${provider}`, exact: true })
        .getByRole('listitem')
        .filter({ hasText: id }),
    button: (name: string) => page.getByRole('button', { name, exact: true }),
    dialog,
    field: (name: string) => dialog.getByRole('textbox', { name, exact: true }),
  };
};

const onDisk = (served: Served) => readFile(served.agent('scout/models.json'), 'utf8');

test('models are added, changed, used and removed by keyboard alone, and one key undoes each', async ({
  page,
  served,
}) => {
  await page.goto(served.pageAt('/agents/scout/settings'));
  await pressOn(page, page.getByRole('link', { name: 'Providers and models' }), 'by keys');
  const { provider, model, button, dialog, field } = partsOf(page);
  await expect(model('local', 'qwen3')).toContainText('32,000 tokens of context');
  await expect(model('local', 'qwen3')).toContainText('$0.50 in, $2.00 out');
  await expect(model('local', 'qwen3')).toContainText('781.3 sat in, 3,125 sat out');
  await expect(model('local', 'free')).toContainText('no price');
  await expect(provider('local')).toContainText('http://127.0.0.1:8080/v1 · openai-completions · hidden key');
  await expect(provider('local')).toContainText('Also sets future');
  await expect(model('other', 'm')).toContainText('It needs a "baseUrl", here or in the provider.');
  await expect(button('Use this model: m')).toHaveCount(0);
  await expect(page.locator('body')).not.toContainText(SECRET);
  expect(await violationsInBothThemes(page, 'main')).toEqual([]);

  await pressOn(page, button('Add model to local'), 'by keys');
  await expect(field('Id')).toBeFocused();
  await page.keyboard.type('free');
  await expect(dialog).toContainText('There is already a model with this id.');
  await page.keyboard.type('-2');
  await tabTo(page, field('Input, USD per million'));
  await page.keyboard.type('cheap');
  await expect(dialog).toContainText('Enter a price, such as 2.5.');
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('0.25');
  expect(await violationsInBothThemes(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await expect(dialog).toHaveCount(0);
  await expect(button('Add model to local')).toBeFocused();
  await expect(model('local', 'free-2')).toContainText('$0.25 in, $0.00 out');
  const added = await onDisk(served);
  expect(added).toContain('{ "id": "free" },\n');
  expect(added).toContain('"id": "free-2"');
  expect(added).toContain('}, // Small\n');
  await page.keyboard.press('ControlOrMeta+z');
  await expect.poll(() => onDisk(served)).toBe(MODELS);

  await pressOn(page, button('Edit local'), 'by keys', 'Shift+Tab');
  await tabTo(page, field('API key'));
  await expect(dialog).toContainText('Hidden. Type to replace it');
  await page.keyboard.type('$HOME_KEY');
  await page.keyboard.press('Enter');
  await expect(provider('local')).toContainText('key $HOME_KEY');
  await expect.poll(() => onDisk(served)).toBe(MODELS.replace(SECRET, '$HOME_KEY'));
  await page.keyboard.press('ControlOrMeta+z');
  await expect.poll(() => onDisk(served)).toBe(MODELS);

  await pressOn(page, button('Use this model: qwen3'), 'by keys');
  await expect(page.getByText('scout uses local/qwen3')).toBeVisible();
  expect(await readFile(served.agent('scout/pi-args'), 'utf8')).toBe('# scout\n--model\nlocal/qwen3\n');

  await expect(model('local', 'qwen3')).toContainText('In use');
  await expect(button('Use this model: qwen3')).toHaveCount(0);

  await page.keyboard.press('ControlOrMeta+z');
  await expect(button('Use this model: qwen3')).toBeVisible();
  await expect
    .poll(() => readFile(served.agent('scout/pi-args'), 'utf8'))
    .toBe('# scout\n--model\ngpt-5.4\n');

  await pressOn(page, button('Remove qwen3'), 'by keys');
  await expect(model('local', 'qwen3')).toHaveCount(0);
  await expect(button('Remove free')).toBeFocused();
  await page.keyboard.press('ControlOrMeta+z');
  await expect.poll(() => onDisk(served)).toBe(MODELS);
});

test('an edit of another program is shown, and never lost without a question', async ({ page, served }) => {
  await page.goto(served.pageAt('/agents/scout/models'));
  const { button, dialog, field } = partsOf(page);
  await button('Edit qwen3').click();
  await field('Context window, in model tokens').fill('64,000');
  const other = MODELS.replace('"free"', '"cheap"');
  await writeFile(served.agent('scout/models.json'), other);
  await expect(page.getByText('cheap', { exact: true })).toBeVisible();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.getByRole('alert')).toContainText('Another program changed models.json.');
  expect(await onDisk(served)).toBe(other);
  await dialog.getByRole('button', { name: 'Save anyway' }).click();
  await expect.poll(() => onDisk(served)).toBe(other.replace('32000', '64000'));

  await writeFile(served.agent('scout/models.json'), '{');
  await expect(page.getByRole('group', { name: 'models.json is not valid JSON' })).toBeVisible();
  await expect(button('Add provider')).toHaveCount(0);
  await expect(button('Copy path of models.json')).toBeVisible();
  await rm(served.agent('scout/models.json'));
  await expect(page.getByRole('heading', { name: 'This agent has no models of its own' })).toBeVisible();
});

test('the first provider of an agent makes the file, and what pi refuses is said in the dialog', async ({
  page,
  served,
}) => {
  await page.goto(served.pageAt('/agents/writer/models'));
  const { button, dialog, field } = partsOf(page);
  await button('Add provider').click();
  await button('Other').click();
  await field('Id').fill('home');
  await dialog.getByRole('button', { name: 'Add provider' }).click();
  await expect(dialog.getByRole('alert')).toContainText('pi would refuse provider "home"');
  await field('URL').fill('http://127.0.0.1:1/v1');
  await dialog.getByText('Name and headers').click();
  await button('Add header').click();
  await field('Name of header 1').fill('X-Key');
  await field('Value of X-Key').fill('$HOME_KEY');
  await dialog.getByRole('button', { name: 'Add provider' }).click();
  await expect(dialog).toHaveCount(0);
  expect(JSON.parse(await readFile(served.agent('writer/models.json'), 'utf8'))).toEqual({
    providers: {
      home: {
        baseUrl: 'http://127.0.0.1:1/v1',
        api: 'openai-completions',
        headers: { 'X-Key': '$HOME_KEY' },
      },
    },
  });
  await page.keyboard.press('ControlOrMeta+z');
  await expect(page.getByRole('heading', { name: 'This agent has no models of its own' })).toBeVisible();
  await expect(readFile(served.agent('writer/models.json'))).rejects.toThrow('ENOENT');
});

test('the JSON of the file is one press away, without its secrets, and follows another program', async ({
  page,
  served,
}) => {
  await page.goto(served.pageAt('/agents/scout/models'));
  await pressOn(page, page.getByRole('button', { name: 'Show JSON of models.json' }), 'by keys');
  const dialog = page.getByRole('dialog', { name: 'models.json' });
  const text = dialog.getByRole('region', { name: 'Text of models.json' });
  await expect(text).toHaveText(MODELS.replace(SECRET, '•••').replace(/\/\/ .*/g, '// •••'), {
    useInnerText: true,
  });
  await expect(dialog).toContainText('dot-mi shows ••• for API keys');
  expect(await violationsInBothThemes(page)).toEqual([]);
  await tabTo(page, text);
  await writeFile(served.agent('scout/models.json'), '{ "providers": {} }');
  await expect(text).toHaveText('{ "providers": {} }');
  await expect(dialog).not.toContainText('•••');
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Show JSON of models.json' })).toBeFocused();
});

test('a provider’s models are fetched, added and tested, and its hidden key goes only there', async ({
  page,
  served,
}) => {
  const provider = await listenProvider();
  try {
    const before = {
      providers: {
        lab: {
          baseUrl: `${provider.origin}/locked/v1`,
          api: 'openai-completions',
          apiKey: PROVIDER_KEY,
          models: [{ id: 'qwen3-8b' }],
        },
      },
    };
    await writeFile(served.agent('writer/models.json'), JSON.stringify(before));
    await page.goto(served.pageAt('/agents/writer/models'));
    const { button } = partsOf(page);
    await button('Test qwen3-8b').click();
    const test = page.getByRole('dialog', { name: 'Test qwen3-8b' });
    await expect(test).toContainText('qwen3-8b runs on this computer, so a test costs nothing.');
    await test.getByRole('button', { name: 'Test qwen3-8b' }).click();
    await expect(test.getByRole('status')).toContainText(
      '“Hello! You said: Say hello in one short sentence.”',
    );
    await test.getByRole('button', { name: 'Close' }).click();

    await button('Fetch models of lab').click();
    const dialog = page.getByRole('dialog', { name: 'Fetch models of lab' });
    await expect(dialog.getByRole('checkbox', { name: 'qwen3-8b' })).toBeDisabled();
    await dialog.getByRole('checkbox', { name: 'gemma-3-4b' }).click();
    await dialog.getByLabel('Model of writer').selectOption('Keep the current model');
    expect(await violationsInBothThemes(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Add models' }).click();
    await expect(dialog).toHaveCount(0);
    const { lab } = JSON.parse(await readFile(served.agent('writer/models.json'), 'utf8')).providers;
    expect(lab.models.map(({ id }: { id: string }) => id)).toEqual(['qwen3-8b', 'gemma-3-4b']);
    expect(lab.apiKey).toBe(PROVIDER_KEY);
    await expect(page.locator('body')).not.toContainText(PROVIDER_KEY);
  } finally {
    provider.close();
  }
});
