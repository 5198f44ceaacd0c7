import { violationsInBothThemes } from './axe.ts';
import { expect, test } from './fixtures.ts';
import { pressOn, tabTo } from './keyboard.ts';

test('by keys, a key is created, shown once, used, and revoked, and the window follows its use', async ({
  page,
  served,
}) => {
  await page.goto(served.pageAt('/settings/keys'));
  const section = page.getByRole('region', { name: 'Agent keys' });
  await expect(section.getByText('No keys yet')).toBeVisible();
  const open = section.getByRole('button', { name: 'Create key…' });
  await pressOn(page, open, 'by keys');

  const dialog = page.getByRole('dialog', { name: 'Create a key' });
  const create = dialog.getByRole('button', { name: 'Create key' });
  await expect(dialog.getByRole('textbox', { name: 'Name' })).toBeFocused();
  await page.keyboard.type('Orders on the shop server');
  await expect(dialog.getByRole('checkbox', { name: 'Change the key’s own agent' })).toBeDisabled();
  await tabTo(page, dialog.getByRole('combobox', { name: 'Agent' }));
  // Until the agents are there, the key selects nothing.
  await expect(dialog.getByRole('combobox', { name: 'Agent' }).getByText('scout')).toBeAttached();
  await page.keyboard.press('s');
  await expect(dialog.getByRole('combobox', { name: 'Agent' })).toHaveValue('scout');
  for (const scope of ['Read agents', 'Send sats']) {
    await tabTo(page, dialog.getByRole('checkbox', { name: scope }));
    await page.keyboard.press('Space');
  }
  await expect(create).toBeDisabled();
  await tabTo(page, dialog.getByRole('textbox', { name: 'Sats per day' }));
  await page.keyboard.type('none');
  await expect(dialog.getByText('Enter a whole number of sats')).toBeVisible();
  expect(await violationsInBothThemes(page, '[data-dialog]')).toEqual([]);
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('500');
  await page.keyboard.press('Enter');

  const shown = page.getByRole('dialog', { name: 'Copy this key now' });
  const key = (await shown.getByRole('status', { name: 'Key' }).textContent()) ?? '';
  expect(key).toMatch(/^dmk_[0-9a-f]{64}$/);
  expect(await violationsInBothThemes(page, '[data-dialog]')).toEqual([]);
  await pressOn(page, shown.getByRole('button', { name: 'Done' }), 'by keys');
  await expect(open).toBeFocused();
  const row = section.getByRole('listitem').filter({ hasText: 'Orders on the shop server' });
  await expect(row).toContainText('scout');
  await expect(row).toContainText('Send sats (0 of 500 sat today)');
  await expect(row).toContainText('not used yet');
  expect(await page.content()).not.toContain(key);
  expect(await violationsInBothThemes(page, 'main')).toEqual([]);

  const call = (path: string) =>
    fetch(`${served.url}${path}`, { headers: { Authorization: `Bearer ${key}` } });
  expect((await call('/api/agents')).status).toBe(200);
  for (const path of ['/api/trash', '/api/settings']) expect((await call(path)).status).toBe(403);
  await page.reload();
  await expect(row).toContainText('last used just now');

  // Everyone needs a key from now on, but this page keeps working.
  await section.getByRole('switch', { name: 'Require a key' }).press('Space');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Require a key' }).press('Enter');
  await expect(section.getByText('Programs need a key or the operator token.')).toBeVisible();
  // The server restarts, and refuses connections for a moment.
  const statusWithoutKey = () =>
    fetch(`${served.url}/api/agents`).then(
      ({ status }) => status,
      () => 0,
    );
  await expect.poll(statusWithoutKey).toBe(401);
  expect((await call('/api/agents')).status).toBe(200);

  await pressOn(page, row.getByRole('button', { name: 'Revoke Orders on the shop server…' }), 'by keys');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke key' }).press('Enter');
  await expect(section.getByText('No keys yet')).toBeVisible();
  expect((await call('/api/agents')).status).toBe(401);
});
