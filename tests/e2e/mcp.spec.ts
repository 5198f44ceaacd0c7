import { readFile, rm, writeFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { violationsInBothThemes } from './axe.ts';
import { expect, type Served, test } from './fixtures.ts';
import { pressOn, tabTo } from './keyboard.ts';

const SECRET = 'Zq4T8vW1nB6x';

/** Written by hand, with a key that nobody knows. */
const MCP = `{
    "mcpServers": {
        "files": { "command": "npx", "args": ["-y", "files", "--token=${SECRET}"], "future": [1,2] },
        "docs": {
            "url": "https://docs.example/mcp",
            "headers": { "Authorization": "Bearer ${SECRET}" },
            "description": "Search the documentation."
        },
        "sentry": { "url": "https://mcp.sentry.dev/mcp", "enabled": false },
        "old": { "type": "sse", "url": "https://old.example/sse" }
    }
}
`;

test.use({ tree: { 'agents/scout/mcp.json': MCP, 'agents/writer/SYSTEM.md': 'You write.\n' } });

const partsOf = (page: Page) => {
  const list = page.getByRole('list', { name: 'MCP servers of scout' });
  const dialog = page.getByRole('dialog', { name: /^(Add an MCP server|Edit )/ });
  return {
    row: (name: string) => list.getByRole('listitem').filter({ hasText: name }),
    toggle: (name: string) => list.getByRole('switch', { name: `Use ${name}` }),
    button: (name: string) => page.getByRole('button', { name, exact: true }),
    dialog,
    field: (name: string) => dialog.getByRole('textbox', { name, exact: true }),
    tab: page.getByRole('navigation', { name: 'Sections of scout' }).getByRole('link', { name: /^MCP/ }),
  };
};

const onDisk = (served: Served) => readFile(served.agent('scout/mcp.json'), 'utf8');

test('MCP servers are switched, added, changed and removed by keyboard alone, and one key undoes each', async ({
  page,
  served,
}) => {
  // Wide enough for all tabs.
  await page.setViewportSize({ width: 1600, height: 800 });
  await page.goto(served.pageAt('/agents/scout/skills'));
  const { row, toggle, button, dialog, field, tab } = partsOf(page);
  await expect(tab).toHaveText('MCP 4');
  await pressOn(page, tab, 'by keys');
  await expect(row('files')).toContainText('npx -y files •••');
  await expect(row('old')).toContainText('pi doesn’t support SSE.');
  await expect(row('docs')).toContainText(/\d+ tokens/);
  expect(await violationsInBothThemes(page)).toEqual([]);

  await tabTo(page, toggle('files'));
  await page.keyboard.press('Space');
  await expect(toggle('files')).not.toBeChecked();
  await expect(toggle('files')).toBeFocused();
  await expect(page.getByText('Switched files off')).toBeVisible();
  expect(await onDisk(served)).toBe(MCP.replace('[1,2] }', '[1,2], "enabled": false }'));
  await page.keyboard.press('ControlOrMeta+z');
  await expect(toggle('files')).toBeChecked();
  await expect.poll(() => onDisk(served)).toBe(MCP);

  await pressOn(page, button('Add server'), 'by keys', 'Shift+Tab');
  await expect(field('Name')).toBeFocused();
  await page.keyboard.type('docs');
  await expect(dialog).toContainText('This agent has a server with this name.');
  await page.keyboard.type('-2');
  await tabTo(page, field('Command'));
  await page.keyboard.type('uvx');
  for (const [index, argument] of ['docs-mcp', '--fast'].entries()) {
    await pressOn(page, button('Add argument'), 'by keys');
    await expect(field(`Argument ${index + 1}`)).toBeFocused();
    await page.keyboard.type(argument);
  }
  await pressOn(page, button('Add variable'), 'by keys');
  await page.keyboard.type('API_KEY');
  await tabTo(page, field('Value of API_KEY'));
  await page.keyboard.type(SECRET);
  await expect(dialog).toContainText('mcp.json stores this in plain text.');
  await pressOn(page, button(`Use $\{API_KEY}`), 'by keys');
  await expect(field('Value of API_KEY')).toHaveValue(`$\{API_KEY}`);
  expect(await violationsInBothThemes(page)).toEqual([]);
  await tabTo(page, field('Description'), 'Shift+Tab');
  await page.keyboard.press('Enter');
  await expect(dialog).toHaveCount(0);
  await expect(button('Add server')).toBeFocused();
  await expect(row('docs-2')).toContainText('uvx docs-mcp --fast');
  const added = await onDisk(served);
  expect(JSON.parse(added).mcpServers['docs-2']).toEqual({
    command: 'uvx',
    args: ['docs-mcp', '--fast'],
    env: { API_KEY: `$\{API_KEY}` },
  });
  expect(added.startsWith(MCP.slice(0, MCP.indexOf('"old"')))).toBe(true);

  await pressOn(page, button('Edit docs'), 'by keys');
  await tabTo(page, field('Value of Authorization'));
  await expect(field('Value of Authorization')).toHaveAttribute('placeholder', /Hidden/);
  await expect(page.locator('body')).not.toContainText(SECRET);
  await tabTo(page, field('Description'));
  await page.keyboard.press('End');
  await page.keyboard.type(' Fast.');
  await page.keyboard.press('Enter');
  await expect(button('Edit docs')).toBeFocused();
  await expect.poll(() => onDisk(served)).toBe(added.replace('documentation."', 'documentation. Fast."'));

  await pressOn(page, button('Remove sentry'), 'by keys');
  await expect(row('sentry')).toHaveCount(0);
  await expect(button('Remove old')).toBeFocused();
  await expect(page.getByText('Removed sentry')).toBeVisible();
  for (let undo = 0; undo < 3; undo++) await page.keyboard.press('ControlOrMeta+z');
  await expect.poll(() => onDisk(served)).toBe(MCP);
  await expect(toggle('sentry')).not.toBeChecked();
  await expect(row('docs-2')).toHaveCount(0);
});

test('an edit of another program is shown, and never lost without a question', async ({ page, served }) => {
  await page.goto(served.pageAt('/agents/scout/mcp'));
  const { button, dialog, field } = partsOf(page);
  await button('Edit files').click();
  await field('Description').fill('Reads files.');
  const other = MCP.replace('Search the documentation.', 'Search all of it.');
  await writeFile(served.agent('scout/mcp.json'), other);
  await expect(page.getByText('Search all of it.')).toBeVisible();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.getByRole('alert')).toContainText('Another program changed mcp.json.');
  expect(await onDisk(served)).toBe(other);
  await dialog.getByRole('button', { name: 'Save anyway' }).click();
  const both = other.replace('[1,2]', '[1,2], "description": "Reads files."');
  await expect.poll(() => onDisk(served)).toBe(both);

  await writeFile(served.agent('scout/mcp.json'), '{ // note\n}');
  await expect(page.getByRole('group', { name: 'mcp.json is not valid JSON' })).toBeVisible();
  await expect(button('Add server')).toHaveCount(0);
  await rm(served.agent('scout/mcp.json'));
  await expect(page.getByRole('heading', { name: 'No MCP servers yet' })).toBeVisible();
});

test('a hidden value moves to a variable, and the first server of an agent makes the file', async ({
  page,
  served,
}) => {
  await page.goto(served.pageAt('/agents/scout/mcp'));
  const { button, dialog, field } = partsOf(page);
  await button('Edit docs').click();
  await button(`Use Bearer $\{DOCS_TOKEN}`).click();
  await expect(dialog).toContainText('Copy it into the variable first.');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => onDisk(served)).toBe(MCP.replace(`Bearer ${SECRET}`, `Bearer $\{DOCS_TOKEN}`));

  await page.goto(served.pageAt('/agents/writer/mcp'));
  await button('Add server').click();
  await field('Name').fill('docs');
  await dialog.getByRole('button', { name: 'URL' }).click();
  await field('URL').fill('https://docs.example/mcp');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('pi mcp login docs')).toBeVisible();
  await expect(page.getByText('Added docs')).toBeVisible();
  await expect(dialog).toHaveCount(0);
  await expect(button('Add server')).toBeFocused();
  expect(JSON.parse(await readFile(served.agent('writer/mcp.json'), 'utf8'))).toEqual({
    mcpServers: { docs: { url: 'https://docs.example/mcp' } },
  });
  await page.keyboard.press('ControlOrMeta+z');
  await expect(page.getByRole('heading', { name: 'No MCP servers yet' })).toBeVisible();
  await expect(readFile(served.agent('writer/mcp.json'))).rejects.toThrow('ENOENT');
});

test('by mouse, the JSON of a README fills the form, and a command line is split into words', async ({
  page,
  served,
}) => {
  await page.goto(served.pageAt('/agents/writer/mcp'));
  const { button, dialog, field } = partsOf(page);
  const before = () => readFile(served.agent('writer/mcp.json'), 'utf8').then(JSON.parse);
  await button('Add server').click();
  await dialog.getByText('Paste JSON from a README').click();
  const paste = field('Paste JSON from a README');
  await paste.fill('{"mcpServers": {');
  await expect(dialog.getByRole('alert')).toHaveText('This isn’t complete JSON. Copy all of the example.');
  await paste.fill(
    '{"mcpServers": {"docs": {"url": "https://docs.example/mcp", "type": "http"}, "files": {"command": "npx", "args": ["-y", "files"], "env": {"FILES_TOKEN": "' +
      SECRET +
      '"}, "disabled": true}}}',
  );
  await expect(field('URL')).toHaveValue('https://docs.example/mcp');
  await dialog.getByRole('group', { name: 'Server to add' }).getByRole('button', { name: 'files' }).click();
  await expect(dialog.getByRole('status')).toHaveText('Filled in the form, without disabled.');
  await expect(field('Name')).toHaveValue('files');
  await expect(field('Argument 2')).toHaveValue('files');
  await expect(dialog).toContainText('mcp.json stores this in plain text.');
  await button(`Use $\{FILES_TOKEN}`).click();
  expect(await violationsInBothThemes(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toHaveCount(0);
  const files = { command: 'npx', args: ['-y', 'files'], env: { FILES_TOKEN: `$\{FILES_TOKEN}` } };
  expect(await before()).toEqual({ mcpServers: { files } });

  await button('Add server').click();
  await field('Name').fill('more');
  await field('Command').fill('uvx docs-mcp "a b"');
  await expect(dialog).toContainText('Starts “uvx” with the arguments “docs-mcp”, “a b”.');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toHaveCount(0);
  expect((await before()).mcpServers.more).toEqual({ command: 'uvx', args: ['docs-mcp', 'a b'] });
});
