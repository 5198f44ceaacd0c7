import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listenProvider } from '../support/model-provider.ts';
import { installPi } from '../support/pi-program.ts';
import { violationsInBothThemes } from './axe.ts';
import { editor } from './editor.ts';
import { test as base, expect } from './fixtures.ts';

/** A pi that is signed in to LM Studio's provider alone, as with a key in models.json. */
const PI = `#!/bin/sh
case "$*" in
  *'auth check --provider lmstudio '*) echo '{"status":"ready","authType":"api_key"}' ;;
  *'auth check'*) echo '{"status":"not_ready"}'; exit 1 ;;
esac
`;

const test = base.extend<{ provider: Awaited<ReturnType<typeof listenProvider>> }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads which fixtures it needs
  environment: async ({}, use) => {
    const directory = await mkdtemp(join(tmpdir(), 'dot-mi-pi-'));
    await use({ DOT_MI_ROOT: '', PATH: await installPi(directory, '1.5.2', PI) });
    await rm(directory, { recursive: true });
  },
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads which fixtures it needs
  provider: async ({}, use) => {
    const provider = await listenProvider();
    await use(provider);
    provider.close();
  },
});

test('by mouse, somebody with LM Studio goes from the first start to an agent that answers', async ({
  page,
  served,
  provider,
}, testInfo) => {
  await page.goto(served.pageUrl);
  await page.getByRole('button', { name: 'Start with three sample agents' }).click();
  const steps = page.getByRole('region', { name: 'First steps with scout' });
  await steps.getByRole('link', { name: 'Choose its model', exact: true }).click();

  // Without any key, the page says how to sign in, and what else works.
  await expect(page.getByText('or sign in to use anthropic/claude-sonnet-4-6')).toBeVisible();
  await expect(page.getByText('/login anthropic', { exact: true })).toBeVisible();
  await expect(page.getByText("export ANTHROPIC_API_KEY='your-key'")).toBeVisible();
  await testInfo.attach('not-ready', { body: await page.screenshot() });
  await page.getByRole('button', { name: 'Add provider' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a provider' });
  await dialog.getByRole('button', { name: 'LM Studio' }).click();
  await expect(dialog.getByRole('textbox', { name: 'URL' })).toHaveValue('http://127.0.0.1:1234/v1');
  await expect(dialog.getByLabel('API', { exact: true })).toHaveValue('openai-completions');
  // The test's LM Studio has another port.
  await dialog.getByRole('textbox', { name: 'URL' }).fill(provider.url);
  await dialog.getByRole('button', { name: 'Fetch models' }).click();
  await expect(dialog.getByRole('status').first()).toHaveText('Found 2 models. 2 others can’t be used.');
  await expect(dialog.getByRole('group', { name: 'Models to add' })).toContainText('8,192 tokens of context');
  await dialog.getByRole('checkbox', { name: 'qwen3-8b' }).click();
  await expect(dialog.getByLabel('Model of scout')).toHaveValue('qwen3-8b');
  await expect(dialog).toContainText('qwen3-8b runs on this computer, so a test costs nothing.');
  expect(provider.calls.filter(({ path }) => path.endsWith('/completions'))).toEqual([]);
  await dialog.getByRole('button', { name: 'Test qwen3-8b' }).click();
  await expect(dialog.getByText('“Hello! You said: Say hello in one short sentence.”')).toBeVisible();
  expect(await violationsInBothThemes(page)).toEqual([]);
  await testInfo.attach('tested', { body: await page.screenshot() });
  await dialog.getByRole('button', { name: 'Add provider' }).click();
  await expect(dialog).toHaveCount(0);

  await expect(page.getByText('scout uses lmstudio/qwen3-8b')).toBeVisible();
  await expect(steps.getByRole('link', { name: 'Choose its model (done)' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Ready to run' })).toBeVisible();
  await expect(page.getByText('or sign in to use')).toHaveCount(0);
  const agent = join(served.directory, 'data/dot-mi-root/agents/scout');
  expect(JSON.parse(await readFile(join(agent, 'models.json'), 'utf8'))).toEqual({
    providers: {
      lmstudio: {
        baseUrl: provider.url,
        api: 'openai-completions',
        apiKey: 'lm-studio',
        models: [
          {
            id: 'qwen3-8b',
            contextWindow: 8_192,
            maxTokens: 2_048,
            cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
          },
        ],
      },
    },
  });
  expect(JSON.parse(await readFile(join(agent, 'settings.json'), 'utf8'))).toMatchObject({
    defaultProvider: 'lmstudio',
    defaultModel: 'qwen3-8b',
  });

  await steps.getByRole('link', { name: 'Edit its prompt' }).click();
  await editor(page).click();
  await page.keyboard.insertText('Answer in one sentence. ');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(steps.getByRole('link', { name: 'Edit its prompt (done)' })).toBeVisible();
});

test('says who answers at the address, and what to do', async ({ page, served, provider }) => {
  await page.goto(served.pageUrl);
  await page.getByRole('button', { name: 'Start with three sample agents' }).click();
  await page.getByRole('link', { name: 'Choose its model', exact: true }).click();
  await page.getByRole('button', { name: 'Add provider' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a provider' });
  await dialog.getByRole('button', { name: 'vLLM' }).click();
  const address = dialog.getByRole('textbox', { name: 'URL' });
  await expect(address).toHaveValue('http://127.0.0.1:8000/v1');
  const fetchFrom = async (url: string) => {
    await address.fill(url);
    await dialog.getByRole('button', { name: 'Fetch models' }).click();
    return expect(dialog.getByRole('alert'));
  };
  await (await fetchFrom(`${served.url}/v1`)).toContainText('dot-mi itself responds at');
  await (await fetchFrom(`${provider.origin}/redirect/v1`)).toContainText('redirects to another address');
  await (await fetchFrom('http://192.168.1.1/v1')).toContainText('only on this computer');
  await (await fetchFrom(`${provider.origin}/locked/v1`)).toContainText('needs an API key (401)');

  await dialog.getByRole('button', { name: 'OpenRouter' }).click();
  await expect(dialog).toContainText('/login openrouter');
  await expect(dialog).toContainText("export OPENROUTER_API_KEY='your-key'");
});
