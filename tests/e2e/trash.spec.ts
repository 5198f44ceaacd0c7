import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from './fixtures.ts';
import { tabTo } from './keyboard.ts';

test.use({ signedIn: true });

test.use({ tree: { 'agents/writer/SYSTEM.md': 'w', 'agents/zebra/SYSTEM.md': 'z' } });

test.beforeEach(async ({ page, served }) => {
  for (const id of ['zebra', 'writer']) {
    await page.request.delete(`${served.url}/api/agents/${id}`, { data: { confirm: id } });
  }
  await page.goto(`${served.url}/trash`);
  await expect(page.getByRole('list', { name: 'Deleted agents' }).getByRole('listitem')).toHaveCount(2);
});

const agentsOf = (root: string) => readdir(join(root, 'agents'));

test('restores, and deletes permanently after asking', { tag: '@smoke' }, async ({ page, served }) => {
  await page.getByRole('button', { name: 'Restore zebra' }).click();
  await expect(page.getByRole('button', { name: 'Restore zebra' })).toHaveCount(0);
  expect(await agentsOf(served.root)).toContain('zebra');
  await page.getByRole('button', { name: 'Delete permanently: writer' }).click();
  const question = page.getByRole('alertdialog', { name: 'Delete writer permanently?' });
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect(question).toBeHidden();
  await page.getByRole('button', { name: 'Delete permanently: writer' }).click();
  await question.getByRole('button', { name: 'Delete permanently' }).click();
  await expect(page.getByText('The trash is empty')).toBeVisible();
  expect(await agentsOf(served.root)).not.toContain('writer');
});

test('restores and deletes by keyboard alone, and the focus moves to what is left', async ({
  page,
  served,
}) => {
  await tabTo(page, page.getByRole('button', { name: 'Restore zebra' }));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Restore writer' })).toBeFocused();
  expect(await agentsOf(served.root)).toContain('zebra');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  await expect(page.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'Delete permanently: writer' })).toBeFocused();
  await page.keyboard.press('Space');
  await expect(page.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(page.getByText('The trash is empty')).toBeVisible();
  await expect(page.locator('body')).not.toBeFocused();
});

test('says what blocks a restore, offers another name, and shows what other programs delete', async ({
  page,
  served,
}) => {
  await writeFile(served.agent('zebra'), 'in the way');
  await page.getByRole('button', { name: 'Restore zebra' }).click();
  await expect(page.getByText(/agent "zebra" already exists/).first()).toBeVisible();
  await page.getByRole('button', { name: 'Restore as zebra-2' }).click();
  await expect(page.getByText('Restored zebra-2')).toBeVisible();
  // The failure leaves with its cause.
  await expect(page.getByText(/agent "zebra" already exists/)).toHaveCount(0);
  expect(await agentsOf(served.root)).toContain('zebra-2');
  await expect(page.getByText('Connected')).toBeAttached();
  await page.request.delete(`${served.url}/api/agents/scout`, { data: { confirm: 'scout' } });
  await expect(page.getByRole('button', { name: 'Restore scout' })).toBeVisible();
  // Another window restores the one that has the focus.
  await page.getByRole('button', { name: 'Restore writer' }).focus();
  const headers = { Authorization: `Bearer ${new URL(served.pageUrl).hash.replace('#token=', '')}` };
  const { entries } = await (await page.request.get(`${served.url}/api/trash`, { headers })).json();
  const { entry } = entries.find(({ id }: { id: string }) => id === 'writer');
  await page.request.post(`${served.url}/api/trash/${entry}/restore`, { headers });
  await expect(page.getByRole('button', { name: 'Restore writer' })).toHaveCount(0);
  await expect(page.getByRole('button', { name: /^Restore/ }).last()).toBeFocused();
});
