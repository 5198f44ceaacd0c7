import { rm, symlink } from 'node:fs/promises';
import { expect, test } from './fixtures.ts';
import { tabTo } from './keyboard.ts';

const USERS = Array.from({ length: 200 }, (_, i) => `user-${String(i).padStart(3, '0')}`);

test.use({
  tree: {
    'shared/skills/broken/SKILL.md': '---\nname: [\n---\n',
    'shared/skills/popular/SKILL.md': '---\nname: popular\ndescription: Everybody has it.\n---\n',
    'agents/scout/extensions/say.ts': { link: '../../../shared/extensions/say.ts' },
    ...Object.fromEntries(
      USERS.map((id) => [`agents/${id}/skills/popular`, { link: '../../../shared/skills/popular' }]),
    ),
  },
});

test('shows what each entry is for, what is wrong with it and which agents use it', async ({
  page,
  served,
}) => {
  await page.goto(`${served.url}/catalog`);
  await expect(page.getByText('Summarise a branch.')).toBeVisible();
  await expect(page.getByText(/not valid YAML/)).toBeVisible();
  const skills = page.getByRole('list', { name: 'Skills', exact: true });
  await expect(skills.locator(':scope > li').filter({ hasText: 'Summarise' })).toContainText(
    'Not used by any agent',
  );
  await page.getByRole('textbox', { name: 'Search skills' }).fill('everybody');
  await expect(skills.locator(':scope > li')).toHaveCount(1);
  await page.getByRole('tab', { name: 'Extensions' }).click();
  await page.getByRole('textbox', { name: 'Search extensions' }).fill('');
  const users = page.getByRole('list', { name: 'Agents that use say.ts' });
  await users.getByRole('link', { name: 'scout' }).click();
  await expect(page).toHaveURL(`${served.url}/agents/scout/extensions`);
  await expect(page.getByRole('button', { name: 'Unlink say.ts' })).toBeVisible();
});

test('lists all agents that use a popular entry, with search, and keeps the focus however far it is scrolled', async ({
  page,
  served,
}) => {
  await page.goto(`${served.url}/catalog`);
  await page.getByRole('button', { name: 'Show all 200 agents that use popular' }).click();
  const dialog = page.getByRole('dialog', { name: 'Agents that use popular' });
  const list = dialog.getByRole('list', { name: 'Agents that use popular' });
  await expect(list.getByRole('link', { name: 'user-000' })).toBeVisible();
  expect(await list.getByRole('link').count()).toBeLessThan(60);
  await list.getByRole('link', { name: 'user-002' }).focus();
  await list.evaluate((element) => element.parentElement?.scrollTo(0, 100_000));
  await expect(list.getByRole('link', { name: 'user-199' })).toBeVisible();
  await expect(list.getByRole('link', { name: 'user-002' })).toBeFocused();
  await dialog.getByRole('textbox', { name: 'Search these agents' }).fill('150');
  await list.getByRole('link', { name: 'user-150' }).click();
  await expect(page).toHaveURL(`${served.url}/agents/user-150/skills`);
});

test('by keyboard alone: kinds, search, and on to an agent', async ({ page, served }) => {
  await page.goto(`${served.url}/catalog`);
  await tabTo(page, page.getByRole('tab', { name: 'Skills' }));
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('tab', { name: 'Extensions' })).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('textbox', { name: 'Search extensions' })).toBeFocused();
  await page.keyboard.type('say');
  await expect(page.getByRole('link', { name: 'scout' })).toBeVisible();
  await tabTo(page, page.getByRole('link', { name: 'scout' }));
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`${served.url}/agents/scout/extensions`);
  await expect(page.getByRole('main')).toBeFocused();
});

test('shows within a second which agents link and unlink', async ({ page, served }) => {
  await page.goto(`${served.url}/catalog`);
  await expect(page.getByText('Connected')).toBeAttached();
  const users = page.getByRole('list', { name: 'Agents that use git-summary' });
  await expect(page.getByText('Not used by any agent').first()).toBeVisible();
  await symlink('../../../shared/skills/git-summary', served.agent('scout/skills/git-summary'));
  await expect(users.getByRole('link', { name: 'scout' })).toBeVisible({ timeout: 1000 });
  await users.getByRole('link', { name: 'scout' }).focus();
  await rm(served.agent('scout/skills/git-summary'));
  await expect(users).toHaveCount(0, { timeout: 1000 });
  // Its place was taken by the one that follows in the list.
  await expect(page.getByRole('link', { name: 'user-000' })).toBeFocused();
});
