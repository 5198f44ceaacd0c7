import { rm, writeFile } from 'node:fs/promises';
import { choose } from './agent-menu.ts';
import { editor, expectText, tab } from './editor.ts';
import { expect } from './fixtures.ts';
import { LONG_ID, ON_TOP, onTop, opens, type Scene, sees, type View } from './view.ts';
import { simulatedToken } from './wallet-page.ts';

/** A models.json with a hidden value, a change of a model of pi, and a model that pi refuses. */
const MODELS = JSON.stringify({
  providers: {
    home: {
      baseUrl: 'http://127.0.0.1:8080/v1',
      api: 'openai-completions',
      apiKey: 'Zq4T8vW1nB6x',
      headers: { 'X-Key': 'Zq4T8vW1nB6x' },
      models: [
        {
          ...{ id: 'qwen3', name: 'Qwen 3 at home', reasoning: true, input: ['text', 'image'] },
          ...{ contextWindow: 32_000, maxTokens: 8000, compat: {} },
          cost: { input: 0.5, output: 2, cacheRead: 0, cacheWrite: 0 },
        },
        { id: 'free' },
      ],
    },
    openai: { modelOverrides: { 'gpt-5.4': { contextWindow: 200_000 } } },
    other: { api: 'openai-completions', models: [{ id: 'm' }] },
  },
});

/** An mcp.json with a hidden value, and a server that pi refuses. */
const MCP = JSON.stringify({
  mcpServers: {
    docs: { command: 'npx', args: ['docs'], env: { DOCS_TOKEN: 'Zq4T8vW1nB6x' }, description: 'Finds docs.' },
    sentry: { url: 'https://mcp.sentry.dev/mcp' },
    old: { type: 'sse', url: 'https://old.example/sse' },
  },
});

/** Types while another program writes. */
const conflicts = async ({ page, served }: Scene): Promise<void> => {
  await editor(page).fill('---\nname: scout\n---\n\n# Mine\n\n`code`, *more*');
  await writeFile(served.agent('scout/SYSTEM.md'), '# Theirs\n');
  await expect(page.getByRole('button', { name: 'Compare' })).toBeVisible();
};

/** The views of an agent, and what opens on top of them. */
export const AGENT_VIEWS: readonly View[] = [
  {
    name: 'files',
    path: '/agents/scout/files/SYSTEM.md',
    ready: ({ page }) => expectText(editor(page), 'You are a scout.\n'),
  },
  {
    name: 'missing on disk',
    ready: async (scene) => {
      await rm(scene.served.agent('scout/SYSTEM.md'));
      await sees('SYSTEM.md is missing')(scene);
    },
    part: 'main',
    after: async ({ page, served }) => {
      await writeFile(served.agent('scout/SYSTEM.md'), 'back');
      await expectText(editor(page), 'back');
    },
  },
  {
    name: 'not saved',
    ready: async (scene) => {
      const { page } = scene;
      await page.route('**/api/agents/scout/file*', (route, request) =>
        request.method() === 'PUT'
          ? route.fulfill({ status: 507, json: { error: 'The disk is full.', code: 'disk_full' } })
          : route.continue(),
      );
      await editor(page).fill('typed on a full disk');
      await page.keyboard.press('ControlOrMeta+s');
      await sees('Not saved')(scene);
    },
    after: async ({ page }) => {
      await page.unrouteAll();
      await page.keyboard.press('ControlOrMeta+s');
      await expect(tab(page, 'SYSTEM.md')).not.toHaveAccessibleName(/unsaved/);
    },
  },
  { name: 'add a file', ready: opens('Add a file'), part: ON_TOP },
  { name: 'actions for an agent', ready: opens('More actions for scout'), part: ON_TOP },
  {
    name: 'conflict',
    path: '/agents/scout/files/SYSTEM.md',
    ready: conflicts,
    isOnlyPictured: true,
  },
  {
    name: 'conflict, compared and searched',
    path: '/agents/scout/files/SYSTEM.md',
    ready: async (scene) => {
      const { page } = scene;
      await conflicts(scene);
      await page.getByRole('button', { name: 'Compare' }).click();
      await page.getByRole('button', { name: 'Use this part from disk' }).first().waitFor();
      await page.getByRole('button', { name: 'Find and replace' }).click();
      await page.getByRole('textbox', { name: 'Find' }).fill('more');
    },
    part: 'main',
  },
  {
    name: 'unsaved text',
    ready: async ({ page }) => {
      await page.getByRole('button', { name: 'Overwrite with my text' }).click();
      await expect(tab(page, 'SYSTEM.md')).not.toHaveAccessibleName(/unsaved/);
      await editor(page).fill('typed');
      await page.getByRole('button', { name: '1 unsaved file' }).click();
      await expect(page.getByRole('menuitem', { name: /scout/ })).toBeVisible();
    },
    part: ON_TOP,
  },
  {
    name: 'unsaved text that was brought back',
    path: '/agents/scout/files/SYSTEM.md',
    ready: async ({ page }) => {
      await expectText(editor(page), 'typed');
      await page.reload();
      await expect(page.getByText('Recovered unsaved text in SYSTEM.md')).toBeVisible();
      await expectText(editor(page), 'typed');
    },
    part: 'main',
  },
  {
    name: 'deleted on disk',
    ready: async ({ page, served }) => {
      await rm(served.agent('scout/SYSTEM.md'));
      await expect(page.getByText('SYSTEM.md was deleted on disk')).toBeVisible();
    },
    part: 'main',
    after: ({ served }) => writeFile(served.agent('scout/SYSTEM.md'), 'theirs'),
  },
  {
    name: 'not a text file',
    path: '/agents/scout/files/pi-args',
    ready: async ({ page, served }) => {
      await writeFile(served.agent('scout/pi-args'), Buffer.from([0xff, 0xfe, 0]));
      await expect(page.getByRole('heading', { name: 'The file isn’t text' })).toBeVisible();
    },
    part: 'main',
  },
  {
    name: 'skills',
    path: '/agents/scout/skills',
    ready: ({ page }) => expect(page.getByText('broken link', { exact: true }).first()).toBeVisible(),
  },
  {
    name: 'skills, nothing found',
    ready: async (scene) => {
      await scene.page.getByRole('textbox', { name: 'Search shared skills' }).fill('zebra');
      await sees('Nothing matches')(scene);
    },
    isOnlyPictured: true,
    after: ({ page }) => page.getByRole('textbox', { name: 'Search shared skills' }).fill(''),
  },
  {
    name: 'a skill in its sheet',
    ready: async (scene) => {
      await opens('git-summary', 'git-summary')(scene);
      await expect(scene.page.getByText('Body.')).toBeVisible();
    },
    part: ON_TOP,
  },
  {
    name: 'actions on several agents',
    path: '/agents/scout/skills',
    ready: async ({ page }) => {
      await page.getByRole('listbox', { name: 'Agents' }).focus();
      await page.keyboard.press('Space');
      await page.getByRole('button', { name: 'Link…' }).click();
      await onTop(page, 'Link to 1 agent');
    },
    part: ON_TOP,
    after: async ({ page }) => {
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Clear selection' }).click();
    },
  },
  {
    name: 'duplicate agent',
    path: '/agents/scout/skills',
    ready: async ({ page }) => {
      await choose(page, 'scout', 'Duplicate…');
      await onTop(page, 'Duplicate scout');
    },
    part: ON_TOP,
  },
  {
    name: 'copy by hand',
    ready: async (scene) => {
      await scene.page.evaluate(() => {
        navigator.clipboard.writeText = () => Promise.reject(new Error('refused'));
        document.execCommand = () => false;
      });
      await opens('Copy path', 'Copy the text yourself')(scene);
    },
    part: ON_TOP,
  },
  {
    name: 'budget',
    ready: async ({ page }) => {
      await choose(page, 'scout', 'Budget…');
      await onTop(page, 'Budget for scout');
      // Until the limits are known, they can't be saved.
      await expect(page.getByRole('button', { name: 'Save budget' })).toBeEnabled();
    },
    part: ON_TOP,
  },
  {
    name: 'delete agent',
    ready: async ({ page }) => {
      await choose(page, 'scout', 'Delete…');
      await onTop(page, 'Delete scout?');
    },
    part: ON_TOP,
  },
  { name: 'unlink elsewhere', ready: opens('Unlink far', 'Unlink far?'), part: ON_TOP },
  {
    name: 'skills, none',
    path: '/agents/tidy/skills',
    ready: sees('No skills yet'),
    isOnlyPictured: true,
  },
  {
    name: 'cost of a call',
    ready: async (scene) => {
      // A low window has no room for it.
      await scene.page.setViewportSize({ width: 1280, height: 800 });
      await opens(/sat per call$/)(scene);
    },
    isOnlyPictured: true,
    after: ({ page }) => page.keyboard.press('Escape'),
  },
  { name: 'an agent with the longest names', path: `/agents/${LONG_ID}/skills`, ready: sees('broken link') },
  {
    name: 'delete an agent with the longest id',
    ready: async ({ page }) => {
      await choose(page, LONG_ID, 'Delete…');
      await onTop(page, `Delete ${LONG_ID}?`);
    },
    part: ON_TOP,
    isOnlyPictured: true,
  },
  {
    name: 'extensions',
    path: '/agents/scout/extensions',
    ready: ({ page }) => expect(page.getByRole('list', { name: 'Extensions of this agent' })).toBeVisible(),
    part: 'main',
  },
  {
    name: 'MCP servers',
    path: '/agents/scout/mcp',
    ready: async ({ page, served }) => {
      await writeFile(served.agent('scout/mcp.json'), MCP);
      await expect(page.getByText('pi doesn’t support SSE.')).toBeVisible();
      await expect(page.getByText('tokens in each call')).toBeVisible();
    },
    part: 'main',
  },
  { name: 'an MCP server', ready: opens('Edit docs', 'Edit docs'), part: ON_TOP },
  {
    name: 'matrix of MCP servers',
    path: '/matrix/mcp',
    ready: async ({ page }) => {
      await expect(page.getByRole('gridcell', { name: 'old for scout: pi skips it' })).toBeVisible();
      await page.getByRole('columnheader', { name: 'docs' }).click();
      await expect(page.getByRole('button', { name: 'Switch off' })).toBeVisible();
    },
    part: 'main',
  },
  {
    name: 'MCP servers, none',
    path: '/agents/user-one/mcp',
    ready: ({ page }) => expect(page.getByText('No MCP servers yet')).toBeVisible(),
    part: 'main',
    after: ({ served }) => rm(served.agent('scout/mcp.json')),
  },
  {
    name: 'models of an agent',
    path: '/agents/scout/models',
    ready: async ({ page, served }) => {
      await writeFile(served.agent('scout/models.json'), MODELS);
      await expect(page.getByText('It needs a "baseUrl", here or in the provider.')).toBeVisible();
    },
    part: 'main',
  },
  { name: 'a model', ready: opens('Edit qwen3', 'Edit qwen3'), part: ON_TOP },
  {
    name: 'a provider',
    path: '/agents/scout/models',
    ready: opens('Edit home', 'Edit home'),
    part: ON_TOP,
  },
  {
    name: 'models of an agent, none',
    path: '/agents/user-one/models',
    ready: ({ page }) => expect(page.getByText('This agent has no models of its own')).toBeVisible(),
    part: 'main',
    after: ({ served }) => rm(served.agent('scout/models.json')),
  },
  {
    name: 'everything in the directory',
    path: '/agents/scout/entries',
    ready: ({ page }) => expect(page.getByText('Points outside the root')).toBeVisible(),
    part: 'main',
  },
  {
    name: 'prompt',
    path: '/agents/scout/prompt',
    ready: ({ page }) => expect(page.getByRole('img', { name: /^Tokens by section/ })).toBeVisible(),
    part: 'main',
  },
  {
    name: 'sessions, none',
    path: '/agents/scout/sessions',
    ready: ({ page }) => expect(page.getByText('No sessions yet')).toBeVisible(),
    part: 'main',
  },
  {
    name: 'activity, none',
    path: '/agents/scout/activity',
    ready: ({ page }) => expect(page.getByText('Nothing earned or spent yet')).toBeVisible(),
    part: 'main',
  },
  {
    name: 'sell, unpriced, with test money',
    path: '/agents/user-one/sell',
    ready: async ({ page }) => {
      await expect(page.getByText('Customers pay with test money')).toBeVisible();
      await expect(page.getByText('None of this agent’s files names a model')).toBeVisible();
      await page.getByRole('button', { name: 'Limits and address' }).click();
      await page.getByLabel('Port').fill('80');
    },
    part: 'main',
  },
  {
    name: 'sessions',
    path: '/agents/user-one/sessions',
    ready: ({ page }) =>
      expect(page.getByRole('list', { name: 'Sessions of user-one' })).toContainText('Parcels'),
    part: 'main',
  },
  {
    name: 'a transcript',
    ready: async ({ page }) => {
      await page.getByRole('link', { name: 'Parcels' }).click();
      await expect(page.getByRole('list', { name: 'Transcript' }).locator('strong')).toHaveText('three');
    },
    part: 'main',
  },
  {
    name: 'activity',
    path: '/agents/user-one/activity',
    ready: async ({ page, served }) => {
      await page.request.post(`${served.url}/api/wallet/receive`, {
        data: { token: simulatedToken(21), agent: 'user-one' },
      });
      await expect(page.getByRole('img', { name: /^Sats per day over 30 days: earned 21/ })).toBeVisible();
      await expect(page.getByRole('row', { name: /unheard-of/ })).toBeVisible();
    },
    part: 'main',
  },
  {
    name: 'history',
    path: '/agents/scout/history',
    ready: async ({ page, served }) => {
      const content = `---\nmodel: openai/gpt-5.4\n---\n${Date.now()}\n`;
      await page.request.put(`${served.url}/api/agents/scout/file`, { data: { path: 'AGENT.md', content } });
      await page
        .getByRole('button', { name: /^Details: / })
        .first()
        .click();
      await expect(page.getByRole('region', { name: /^Changes to agents/ })).toBeVisible();
    },
    part: 'main',
    after: ({ served }) => rm(served.agent('scout/AGENT.md'), { force: true }),
  },
  {
    name: 'recent changes',
    path: '/matrix/skills',
    ready: async (scene) => {
      await opens('Recent changes', 'Recent changes')(scene);
      await expect(scene.page.getByRole('list', { name: 'Changes' })).toBeVisible();
    },
    part: ON_TOP,
  },
  {
    name: 'no such agent',
    path: '/agents/nobody/files/SYSTEM.md',
    ready: ({ page }) => expect(page.getByText('No agent called “nobody”')).toBeVisible(),
  },
];
