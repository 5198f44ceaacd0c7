import { readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { Page } from '@playwright/test';
import { expect, type Served, test } from './fixtures.ts';

/** Reports as a run of pi does. */
const report = (served: Served, agent: string, body: object) =>
  fetch(`${served.url}/api/agents/${agent}/status`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ run: 'one', ...body }),
  });

const rowOf = (page: Page, agent: string) => page.getByRole('row', { name: new RegExp(`^${agent}`) });

test.describe('what agents do', () => {
  test.use({
    tree: {
      'agents/courier/SYSTEM.md': 'You carry.\n',
      'agents/writer/SYSTEM.md': 'You write.\n',
    },
  });

  test('shows at once which agent waits, and leads to it', async ({ page, served }) => {
    await page.goto(served.pageAt('/'));
    await expect(rowOf(page, 'scout')).toBeVisible();
    const run = { model: 'openai/gpt-5', cwd: '/home/me/code' };
    await report(served, 'courier', { state: 'running', ...run });
    await report(served, 'writer', { state: 'done', forMs: 3.5 * 60_000 });
    await report(served, 'scout', { state: 'waiting', ...run });
    await expect(rowOf(page, 'courier')).toContainText('Running');
    await expect(rowOf(page, 'writer')).toContainText('Done 3 minutes ago');
    await expect(rowOf(page, 'scout')).toContainText('Waiting for you');
    // Also where another tab is open.
    await expect(page).toHaveTitle('(1) Overview – dot-mi');
    // Who waits is first, then who runs, without any press.
    const names = page.getByRole('table', { name: /^All agents/ }).getByRole('rowheader');
    await expect(names).toHaveText([/^.?scout/, /^.?courier/, /^.?writer/]);
    await expect(rowOf(page, 'courier')).toContainText('Now');
    const waiting = page.getByRole('link', { name: 'scout is waiting for you' });
    await waiting.press('Enter');
    await expect(page.getByRole('heading', { name: 'scout', exact: true })).toBeVisible();
    await expect(page.getByText('Answer it in the terminal where it runs.')).toBeVisible();
    await expect(page.getByRole('list', { name: 'About scout' })).toContainText(
      'Running with openai/gpt-5 in /home/me/code',
    );
    await expect(page.getByRole('option', { name: /scout.*Waiting for you/ })).toBeVisible();
    await expect(page.getByRole('option', { name: /courier.*Running/ })).toBeVisible();
    await page.getByRole('button', { name: 'Waiting 1' }).click();
    await expect(page.getByRole('option')).toHaveCount(1);

    // A person answered. The filter stays until they take it off.
    await report(served, 'scout', { state: 'running', ...run });
    await expect(page).toHaveTitle(/^scout/);
    await expect(page.getByText('No agent matches the search and the filters.')).toBeVisible();
    await page.getByRole('button', { name: 'Clear search and filters' }).click();
    await report(served, 'scout', { state: 'ended' });
    await expect(page.getByRole('option', { name: /scout/ })).not.toContainText('Running');
  });

  test('shows the terminal of an agent that waits, from the overview and from its page', async ({
    page,
    served,
  }) => {
    await page.goto(served.pageAt('/'));
    await expect(rowOf(page, 'scout')).toBeVisible();
    // A pane that isn't there: what is tested is that the page asks, and says what it hears.
    const tmux = { socket: 'dot-mi-test-nothing', pane: '%1' };
    await report(served, 'scout', { state: 'waiting', terminal: { host: hostname(), tmux } });
    await report(served, 'courier', { state: 'waiting', terminal: { host: 'elsewhere', tmux } });
    const show = page.getByRole('button', { name: 'Show the terminal of scout' });
    await expect(show).toHaveText('Show its terminal');
    await expect(page.getByRole('link', { name: 'courier is waiting for you' })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Show the terminal of courier' })).toHaveCount(0);
    await show.press('Enter');
    const notifications = page.getByRole('region', { name: 'Notifications' });
    await expect(notifications).toContainText('The terminal of scout wasn’t shown');
    await page.getByRole('link', { name: 'scout is waiting for you' }).click();
    await expect(show).toBeVisible();
    await page.keyboard.press('ControlOrMeta+k');
    await page.keyboard.type('show the terminal');
    await expect(page.getByRole('option', { name: 'Show the terminal of scout' })).toBeVisible();
  });

  test('is offered for all agents while none reports it, and undone in one step', async ({
    page,
    served,
  }) => {
    await page.goto(served.pageAt('/'));
    const linked = (agent: string) =>
      readlink(served.agent(`${agent}/extensions/dot-mi-status.ts`)).catch(() => null);
    const button = page.getByRole('button', { name: 'Show which agents are running' });
    await button.press('Enter');
    await expect(page.getByText('It takes effect the next time each agent runs.')).toBeVisible();
    await expect(button).toHaveCount(0);
    await expect(page.locator(':focus')).toContainText('Agents 3');
    for (const agent of ['courier', 'scout', 'writer'])
      expect(await linked(agent)).toBe('../../../shared/extensions/dot-mi-status.ts');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(button).toBeVisible();
    expect(await linked('scout')).toBeNull();
  });
});
