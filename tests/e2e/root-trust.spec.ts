import { access, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { violationsInBothThemes } from './axe.ts';
import { expect, type Served, test } from './fixtures.ts';
import { type How, pressOn, tabTo } from './keyboard.ts';
import { ON_TOP } from './view.ts';

const LEAVES_TRACE = '#!/bin/sh\necho ran >> trace\nmkdir -p "agents/$2"\necho new > "agents/$2/SYSTEM.md"\n';

test.use({ trusted: false, tree: { 'setup.sh': { script: LEAVES_TRACE } } });

const hasRun = ({ root }: Served) =>
  access(join(root, 'trace')).then(
    () => true,
    () => false,
  );

const question = (page: Page) =>
  page.getByRole('dialog', { name: 'Do you trust the authors of this folder?' });
const form = (page: Page) => page.getByRole('dialog', { name: 'New agent' });

const askFor = async (page: Page, id: string, how: How = 'by mouse') => {
  await pressOn(page, page.getByRole('button', { name: 'New agent' }).first(), how);
  await expect(form(page).getByLabel('Agent id')).toBeFocused();
  await page.keyboard.type(id);
  await page.keyboard.press('Enter');
  await expect(question(page)).toBeVisible();
};

for (const how of ['by mouse', 'by keys'] satisfies How[]) {
  test(`asks before it runs the setup script of a folder, shows the script, and creates the agent after a yes, ${how}`, {
    tag: how === 'by mouse' ? '@smoke' : [],
  }, async ({ page, served }) => {
    await page.goto(served.pageUrl);
    await askFor(page, 'courier', how);
    await expect(question(page)).toContainText(served.root);
    await pressOn(page, question(page).getByRole('button', { name: 'Show setup.sh' }), how);
    const text = question(page).getByRole('region', { name: 'Text of setup.sh' });
    await expect(text).toContainText('echo ran >> trace');
    if (how === 'by keys') await tabTo(page, text);
    expect(await hasRun(served)).toBe(false);
    await pressOn(page, question(page).getByRole('button', { name: 'Trust and create' }), how);
    await expect(page).toHaveURL(`${served.url}/agents/courier/files/SYSTEM.md`);
    await expect(page.locator(ON_TOP)).toHaveCount(0);
    await expect(page.locator('body')).not.toBeFocused();
    expect(await hasRun(served)).toBe(true);

    // It is asked once.
    await page.getByRole('button', { name: 'New agent' }).first().click();
    await expect(page.getByLabel('Agent id')).toBeFocused();
    await page.keyboard.type('second');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(`${served.url}/agents/second/files/SYSTEM.md`);
  });

  test(`refusing runs nothing and keeps what was typed, ${how}`, async ({ page, served }) => {
    await page.goto(served.pageUrl);
    await askFor(page, 'courier', how);
    if (how === 'by mouse') await question(page).getByRole('button', { name: 'Don’t trust' }).click();
    else await page.keyboard.press('Escape');
    await expect(question(page)).toBeHidden();
    await expect(form(page).getByLabel('Agent id')).toHaveValue('courier');
    await expect(form(page).getByRole('alert')).toContainText('dot-mi didn’t run setup.sh');
    await expect(page.locator('body')).not.toBeFocused();
    await page.keyboard.press('Escape');
    await expect(form(page)).toBeHidden();
    expect(await hasRun(served)).toBe(false);
    expect(await readdir(join(served.root, 'agents'))).toEqual(['scout']);
  });
}

test('asks again when the script changed, and when it changes while it is read', async ({ page, served }) => {
  const script = join(served.root, 'setup.sh');
  await page.goto(served.pageUrl);
  await askFor(page, 'first');
  await question(page).getByRole('button', { name: 'Trust and create' }).click();
  await expect(page).toHaveURL(/\/agents\/first\//);

  await writeFile(script, `${LEAVES_TRACE}echo second version\n`);
  await askFor(page, 'second');
  await expect(question(page).getByText('setup.sh changed since you trusted it')).toBeVisible();
  await writeFile(script, `${LEAVES_TRACE}echo third version\n`);
  await question(page).getByRole('button', { name: 'Trust and create' }).click();
  await expect(question(page).getByRole('alert')).toContainText('setup.sh changed while this was open');
  expect((await readFile(join(served.root, 'trace'), 'utf8')).trim()).toBe('ran');
  await question(page).getByRole('button', { name: 'Show setup.sh' }).click();
  await expect(question(page).getByText('third version')).toBeVisible();
  await question(page).getByRole('button', { name: 'Trust and create' }).click();
  await expect(page).toHaveURL(/\/agents\/second\//);
});

test('axe finds nothing in the question, alone and over the form', async ({ page, served }) => {
  await page.goto(served.pageUrl);
  await askFor(page, 'courier');
  await question(page).getByRole('button', { name: 'Show setup.sh' }).click();
  expect(await violationsInBothThemes(page, ON_TOP)).toEqual([]);
});

test('without the operator token the question says where to get one', async ({ page, served }) => {
  await page.goto(served.url);
  await askFor(page, 'courier');
  await expect(question(page).getByRole('alert')).toContainText('This needs the operator token');
  await expect(question(page).getByText(/--trust-root/)).toBeVisible();
  await expect(question(page).getByRole('button', { name: 'Trust and create' })).toHaveCount(0);
  await question(page).getByRole('button', { name: 'Don’t trust' }).click();
  expect(await hasRun(served)).toBe(false);
});

for (const how of ['by mouse', 'by keys'] satisfies How[]) {
  test(`the settings show the trust, give it and withdraw it, ${how}`, async ({ page, served }) => {
    await page.goto(served.pageUrl);
    await page.goto(`${served.url}/settings`);
    await expect(page.getByText('You haven’t trusted this folder yet')).toBeVisible();
    const review = page.getByRole('button', { name: 'Review setup.sh…' });
    const stop = page.getByRole('button', { name: 'Stop trusting' });
    await pressOn(page, review, how);
    await pressOn(page, question(page).getByRole('button', { name: 'Trust this folder' }), how);
    await expect(page.getByText('You trust this folder', { exact: true })).toBeVisible();
    await expect(stop).toBeFocused();
    await pressOn(page, stop, how);
    await expect(page.getByText('You haven’t trusted this folder yet')).toBeVisible();
    await expect(review).toBeFocused();
    expect(await hasRun(served)).toBe(false);
  });
}

test('a run command of a folder that is not trusted has a warning', async ({ page, served, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(`${served.url}/agents/scout/files/SYSTEM.md`);
  await page.getByRole('button', { name: 'Copy run command' }).click();
  await expect(page.getByText(/This root isn’t trusted yet\. Read pi-args/)).toBeVisible();
});

test.describe('a root that the operator chose in the page', () => {
  test.use({ environment: { DOT_MI_ROOT: '' } });

  test('runs nothing until the operator saw its script', async ({ page, served }) => {
    await page.goto(served.pageUrl);
    await page.getByLabel('Folder', { exact: true }).fill(served.root);
    await page.keyboard.press('Enter');
    await expect(page.getByRole('option', { name: /scout/ })).toBeVisible();
    await askFor(page, 'courier');
    await expect(question(page)).toContainText(served.root);
    expect(await hasRun(served)).toBe(false);
    await question(page).getByRole('button', { name: 'Trust and create' }).click();
    await expect(page).toHaveURL(`${served.url}/agents/courier/files/SYSTEM.md`);
  });
});
