import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mergeTests, type Page } from '@playwright/test';
import { openCashuCustomer } from '../support/customers/cashu-customer.ts';
import type { TestMint } from '../support/mint/test-mint.ts';
import { expect, type Served } from './fixtures.ts';
import { pricingTest } from './pricing-page.ts';
import { walletTest } from './wallet-page.ts';

const RPC_AGENT = fileURLToPath(new URL('../support/rpc-agent.ts', import.meta.url));

/** The arguments of an agent without tools whose model has a price, and that does what `behavior` says. */
export const soldArgs = (behavior: string, ...more: readonly string[]): string =>
  ['--no-tools', '--model', 'claude-opus-5', '--behave', behavior, ...more, ''].join('\n');

/** A test with a mint, a BTC price, and a `pi` that answers without a model. */
export const sellTest = mergeTests(walletTest, pricingTest).extend<{ programs: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads what a fixture needs from its pattern
  programs: async ({}, use) => {
    const directory = await realpath(await mkdtemp(join(tmpdir(), 'dot-mi-programs-')));
    await mkdir(join(directory, 'bin'));
    const pi = join(directory, 'bin/pi');
    await writeFile(
      pi,
      `#!/bin/sh\nPI_TEST_IDS='${directory}/ids' exec '${process.execPath}' '${RPC_AGENT}' "$@"\n`,
    );
    await chmod(pi, 0o755);
    await use(directory);
    await rm(directory, { recursive: true, force: true });
  },
  environment: async ({ mint, source, programs }, use) =>
    use({
      DEV_MODE: 'false',
      MINT_URL: mint.url,
      BTC_PRICE_SOURCES: source.setting,
      PATH: [join(programs, 'bin'), process.env.PATH].join(delimiter),
    }),
  tree: {
    'agents/translator/SYSTEM.md': 'You translate into German.\n',
    'agents/translator/pi-args': soldArgs('echo'),
    'agents/failing/SYSTEM.md': 'You fail.\n',
    'agents/failing/pi-args': soldArgs('fail'),
    'agents/writer/SYSTEM.md': 'You write.\n',
    'agents/writer/pi-args': '--model\nclaude-opus-5\n--behave\necho\n',
  },
});

/** Opens the Sell tab of an agent as the operator. */
export const openSell = async (page: Page, served: Served, agent: string) => {
  await page.goto(served.pageAt(`/agents/${agent}/sell`));
  await expect(page.getByRole('heading', { name: 'Price' })).toBeVisible();
};

/** The parts of the Sell tab. */
export const sellPage = (page: Page) => ({
  preview: page.getByRole('region', { name: 'Customer preview' }),
  sell: page.getByRole('main').getByRole('button', { name: 'Sell', exact: true }),
  apply: page.getByRole('button', { name: 'Apply and restart' }),
  stop: page.getByRole('button', { name: 'Stop selling' }),
  service: page.getByRole('region', { name: 'For sale', exact: true }),
  sales: page.getByRole('list', { name: 'The latest paid requests, newest first' }),
  question: page.getByRole('dialog', { name: /^Let strangers use \S+’s tools/ }),
  margin: page.getByLabel('Margin in percent'),
});

/** The address of a service that runs. */
export const addressOf = async (page: Page): Promise<string> => {
  const address = sellPage(page).service.getByText(/^http:\/\/127\.0\.0\.1:\d+$/);
  return (await address.textContent()) ?? '';
};

/** Buys an answer as a stranger does. */
export const buy = async (url: string, mint: TestMint, prompt = 'Good morning') => {
  const customer = await openCashuCustomer({
    mintUrl: mint.url,
    tokens: [mint.issue(4_096, { withoutDleq: true })],
  });
  return customer.buy(url, { prompt });
};
