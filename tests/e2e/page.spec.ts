import { readdir, readFile } from 'node:fs/promises';
import { initialScripts, totalKilobytes } from '../support/initial-scripts.ts';
import { expect, test } from './fixtures.ts';

const ASSETS = new URL('../../out/renderer/assets/', import.meta.url);

/** The texts of all scripts of the page. */
const builtScripts = async (): Promise<string[]> => {
  const names = (await readdir(ASSETS)).filter((name) => name.endsWith('.js'));
  return Promise.all(names.map((name) => readFile(new URL(name, ASSETS), 'utf8')));
};

const CSP =
  "default-src 'none';script-src 'self';style-src 'self';img-src 'self' data:;font-src 'self';connect-src 'self';base-uri 'none';form-action 'none';frame-ancestors 'none'";

test('the page has the strict policy, its files are cached forever, and programs get JSON for unknown paths', async ({
  request,
  served,
}) => {
  for (const path of ['/', '/agents/scout/files/SYSTEM.md', '/nowhere']) {
    const page = await request.get(`${served.url}${path}`, { headers: { Accept: 'text/html' } });
    expect([path, page.status(), page.headers()['content-security-policy']]).toEqual([path, 200, CSP]);
    expect(page.headers()).toMatchObject({
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-cache',
    });
  }
  const html = await (await request.get(`${served.url}/`)).text();
  const asset = /src="(\/assets\/[^"]+)"/.exec(html)?.[1];
  expect((await request.get(`${served.url}${asset}`)).headers()['cache-control']).toContain('immutable');
  for (const path of ['/nowhere', '/assets/nothing.js', '/..%2f..%2fpackage.json']) {
    const answer = await request.get(`${served.url}${path}`, { headers: { Accept: '*/*' } });
    expect([path, answer.status(), (await answer.json()).code]).toEqual([path, 404, 'not_found']);
  }
});

test('no view logs an error or breaks the policy, in light and dark, and each shows test money, the address and the root', async ({
  page,
  served,
}) => {
  // The fixture fails the test on any error in the console. What is opened on a view is walked through for axe.
  for (const path of [
    '/',
    '/agents',
    '/agents/scout/files/SYSTEM.md',
    '/agents/scout/extensions',
    '/agents/scout/skills',
    '/catalog',
    '/wallet',
    '/pricing',
    '/connect',
    '/trash',
    '/settings',
    '/nowhere',
  ]) {
    await page.emulateMedia({ colorScheme: 'light' });
    await page.goto(`${served.url}${path}`);
    await expect(page.getByText('Connected')).toBeAttached();
    await expect(page.getByRole('main')).toBeVisible();
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect(page.getByText('Test money', { exact: true }).first()).toBeVisible();
    const foot = page.getByRole('button', { name: /^API:/ });
    await expect(foot).toContainText(new URL(served.url).host);
    await expect(page.getByRole('button', { name: /^Root:/ })).toContainText('…/root');
  }
});

test('says that a list or a part of the page is loading, and opens without animation for reduced motion', async ({
  page,
  served,
}) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const list = Promise.withResolvers<void>();
  const part = Promise.withResolvers<void>();
  await page.route('**/api/agents', (route) => list.promise.then(() => route.continue()));
  await page.route('**/assets/catalog-page-*.js', (route) => part.promise.then(() => route.continue()));
  await page.goto(served.pageUrl);
  const loading = page.getByRole('status').getByText('Loading');
  await expect(loading).toBeVisible();
  list.resolve();
  await expect(page.getByRole('option', { name: /scout/ })).toBeVisible();
  await expect(loading).toHaveCount(0);
  await page.getByRole('link', { name: 'Catalog' }).click();
  await expect(loading).toBeVisible();
  part.resolve();
  await expect(page.getByText('git-summary').first()).toBeVisible();
  await expect(loading).toHaveCount(0);

  await page.getByRole('button', { name: /^API:/ }).click();
  const popup = page.getByRole('dialog', { name: /^API:/ });
  await expect(popup).toContainText(served.root);
  const seconds = await popup.evaluate((element) => {
    const { transitionDuration, animationDuration } = getComputedStyle(element);
    return [...transitionDuration.split(','), ...animationDuration.split(',')].map(Number.parseFloat);
  });
  expect(Math.max(...seconds)).toBeLessThanOrEqual(0.001);
});

test('the first view needs at most 250 kB of script, without the editor and the charts', async ({
  page,
  served,
}) => {
  const scripts = await initialScripts(page, served.pageAt('/'), () =>
    page.getByRole('link', { name: /^scout\b/ }).waitFor(),
  );
  expect(scripts.length).toBeGreaterThan(0);
  expect(totalKilobytes(scripts)).toBeLessThanOrEqual(250);
  const built = await builtScripts();
  for (const mark of ['cm-content', 'u-legend']) {
    // They are what the editor and the charts are known by, still.
    expect(built.some((text) => text.includes(mark))).toBe(true);
    expect(scripts.filter(({ text }) => text.includes(mark)).map(({ path }) => path)).toEqual([]);
  }
});
