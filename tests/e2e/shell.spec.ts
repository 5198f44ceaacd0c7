import { plant } from '../support/plant.ts';
import { expect, test } from './fixtures.ts';

test.use({ tree: { 'agents/writer/SYSTEM.md': 'You write.\n' } });

test('the server goes away and comes back: the page says so and recovers by itself', async ({
  page,
  served,
}) => {
  await page.goto(served.pageUrl);
  await expect(page.getByRole('option')).toHaveCount(2);
  await expect(page.getByText('Connected')).toBeAttached();
  await served.kill();
  await expect(page.getByRole('alert').getByText(/^Offline/)).toBeVisible();
  // What was read stays, what was not says why.
  await expect(page.getByRole('option')).toHaveCount(2);
  await page.getByRole('option', { name: 'writer' }).click();
  await expect(page.getByText('The API is offline')).toBeVisible();
  await served.startAgain();
  await page.getByRole('alert').getByRole('button', { name: 'Try again' }).first().click();
  await expect(page.getByRole('alert').getByText(/^Offline/)).toHaveCount(0);
  await expect(page.getByRole('textbox', { name: /SYSTEM.md/ })).toBeVisible();
});

test('every view recovers by itself and shows what changed meanwhile', async ({ page, served, context }) => {
  // Each has a stream, and a browser has six connections for all of them.
  const views = [
    ['/agents/scout/skills', 'git-summary'],
    ['/catalog', 'git-summary'],
    ['/trash', 'The trash is empty'],
    ['/settings', 'Appearance'],
  ] as const;
  const pages = await Promise.all(
    views.map(async ([path, text], at) => {
      const view = at === 0 ? page : await context.newPage();
      await view.goto(served.pageUrl.replace('/#', `${path}#`));
      await expect(view.getByText(text).first()).toBeVisible();
      await expect(view.getByText('Connected')).toBeAttached();
      return view;
    }),
  );
  await served.kill();
  for (const view of pages) await expect(view.getByText(/^Offline:/)).toBeVisible();
  await plant(served.root, {
    'shared/skills/made-meanwhile/SKILL.md': '---\nname: made-meanwhile\ndescription: New.\n---\n',
  });
  await served.startAgain();
  for (const [at, view] of pages.entries()) {
    await expect(view.getByText(/^Offline:/)).toHaveCount(0, { timeout: 10_000 });
    await expect(view.getByText(at < 2 ? 'made-meanwhile' : (views[at]?.[1] ?? '')).first()).toBeVisible();
  }
});

test('a page that was never opened opens while the server is away, and recovers by itself', async ({
  page,
  served,
}) => {
  await page.goto(served.pageUrl);
  await expect(page.getByText('Connected')).toBeAttached();
  await expect
    .poll(() =>
      page.evaluate(() =>
        performance.getEntriesByType('resource').some(({ name }) => name.includes('/first-run-page-')),
      ),
    )
    .toBe(true);
  await served.kill();
  await expect(page.getByText(/^Offline:/)).toBeVisible();
  await page.getByRole('link', { name: 'Catalog' }).click();
  await expect(page.getByRole('heading', { name: 'The API is offline' })).toBeVisible();
  await page.keyboard.press('ControlOrMeta+k');
  await expect(page.getByRole('dialog', { name: 'Command palette' })).toBeVisible();
  await page.keyboard.press('Escape');
  await served.startAgain();
  await expect(page.getByText('git-summary').first()).toBeVisible({ timeout: 10_000 });
});

test('the last agent and file open again when the page is opened at its front', async ({ page, served }) => {
  await page.goto(served.pageUrl);
  await page.getByRole('option', { name: 'writer' }).click();
  await page.getByRole('tab', { name: 'pi-args' }).click();
  await expect(page).toHaveURL(`${served.url}/agents/writer/files/pi-args`);
  await page.goto(served.url);
  await expect(page).toHaveURL(`${served.url}/agents/writer/files/pi-args`);
  // The way to the list is still the list.
  await page.getByRole('link', { name: 'Agents', exact: true }).click();
  await expect(page).toHaveURL(`${served.url}/`);
  await expect(page.getByText('No agent selected')).toBeVisible();
});

test('a last agent that is gone is not opened', async ({ page, served }) => {
  await page.goto(`${served.url}/agents/writer/files/SYSTEM.md`);
  await expect(page.getByRole('heading', { name: 'writer' })).toBeVisible();
  await page.request.delete(`${served.url}/api/agents/writer`, { data: { confirm: 'writer' } });
  await page.goto(served.url);
  await expect(page.getByRole('option')).toHaveCount(1);
  await expect(page).toHaveURL(`${served.url}/`);
});
