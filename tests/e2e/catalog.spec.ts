import { rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from './fixtures.ts';
import { tabTo } from './keyboard.ts';

test.use({ signedIn: true });

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

test('lists the entries, and shows what the opened one is for, its SKILL.md, its problems and its users', async ({
  page,
  served,
}) => {
  await page.goto(`${served.url}/catalog`);
  const list = page.getByRole('listbox', { name: 'Skills' });
  await expect(list.getByRole('option')).toHaveCount(3);
  await expect(list.getByRole('option', { name: /popular/ })).toContainText('200 agents');
  // The first one is open. It has a problem.
  const opened = page.getByRole('article');
  await expect(opened).toContainText('not valid YAML');
  await list.getByRole('option', { name: /git-summary/ }).click();
  await expect(page).toHaveURL(`${served.url}/catalog/skills/git-summary`);
  await expect(opened).toContainText('Summarise a branch.');
  await expect(opened).toContainText('Body.');
  await expect(opened).toContainText('Not used by any agent');

  // In a narrow window, the list and the opened entry take turns.
  await page.setViewportSize({ width: 500, height: 600 });
  await expect(list).toBeHidden();
  await page.getByRole('link', { name: 'All skills' }).click();
  await expect(opened).toBeHidden();
  await expect(list).toBeVisible();
  await page.setViewportSize({ width: 1280, height: 800 });

  await page.goto(`${served.url}/catalog/skills/nothing`);
  await expect(page.getByText('The catalog has no “nothing”')).toBeVisible();
});

test('broken skills need attention, and the link leads to the catalog with those alone', async ({
  page,
  served,
}) => {
  await page.goto(served.pageAt('/'));
  await page.getByRole('link', { name: '1 shared skill has errors' }).press('Enter');
  await expect(page).toHaveURL(/\/catalog\/skills\?filter=errors$/);
  const options = page.getByRole('listbox', { name: 'Skills' }).getByRole('option');
  await expect(options).toHaveText([/broken/]);
  await expect(page.getByRole('article').getByRole('heading', { level: 2 })).toHaveText('broken');

  // Who repairs it sees it leave, and gets the others back by one key.
  const filter = page.getByRole('button', { name: 'With errors' });
  await expect(filter).toHaveAttribute('aria-pressed', 'true');
  await writeFile(
    join(served.root, 'shared/skills/broken/SKILL.md'),
    '---\nname: broken\ndescription: It works again. Use it to test.\n---\n\nDo it.\n',
  );
  await expect(options).toHaveCount(0);
  await expect(page.getByText('No errors')).toBeVisible();
  await expect(page.getByText('The catalog has no')).toHaveCount(0);
  await filter.press('Enter');
  await expect(options).toHaveCount(3);
  await page.getByRole('link', { name: 'Overview' }).click();
  await expect(page.getByRole('region', { name: 'Needs attention' })).not.toContainText('shared skill');
});

test('adds the skill dot-mi where it is missing, by keyboard, with undo', async ({ page, served }) => {
  await page.goto(`${served.url}/catalog`);
  const add = page.getByRole('button', { name: 'Add the dot-mi skill' });
  await add.focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`${served.url}/catalog/skills/dot-mi`);
  await expect(page.getByRole('article')).toContainText('Uses the local dot-mi server over HTTP.');
  await expect(page.getByRole('article')).toContainText('Not used by any agent');
  await expect(page.getByRole('listbox', { name: 'Skills' })).toBeFocused();
  await expect(add).toBeHidden();
  await page.keyboard.press('Control+z');
  await expect(add).toBeVisible();
  await expect(page.getByRole('option', { name: /dot-mi/ })).toHaveCount(0);
});

test('lists all agents that use a popular entry, with search, and keeps the focus however far it is scrolled', async ({
  page,
  served,
}) => {
  await page.goto(`${served.url}/catalog/skills/popular`);
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

test('by keyboard alone: kinds, search, an entry, and on to an agent', async ({ page, served }) => {
  await page.goto(`${served.url}/catalog`);
  await tabTo(page, page.getByRole('tab', { name: 'Skills' }));
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('tab', { name: 'Extensions' })).toBeFocused();
  await expect(page).toHaveURL(`${served.url}/catalog/extensions`);
  await tabTo(page, page.getByRole('combobox', { name: 'Search extensions' }));
  await page.keyboard.type('say');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`${served.url}/catalog/extensions/say.ts`);
  await tabTo(page, page.getByRole('link', { name: 'scout' }));
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`${served.url}/agents/scout/extensions`);
  await expect(page.getByRole('main')).toBeFocused();
});

test('shows within a second which agents link and unlink', async ({ page, served }) => {
  await page.goto(`${served.url}/catalog/skills/git-summary`);
  await expect(page.getByText('Connected')).toBeAttached();
  const users = page.getByRole('list', { name: 'Agents that use git-summary' });
  await expect(page.getByText('Not used by any agent')).toBeVisible();
  await symlink('../../../shared/skills/git-summary', served.agent('scout/skills/git-summary'));
  await expect(users.getByRole('link', { name: 'scout' })).toBeVisible();
  await users.getByRole('link', { name: 'scout' }).focus();
  await rm(served.agent('scout/skills/git-summary'));
  await expect(users).toHaveCount(0);
  await expect(page.locator('body')).not.toBeFocused();
});

test.describe('two thousand skills', () => {
  test.use({
    tree: Object.fromEntries(
      Array.from({ length: 2000 }, (_, i) => [
        `shared/skills/skill-${i}/SKILL.md`,
        `---\nname: skill-${i}\n---\n`,
      ]),
    ),
  });

  test('are listed, and the first match is opened by Enter', async ({ page, served }) => {
    await page.goto(`${served.url}/catalog`);
    await expect(page.getByRole('tab', { name: 'Skills 2,001' })).toBeVisible();
    expect(await page.getByRole('option').count()).toBeLessThan(60);
    await page.getByRole('combobox', { name: 'Search skills' }).fill('skill-1999');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(`${served.url}/catalog/skills/skill-1999`);
  });
});
