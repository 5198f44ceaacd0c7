import { lstat, mkdir, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from './fixtures.ts';

test.use({
  tree: {
    'agents/scout/skills/gone': { link: '../../../shared/skills/gone' },
    'agents/scout/skills/own/SKILL.md': '---\nname: own\ndescription: Local.\n---\n',
    'agents/scout/skills/far': { link: '/elsewhere/shared/skills/far' },
    'shared/skills/broken/SKILL.md': '---\nname: [\n---\n',
  },
});

test('shows what is linked, local and broken; removes a broken link and leaves the rest', async ({
  page,
  served,
}) => {
  await page.goto(`${served.url}/agents/scout/skills`);
  const mine = page.getByRole('list', { name: 'Skills of this agent' });
  await expect(mine.getByRole('listitem')).toHaveCount(3);
  await expect(mine.getByRole('listitem').filter({ hasText: 'gone' })).toContainText('broken');
  await expect(mine.getByRole('listitem').filter({ hasText: 'far' })).toContainText('broken');
  await expect(mine.getByRole('listitem').filter({ hasText: 'own' })).toContainText('stays as it is');
  await page.getByRole('button', { name: 'Remove broken link gone' }).click();
  await expect(mine.getByRole('listitem')).toHaveCount(2);
  await expect(lstat(served.agent('scout/skills/gone'))).rejects.toThrow();
  expect((await lstat(served.agent('scout/skills/own'))).isDirectory()).toBe(true);
});

test('links and unlinks a shared skill', async ({ page, served }) => {
  await page.goto(`${served.url}/agents/scout/skills`);
  const offered = page.getByRole('list', { name: 'Shared skills to link' });
  await expect(offered).toContainText('Summarise a branch.');
  await page.getByRole('button', { name: 'Link git-summary', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Unlink git-summary' })).toBeVisible();
  expect(await readlink(served.agent('scout/skills/git-summary'))).toBe('../../../shared/skills/git-summary');
  await page.getByRole('button', { name: 'Unlink git-summary' }).click();
  await expect(page.getByRole('button', { name: 'Link git-summary', exact: true })).toBeVisible();
  await expect(lstat(served.agent('scout/skills/git-summary'))).rejects.toThrow();
});

test('links an extension', async ({ page, served }) => {
  await page.goto(`${served.url}/agents/scout/extensions`);
  await page.getByRole('button', { name: 'Link say.ts', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Unlink say.ts' })).toBeVisible();
  expect(await readlink(served.agent('scout/extensions/say.ts'))).toBe('../../../shared/extensions/say.ts');
});

test('follows links and skills that other programs make, within a second', async ({ page, served }) => {
  await page.goto(`${served.url}/agents/scout/skills`);
  await expect(page.getByText('Connected')).toBeAttached();
  await symlink('../../../shared/skills/git-summary', served.agent('scout/skills/git-summary'));
  await expect(page.getByRole('button', { name: 'Unlink git-summary' })).toBeVisible({ timeout: 1000 });
  await mkdir(join(served.root, 'shared/skills/late'));
  await writeFile(
    join(served.root, 'shared/skills/late/SKILL.md'),
    '---\nname: late\ndescription: Came later.\n---\n',
  );
  await expect(page.getByText('Came later.')).toBeVisible({ timeout: 1000 });
  await rm(served.agent('scout/skills/git-summary'));
  await expect(page.getByRole('button', { name: 'Link git-summary', exact: true })).toBeVisible({
    timeout: 1000,
  });
});

test('the catalog shows a broken skill with what is wrong, and hides no other', async ({ page, served }) => {
  await page.goto(`${served.url}/catalog`);
  await expect(page.getByText('Summarise a branch.')).toBeVisible();
  await expect(page.getByText(/not valid YAML/)).toBeVisible();
});
