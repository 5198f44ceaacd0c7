import { readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { installPi, PATH_WITHOUT_PI } from '../support/pi-program.ts';
import { plant } from '../support/plant.ts';
import { violationsInBothThemes } from './axe.ts';
import { expect, test } from './fixtures.ts';
import { pressOn } from './keyboard.ts';

test.use({ signedIn: true });

const SESSION = readFileSync(
  new URL('../fixtures/pi-prompts/session-1.5.2.jsonl', import.meta.url),
  'utf8',
).replaceAll('{world}', '/world');

test.describe('the prompt of an agent', () => {
  test.use({
    tree: {
      'agents/scout/pi-args': '--model\ngpt-5.4\n',
      'agents/scout/AGENTS.md': 'Context of the agent.\n',
      'agents/scout/skills/git-summary': { link: '../../../shared/skills/git-summary' },
    },
  });

  test('shows the sections with their sources and tokens, follows the disk, compares with the last one sent, and explains the cost', async ({
    page,
    served,
    context,
  }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(served.pageAt('/agents/scout/prompt'));
    const main = page.getByRole('main');
    await expect(main.getByRole('button', { name: 'Prompt', exact: true })).toHaveAttribute(
      'aria-expanded',
      'true',
    );
    await expect(main.getByText('You are a scout.')).toBeVisible();
    await expect(main.getByRole('img', { name: /^Tokens by section: Prompt \d+%/ })).toBeVisible();

    // Sections unfold by keyboard, to their files and their text.
    await pressOn(page, main.getByRole('button', { name: 'Context files' }), 'by keys');
    await expect(main.getByText('<project_instructions')).toBeVisible();
    await expect(
      main.getByRole('listitem').filter({ hasText: 'agents/scout/AGENTS.md' }).last(),
    ).toBeVisible();
    await main.getByRole('button', { name: 'Copy prompt' }).click();
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toMatch(/^You are a scout\.\n[\s\S]*<\/cwd>$/);

    // Changes on disk appear automatically, in the prompt and in the header.
    const chip = page.getByRole('list', { name: 'About scout' }).getByRole('button', { name: /token/ });
    const before = await chip.textContent();
    await writeFile(served.agent('scout/SYSTEM.md'), 'You are a scout who looks twice.\n');
    await expect(main.getByText('You are a scout who looks twice.')).toBeVisible();
    await expect(chip).not.toHaveText(before ?? '');

    await main.getByRole('button', { name: 'Last sent' }).click();
    await expect(main.getByText('No session has recorded a prompt yet')).toBeVisible();
    await mkdir(served.agent('scout/sessions/--world--'), { recursive: true });
    await writeFile(served.agent('scout/sessions/--world--/one.jsonl'), SESSION);
    // No event reports a session, so the page asks again.
    await page.reload();
    await main.getByRole('button', { name: 'Last sent' }).click();
    await expect(main.getByText('sessions/--world--/one.jsonl')).toBeVisible();
    await expect(main.getByRole('button', { name: 'AGENT.md' })).toBeVisible();
    await main.getByRole('button', { name: 'Difference' }).click();
    const difference = main.getByRole('region', { name: 'Changes since the last sent prompt' });
    await expect(difference).toContainText('Removed: You are a scout.');
    await expect(difference).toContainText('Added: You are a scout who looks twice.');

    await pressOn(page, chip, 'by keys');
    const explained = page.getByRole('dialog', { name: 'One call with this prompt' });
    await expect(explained).toContainText('gpt-5.4, from pi-args');
    await expect(explained).toContainText('There is no BTC price yet');
    await page.keyboard.press('Escape');
    await main.getByRole('button', { name: 'Predicted' }).click();
    await main.getByRole('link', { name: 'Open SYSTEM.md' }).click();
    await expect(page).toHaveURL(`${served.url}/agents/scout/files/SYSTEM.md`);
  });

  test('shows the MCP servers in the prompt, and says what only a running one knows', async ({
    page,
    served,
  }) => {
    await page.goto(served.pageAt('/agents/scout/prompt'));
    const main = page.getByRole('main');
    await expect(main.getByText('You are a scout.')).toBeVisible();
    await writeFile(
      served.agent('scout/mcp.json'),
      '{"mcpServers":{"docs":{"command":"x","description":"Searches the docs."},"notes":{"command":"x"}}}',
    );
    const section = main
      .getByRole('listitem')
      .filter({ has: page.getByRole('button', { name: 'MCP servers' }) });
    await expect(section.getByText('mcp.json')).toBeVisible();
    await section.getByRole('button', { name: 'MCP servers' }).click();
    await expect(section.getByText('- mcp__docs (codemode): Searches the docs.')).toBeVisible();
    await expect(main.getByRole('list', { name: 'About this prompt' })).toContainText('"notes"');
    await expect(main.getByText('Tools: read, bash, edit, write, codemode')).toBeVisible();
  });
});

test.describe('pi', () => {
  const programs = join(tmpdir(), `dot-mi-pi-${process.pid}`);
  test.use({ environment: { PATH: `${programs}/bin${delimiter}${PATH_WITHOUT_PI}` } });
  test.afterEach(() => rm(programs, { recursive: true, force: true }));

  test('is missing next to the run button until it is installed, and its version is detected', async ({
    page,
    served,
    context,
  }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(served.pageAt('/agents/scout/prompt'));
    await expect(page.getByText('For pi 1.6', { exact: true })).toBeVisible();
    await pressOn(page, page.getByRole('button', { name: 'pi isn’t installed' }), 'by keys');
    await pressOn(page, page.getByRole('button', { name: 'Copy install command' }), 'by keys');
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toBe('npm install -g --ignore-scripts @earendil-works/pi-coding-agent');

    await installPi(programs, '0.87.1');
    await page.reload();
    await expect(page.getByText('For your pi 0.87.1', { exact: true })).toBeVisible();
    await expect(page.getByRole('button', { name: 'pi isn’t installed' })).toBeHidden();
  });

  test('is old, as npm installs it for an old Node, and the page says what to type', async ({
    page,
    served,
    context,
  }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await installPi(programs, '0.74.0');
    await page.goto(served.pageAt('/agents/scout/prompt'));
    await page.getByRole('button', { name: 'pi 0.74.0 is old' }).click();
    await expect(page.getByText('With Node before 22.19, npm installs pi 0.74.')).toBeVisible();
    await page.getByRole('button', { name: 'Copy install command' }).click();
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toBe('npm install -g --ignore-scripts @earendil-works/pi-coding-agent');
  });

  test('says whether the agent is ready to run, and what to do if it isn’t', async ({ page, served }) => {
    const report = (text: string) => plant(programs, { result: text });
    await report('{"exitCode":1,"stdout":"{\\"status\\":\\"not_ready\\"}"}');
    await installPi(
      programs,
      '1.5.2',
      `#!/usr/bin/env node
const { exitCode, stdout } = JSON.parse(require('node:fs').readFileSync(${JSON.stringify(join(programs, 'result'))}, 'utf8'));
process.stdout.write(stdout);
process.exitCode = exitCode;
`,
    );
    await plant(served.root, { 'agents/scout/pi-args': '--model\nopenai/gpt-5.4\n' });
    await page.goto(served.pageAt('/agents/scout/prompt'));
    const popover = page.getByRole('dialog');
    await pressOn(page, page.getByRole('button', { name: 'Not signed in to openai' }), 'by keys');
    await expect(popover).toContainText('/login openai');
    await expect(popover).toContainText("export OPENAI_API_KEY='your-key'");
    expect(await violationsInBothThemes(page, '[role="dialog"]')).toEqual([]);
    await page.keyboard.press('Escape');
    await expect(page.getByRole('button', { name: 'Not signed in to openai' })).toBeFocused();

    // As /login does in a terminal.
    await report('{"exitCode":0,"stdout":"{\\"status\\":\\"ready\\",\\"authType\\":\\"oauth\\"}"}');
    await plant(served.root, { 'agents/scout/auth.json': '{}' });
    await expect(page.getByRole('button', { name: 'Ready to run' })).toBeVisible();
    // The overview says so of each agent, also in a window as wide as a small laptop.
    const cellOf = (id: string) =>
      page
        .getByRole('row', { name: new RegExp(`^${id}`) })
        .getByRole('cell')
        .nth(1);
    await page.getByRole('link', { name: 'Overview' }).click();
    await expect(page.getByRole('columnheader', { name: 'Readiness' })).toBeVisible();
    await expect(cellOf('scout')).toHaveText('Ready');

    await page.goto(served.pageAt('/agents/scout/prompt'));
    await plant(served.root, { 'agents/scout/skills/gone': { link: '../../../shared/skills/gone' } });
    await pressOn(page, page.getByRole('button', { name: '1 problem' }), 'by keys');
    await popover.getByRole('link', { name: 'Open Checks' }).press('Enter');
    await expect(page).toHaveURL(/\/agents\/scout\/checks/);
    await page.getByRole('link', { name: 'Overview' }).click();
    await expect(cellOf('scout')).toHaveText('1 problem');
    await expect(cellOf('scout')).toBeVisible();
  });
});
