import { readFile } from 'node:fs/promises';
import { violationsInBothThemes } from './axe.ts';
import { expect, type Served, test } from './fixtures.ts';
import { pressOn, tabTo } from './keyboard.ts';

const SECRET = 'Zq4T8vW1nB6x';

const mcp = (mcpServers: object) => `${JSON.stringify({ mcpServers }, null, 2)}\n`;
const GITHUB = { command: 'npx', args: ['-y', 'github-mcp'], env: { GITHUB_TOKEN: '$GITHUB_TOKEN' } };
const DOCS = { url: 'https://docs.example/mcp' };

const TREE = {
  'agents/a/mcp.json': mcp({ docs: DOCS, github: GITHUB, held: { command: 'x', env: { API_KEY: SECRET } } }),
  'agents/b/mcp.json': mcp({ github: { ...GITHUB, enabled: false } }),
  'agents/c/SYSTEM.md': 'You are c.\n',
  'agents/d/mcp.json': mcp({
    github: { command: 'github-mcp' },
    old: { type: 'sse', url: 'https://o.example' },
  }),
};

test.use({ tree: TREE });

const onDisk = (served: Served, id: string) => readFile(served.agent(`${id}/mcp.json`), 'utf8');
const serversOf = async (served: Served, id: string) => JSON.parse(await onDisk(served, id)).mcpServers;

test('the matrix of MCP servers copies, switches and removes by keyboard alone, and one key undoes each', async ({
  page,
  served,
}) => {
  await page.goto(served.pageAt('/agents/c/mcp'));
  await expect(page.getByText('No MCP servers yet')).toBeVisible();
  await page.keyboard.press('ControlOrMeta+k');
  await page.keyboard.type('matrix of agents and MCP');
  await expect(page.getByRole('option', { name: 'Go to matrix of agents and MCP servers' })).toBeVisible();
  await page.keyboard.press('Enter');
  const grid = page.getByRole('grid', { name: 'Agents and MCP servers' });
  const cell = (name: string, agent: string, state: string) =>
    page.getByRole('gridcell', { name: `${name} for ${agent}: ${state}`, exact: true });
  await expect(cell('github', 'a', 'on')).toBeVisible();
  await expect(cell('github', 'b', 'off')).toBeVisible();
  await expect(cell('github', 'd', 'on, but defined differently than in most agents')).toBeVisible();
  await expect(cell('old', 'd', 'pi skips it')).toBeVisible();
  expect(await violationsInBothThemes(page)).toEqual([]);
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const active = async () => page.locator(`[id="${await grid.getAttribute('aria-activedescendant')}"]`);

  // The one definition of docs goes to c, which had no mcp.json.
  await grid.focus();
  await press('ArrowDown', 'ArrowDown');
  await expect(await active()).toHaveAccessibleName('docs for c: not in this agent');
  await press('Space');
  await expect(cell('docs', 'c', 'on')).toBeVisible();
  expect(await serversOf(served, 'c')).toEqual({ docs: DOCS });
  await press('Space');
  await expect(cell('docs', 'c', 'off')).toBeVisible();
  expect(await serversOf(served, 'c')).toEqual({ docs: { ...DOCS, enabled: false } });
  await press('ControlOrMeta+z');
  await expect(cell('docs', 'c', 'on')).toBeVisible();
  await press('ControlOrMeta+z');
  await expect(cell('docs', 'c', 'not in this agent')).toBeVisible();
  await expect(onDisk(served, 'c')).rejects.toThrow('ENOENT');

  // There are two definitions of github, so the page asks.
  await press('ArrowRight', 'Space');
  const dialog = page.getByRole('dialog', { name: 'Which definition does c get?' });
  const choice = dialog.getByRole('combobox', { name: 'github' });
  await expect(choice.getByRole('option')).toHaveText(['npx -y github-mcp (a and 1 more)', 'github-mcp (d)']);
  await tabTo(page, choice);
  await choice.selectOption('github-mcp (d)');
  expect(await violationsInBothThemes(page)).toEqual([]);
  await pressOn(page, dialog.getByRole('button', { name: 'Add' }), 'by keys');
  await expect(dialog).toHaveCount(0);
  await expect
    .poll(() => serversOf(served, 'c').catch(() => null))
    .toEqual({
      github: { command: 'github-mcp' },
    });
  await expect(grid).toBeFocused();

  // A secret stays where it is.
  await press('ArrowRight', 'Space');
  const told = page.getByRole('region', { name: 'Notifications' });
  await expect(told).toContainText('held can’t be copied');
  await expect(told).toContainText('Replace a secret with $NAME');
  expect(await page.content()).not.toContain(SECRET);

  // A whole column.
  await press('ArrowLeft', 'Control+Space');
  await pressOn(page, page.getByRole('button', { name: 'Switch off' }), 'by keys');
  for (const id of ['a', 'c', 'd'])
    await expect.poll(async () => (await serversOf(served, id)).github.enabled).toBe(false);
  expect(await onDisk(served, 'b')).toBe(TREE['agents/b/mcp.json']);
  await expect(page.getByText('Switched 3 servers off')).toBeVisible();
  await pressOn(page, page.getByRole('button', { name: 'Remove', exact: true }), 'by keys');
  await expect.poll(async () => Object.keys(await serversOf(served, 'a'))).toEqual(['docs', 'held']);
  await expect(page.getByText('Removed 4 servers')).toBeVisible();
  await press('ControlOrMeta+z');
  await expect.poll(async () => (await serversOf(served, 'a')).github?.enabled).toBe(false);
  await press('ControlOrMeta+z');
  await expect.poll(() => onDisk(served, 'a')).toBe(TREE['agents/a/mcp.json']);
  await expect.poll(() => onDisk(served, 'd')).toBe(TREE['agents/d/mcp.json']);
});

test('an agent says which others have its servers, and its form sets directory, exposure and timeout', async ({
  page,
  served,
}) => {
  await page.goto(served.pageAt('/agents/a/mcp'));
  const row = page.getByRole('listitem').filter({ hasText: 'npx -y github-mcp' });
  await expect(row).toContainText('Also in');
  await expect(row).toContainText('(off in 1, 1 defines it differently)');
  await page.getByRole('button', { name: 'Edit github' }).click();
  const dialog = page.getByRole('dialog', { name: 'Edit github' });
  await dialog.getByRole('textbox', { name: 'Folder' }).fill('work');
  await dialog
    .getByRole('combobox', { name: 'How the model reaches the server’s tools' })
    .selectOption('direct');
  const timeout = dialog.getByRole('textbox', { name: 'Timeout in seconds' });
  await timeout.fill('soon');
  await expect(dialog).toContainText('Enter a number above 0.');
  await timeout.fill('90');
  await timeout.press('Enter');
  await expect(dialog).toHaveCount(0);
  const changed = { ...GITHUB, cwd: 'work', exposure: 'direct', timeout: 90 };
  expect((await serversOf(served, 'a')).github).toEqual(changed);
  await row.getByRole('link', { name: 'd', exact: true }).click();
  await expect(page.getByRole('list', { name: 'MCP servers of d' })).toContainText('github-mcp');
});

test('a preset is saved from columns of the matrix, says what it changes, and undo takes its servers away', async ({
  page,
  served,
}) => {
  await page.goto(served.pageAt('/matrix/mcp'));
  await page.getByRole('columnheader', { name: 'docs' }).click();
  await page.getByRole('columnheader', { name: 'github' }).click();
  await page.getByRole('button', { name: 'Save as preset…' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('web');
  await expect(page.getByText('2 MCP servers', { exact: true })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page.getByText('Saved the preset web')).toBeVisible();
  const saved = JSON.parse(await readFile(`${served.root}/shared/presets/web.json`, 'utf8'));
  expect(saved.mcpServers).toEqual({ docs: DOCS, github: GITHUB });

  await page.getByRole('button', { name: 'Clear selection' }).click();
  for (const id of ['c', 'd']) await page.getByRole('rowheader', { name: id, exact: true }).click();
  await page.getByRole('button', { name: 'Apply preset…' }).click();
  const asked = page.getByRole('dialog', { name: 'Apply a preset to 2 agents' });
  await expect(asked.getByRole('listitem')).toHaveText([
    '+docs (MCP)2 new',
    '+github (MCP)1 new, 1 agent keeps its own',
  ]);
  await expect(asked.getByText('Adds 3 MCP servers.')).toBeVisible();
  expect(await violationsInBothThemes(page)).toEqual([]);
  await asked.getByRole('button', { name: 'Apply', exact: true }).press('Enter');
  await expect.poll(() => serversOf(served, 'c').catch(() => null)).toEqual(saved.mcpServers);
  expect((await serversOf(served, 'd')).github).toEqual({ command: 'github-mcp' });
  await expect(page.getByText('Added 3 MCP servers')).toBeVisible();
  await page.getByRole('button', { name: 'Undo', exact: true }).first().click();
  await expect.poll(() => onDisk(served, 'd')).toBe(TREE['agents/d/mcp.json']);
  await expect(onDisk(served, 'c')).rejects.toThrow('ENOENT');
});
