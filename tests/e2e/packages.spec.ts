import { readFileSync } from 'node:fs';
import { violationsInBothThemes } from './axe.ts';
import { expect, test } from './fixtures.ts';

const TEXT =
  '{\n\t"packages": [\n\t\t{"source": "npm:tools@^1.0.0", "themes": []},\n\t\t"https://me:hunter22@git.example/a/b"\n\t]\n}\n';

const TOOLS = 'agents/scout/npm/node_modules/tools';

test.use({
  tree: {
    'agents/scout/settings.json': TEXT,
    [`${TOOLS}/package.json`]: '{"version":"1.2.3"}',
    [`${TOOLS}/skills/review/SKILL.md`]: '---\ndescription: Review.\n---\n',
    [`${TOOLS}/themes/night.json`]: '{}',
  },
});

test('packages are listed, added and removed by keys, undone, and no password is shown', async ({
  page,
  served,
}) => {
  const path = served.agent('scout/settings.json');
  await page.goto(served.pageAt('/agents/scout/settings'));
  const part = page.getByRole('region', { name: 'Packages of scout' });
  const rows = part.getByRole('listitem');
  await expect(rows).toHaveCount(2);
  await expect(rows.nth(0)).toContainText('1.2.3 (^1.0.0)');
  await expect(rows.nth(0)).toContainText('Adds 1 skill. Filters leave out 1. review, night (off)');
  await expect(rows.nth(1)).toContainText('https://…@git.example/a/b');
  expect(await page.content()).not.toContain('hunter22');
  expect(await violationsInBothThemes(page, 'main')).toEqual([]);
  // The settings have no field of JSON for them any longer.
  await expect(page.getByRole('textbox', { name: 'packages', exact: true })).toHaveCount(0);

  const field = part.getByRole('textbox', { name: 'npm name, git address or path' });
  await field.focus();
  await page.keyboard.type('github:me/clone');
  await page.keyboard.press('Enter');
  await expect(part).toContainText('"github:me/clone" is neither a path nor a repository.');
  await field.fill('git:github.com/me/clone@v2');
  await page.keyboard.press('Enter');
  await expect(rows).toHaveCount(3);
  await expect(field).toHaveValue('');
  const added = TEXT.replace('a/b"\n', 'a/b",\n\t\t"git:github.com/me/clone@v2"\n');
  expect(readFileSync(path, 'utf8')).toBe(added);
  await expect(rows.nth(2)).toContainText('Not installed');
  await expect(rows.nth(2).getByRole('code')).toContainText('pi install git:github.com/me/clone@v2');
  await expect(
    rows.nth(2).getByRole('button', { name: 'Copy the command that installs git:github.com/me/clone@v2' }),
  ).toBeVisible();

  // Backwards from the field, past two buttons of rows and the command of the last one.
  const removeSecond = rows.nth(1).getByRole('button', { name: /^Remove https/ });
  for (let presses = 0; presses < 3; presses++) await page.keyboard.press('Shift+Tab');
  await expect(removeSecond).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(rows).toHaveCount(2);
  await expect(rows.nth(1).getByRole('button', { name: /^Remove git/ })).toBeFocused();
  // The newest message comes first.
  await page.getByRole('button', { name: 'Undo' }).first().click();
  await expect(rows).toHaveCount(3);
  expect(readFileSync(path, 'utf8')).toBe(added);

  await page.setViewportSize({ width: 390, height: 800 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
});

test('each part of a package is switched by keys, one after the other, and undone', async ({
  page,
  served,
}) => {
  const path = served.agent('scout/settings.json');
  await page.goto(served.pageAt('/agents/scout/settings'));
  const part = page.getByRole('region', { name: 'Packages of scout' });
  const summary = part.getByText('Choose what it loads');
  // A package that isn't installed has nothing to choose.
  await expect(summary).toHaveCount(1);
  await summary.focus();
  await page.keyboard.press('Enter');
  const skills = part.getByRole('group', { name: 'Skills of npm:tools@^1.0.0' });
  const review = skills.getByRole('switch', { name: 'Load skills/review' });
  const night = part.getByRole('switch', { name: 'Load themes/night.json' });
  await expect(review).toBeChecked();
  await expect(night).not.toBeChecked();
  expect(await violationsInBothThemes(page, 'main')).toEqual([]);

  await page.keyboard.press('Tab');
  await expect(review).toBeFocused();
  await page.keyboard.press('Space');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  await expect(review).not.toBeChecked();
  await expect(night).toBeChecked();
  await expect(night).toBeFocused();
  await expect(part).toContainText('Adds 1 theme. Filters leave out 1.');
  const after = TEXT.replace(
    '"themes": []',
    '"themes": [\n\t\t\t"themes/night.json"\n\t\t], "skills": [\n\t\t\t"-skills/review"\n\t\t]',
  );
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(JSON.parse(after));

  await page.getByRole('button', { name: 'Undo' }).first().click();
  await expect(night).not.toBeChecked();
  await expect(review).not.toBeChecked();
  await review.press('Space');
  // The switch moves before the file is written.
  await expect(review).toBeChecked();
  await expect.poll(() => JSON.parse(readFileSync(path, 'utf8'))).toEqual(JSON.parse(TEXT));

  await page.setViewportSize({ width: 390, height: 800 });
  await expect(night).toBeInViewport();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
});

test('the search of the settings finds the packages', async ({ page, served }) => {
  await page.goto(served.pageAt('/agents/scout/settings'));
  const part = page.getByRole('region', { name: 'Packages of scout' });
  await expect(part).toBeVisible();
  const search = page.getByLabel('Search settings');
  await search.fill('keepRecent');
  await expect(part).toHaveCount(0);
  await search.fill('packages');
  await expect(part).toBeVisible();
});

test('asks whether a bare name is a package or a folder, by mouse', async ({ page, served }) => {
  const path = served.agent('scout/settings.json');
  await page.goto(served.pageAt('/agents/scout/settings'));
  const part = page.getByRole('region', { name: 'Packages of scout' });
  const field = part.getByRole('textbox', { name: 'npm name, git address or path' });
  const question = part.getByRole('group', { name: /can mean two things/ });
  await field.fill('pi-lint');
  await part.getByRole('button', { name: 'Add package' }).click();
  await expect(question).toContainText('“pi-lint” can mean two things. Which one do you want?');
  expect(readFileSync(path, 'utf8')).toBe(TEXT);
  expect(await violationsInBothThemes(page, 'main')).toEqual([]);
  await field.fill('me/pi-lint');
  await expect(question).toHaveCount(0);
  await part.getByRole('button', { name: 'Add package' }).click();
  await expect(question.getByRole('button')).toHaveText([
    'Repositorygit:github.com/me/pi-lint',
    'Folder in the agent’s folder./me/pi-lint',
  ]);
  await field.fill('pi-lint');
  await part.getByRole('button', { name: 'Add package' }).click();
  await question.getByRole('button', { name: 'npm package npm:pi-lint' }).click();
  await expect(part.getByRole('listitem')).toHaveCount(3);
  expect(readFileSync(path, 'utf8')).toContain('"npm:pi-lint"');
  await expect(question).toHaveCount(0);
  await expect(field).toBeFocused();
});
