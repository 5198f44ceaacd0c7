import { mkdir, readlink, unlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeSession } from '../support/session-file.ts';
import { expect, test } from './fixtures.ts';
import { pressOn, tabTo } from './keyboard.ts';
import { simulatedToken } from './wallet-page.ts';

test.use({ signedIn: true });

const MANY = 2000;

test.describe('the overview', () => {
  test.use({
    tree: {
      'agents/writer/SYSTEM.md': '# Writer\n\nYou **write**.\n',
      'agents/writer/pi-args': '--model\ngpt-5.4\n',
      'agents/writer/workspace.conf': '',
      'agents/scout/skills/gone': { link: '../../../shared/skills/gone' },
      'agents/agent-9/SYSTEM.md': 'x',
      'agents/agent-9/skills/git-summary': { link: '../../../shared/skills/git-summary' },
      'agents/agent-10/SYSTEM.md': 'x',
    },
  });

  test('shows the balance, what needs attention and every agent, follows changes, and continues where one left off', async ({
    page,
    served,
  }) => {
    await page.goto(served.pageAt('/'));
    await expect(page.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible();
    await expect(page.getByRole('link', { name: /^Continue with/ })).toHaveCount(0);
    const balance = page.getByRole('region', { name: 'Balance' });
    await expect(balance).toContainText('0 sat');
    await expect(balance).toContainText('Test money');
    await page.request.post(`${served.url}/api/wallet/receive`, {
      data: { token: simulatedToken(1204), agent: 'writer' },
    });
    await expect(balance).toContainText('1,204 sat');
    await expect(page.getByRole('row', { name: /^writer/ })).toContainText('1,20401,204');
    await expect(page.getByRole('link', { name: /^Wallet/ })).toContainText('1,204 sat');

    // Money of no agent has a row, and the history assigns it.
    await page.request.post(`${served.url}/api/wallet/receive`, { data: { token: simulatedToken(77) } });
    await page
      .getByRole('row', { name: /^No agent/ })
      .getByRole('link')
      .click();
    await page.getByRole('button', { name: 'Assign an agent to 77 sat…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Agent and label' });
    await dialog.getByRole('combobox', { name: 'Agent' }).selectOption('writer');
    await dialog.getByRole('textbox', { name: 'Label (optional)' }).fill('code review');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByRole('link', { name: 'writer' })).toHaveCount(2);
    await expect(page.getByText('code review')).toBeVisible();
    // The label alone can change too.
    await page.getByRole('button', { name: 'Change the agent (writer) or the label for 77 sat…' }).click();
    await dialog.getByRole('textbox', { name: 'Label (optional)' }).fill('');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('code review')).toHaveCount(0);
    await expect(page.getByRole('link', { name: 'writer' })).toHaveCount(2);
    await page.goBack();
    await expect(page.getByRole('row', { name: /^No agent/ })).toHaveCount(0);
    await expect(page.getByRole('row', { name: /^writer/ })).toContainText('1,28101,281');

    // Each line leads to its cause, and leaves when the cause does. So does the dot in the rail.
    const attention = page.getByRole('region', { name: 'Needs attention' });
    const broken = attention.getByRole('link', { name: 'scout: 1 broken link' });
    await expect(page.getByRole('link', { name: /^Agents/ })).toHaveAccessibleName(
      'Agents (needs attention)',
    );
    await tabTo(page, broken);
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(`${served.url}/agents/scout/files/SYSTEM.md`);
    await pressOn(page, page.getByRole('link', { name: 'Overview' }), 'by keys', 'Shift+Tab');
    expect(await readlink(served.agent('scout/skills/gone'))).toBe('../../../shared/skills/gone');
    await unlink(served.agent('scout/skills/gone'));
    await expect(broken).toHaveCount(0);
    await expect(page.getByRole('link', { name: /^Agents/ })).toHaveAccessibleName('Agents');

    const table = page.getByRole('table', { name: /^All agents/ });
    const ids = () =>
      table
        .getByRole('link')
        .evaluateAll((links) => links.map((link) => link.querySelector('.truncate')?.textContent));
    await expect.poll(ids).toEqual(['agent-9', 'agent-10', 'scout', 'writer']);
    for (let press = 0; press < 2; press++)
      await table.getByRole('button', { name: 'Agent', exact: true }).click();
    await expect.poll(ids).toEqual(['writer', 'scout', 'agent-10', 'agent-9']);
    await page.setViewportSize({ width: 1440, height: 800 });
    await table.getByRole('button', { name: 'Links' }).click();
    await expect.poll(async () => (await ids())[0]).toBe('agent-9');
    await expect(table.getByRole('columnheader', { name: 'Links' })).toHaveAttribute(
      'aria-sort',
      'descending',
    );

    // It ran a while ago, and what that cost is in the sums of all agents.
    const ran = makeSession({ startedAtMs: Date.now() - 3 * 60 * 60_000 });
    ran.call({ input: 10, usd: 0 }, { model: 'local' });
    const path = served.agent(`writer/sessions/--work--/${ran.fileName}`);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, ran.text());
    await expect(table.getByRole('row', { name: /writer/ })).toContainText('2 hours ago');
    await expect(table.getByRole('row', { name: /agent-9/ })).toContainText('Never');
    const money = page.getByRole('table', { name: 'Totals in sats' });
    await expect(money.getByRole('row', { name: /Today/ })).toContainText('1,281');
    await expect(money.getByRole('row', { name: /Last 7 days/ })).toContainText('1,281at least 0');
    // Its model has no price, so more was spent than is known, and less is left.
    const writer = table.getByRole('row', { name: /writer/ });
    await expect(writer).toContainText('1,281≥ at least 0≤ at most 1,281');
    await page.getByRole('link', { name: '10 model tokens have no price' }).click();
    await expect(page.getByRole('heading', { name: 'Pricing', level: 1 })).toBeVisible();
    await page.goto(served.pageAt('/agents/writer/activity'));
    await expect(page.getByRole('main')).toContainText('Marginat most 1,281 sat');
    await page.getByRole('main').getByRole('link', { name: 'Add prices' }).click();
    await expect(page.getByRole('heading', { name: 'Pricing', level: 1 })).toBeVisible();
    await page.getByRole('link', { name: 'Overview' }).click();

    // The row says what the agent is and runs on. Its exact time is there for the keyboard too.
    const row = table.getByRole('row', { name: /writer/ });
    await expect(row).toContainText('You write.');
    await expect(row).toContainText('gpt-5.4');
    await tabTo(page, row.getByRole('link'));
    const exact = (await row.locator('time').first().getAttribute('data-details')) ?? '';
    const tooltip = page.locator('[role="tooltip"]');
    await expect(tooltip).toHaveText(exact);
    await expect(row.getByRole('link')).toHaveAccessibleDescription(exact);
    await page.keyboard.press('Escape');
    await expect(tooltip).toHaveCount(0);
    // The link covers its row, and the pointer finds the time below it.
    await row.locator('time').first().hover({ force: true });
    await expect(tooltip).toHaveText(exact);

    // The whole row opens its agent: the link covers it.
    const cells = table.getByRole('row', { name: /writer/ }).getByRole('cell');
    await cells.last().click({ force: true });
    await expect(page).toHaveURL(`${served.url}/agents/writer/files/SYSTEM.md`);
    const piArgs = page.getByRole('tab', { name: 'pi-args' });
    await piArgs.click();
    await expect(piArgs).toHaveAttribute('aria-selected', 'true');
    await page.goto(served.url);
    // The last one that ran comes first.
    await expect.poll(ids).toEqual(['writer', 'agent-9', 'agent-10', 'scout']);
    await page.getByRole('link', { name: 'Continue with writer' }).click();
    await expect(page).toHaveURL(`${served.url}/agents/writer/files/pi-args`);
    await page.request.delete(`${served.url}/api/agents/writer`, { data: { confirm: 'writer' } });
    await page.goto(served.url);
    await expect.poll(ids).toEqual(['agent-9', 'agent-10', 'scout']);
    await expect(page.getByRole('link', { name: /^Continue with/ })).toHaveCount(0);
  });
});

test.describe('with 2,000 agents', () => {
  test.use({
    tree: Object.fromEntries(
      Array.from({ length: MANY }, (_, index) => [`agents/agent-${index}/SYSTEM.md`, 'x']),
    ),
  });

  test('renders only visible rows, and reads each list once', async ({ page, served }) => {
    const reads: string[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith('/api/agents') || pathname === '/api/links') reads.push(pathname);
    });
    await page.goto(served.pageAt('/'));
    const table = page.getByRole('table', { name: /^All agents/ });
    // The server reads 2,000 agents for the first time, for each of its answers.
    await expect(table.getByRole('row', { name: /^agent-0 / })).toBeVisible();
    await expect(table).toHaveAttribute('aria-rowcount', String(MANY + 2));
    expect(await table.getByRole('row').count()).toBeLessThan(60);
    for (let press = 0; press < 2; press++)
      await table.getByRole('button', { name: 'Agent', exact: true }).click();
    await expect(table.getByRole('row', { name: /^scout / })).toBeVisible();
    // No request for a single agent, whatever their number.
    expect(reads.filter((path) => path !== '/api/agents' && path !== '/api/links')).toEqual([]);
  });
});
