import { mkdir, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { themeText } from '../support/theme.ts';
import { expect, test } from './fixtures.ts';

test.use({ signedIn: true });

// In a narrower window, the last sections of an agent are in a menu.
test.use({ viewport: { width: 1800, height: 900 } });

const REVIEW =
  '---\ndescription: Review the last change.\nargument-hint: "[focus]"\n---\n\nReview it. Focus on $1.\n';

test.describe('in a root with prompt templates and themes', () => {
  test.use({
    tree: {
      'shared/prompts/review.md': REVIEW,
      'shared/prompts/new.md': 'A new one.\n',
      'shared/themes/quiet.json': themeText('quiet', { appearance: 'dark' }),
      'shared/themes/broken.json': '{',
    },
  });

  test('one of each is found in the catalog, linked, switched off, and undone', async ({ page, served }) => {
    await page.goto(`${served.url}/catalog`);
    await page.getByRole('tab', { name: 'Prompt templates' }).click();
    await expect(page).toHaveURL(/\/catalog\/prompts$/);
    await page.getByRole('option', { name: /review\.md/ }).click();
    const opened = page.getByRole('article');
    await expect(opened).toContainText('/review [focus]');
    await expect(opened).toContainText('Review the last change.');
    await expect(opened).toContainText('Review it. Focus on $1.');
    await expect(opened).toContainText('Not used by any agent');
    await page.getByRole('option', { name: /new\.md/ }).click();
    await expect(opened).toContainText('pi has its own /new command');
    await page.getByRole('tab', { name: 'Themes' }).click();
    await page.getByRole('option', { name: /broken\.json/ }).click();
    await expect(opened).toContainText('pi refuses this theme');

    // By keyboard, as for skills.
    await page.goto(`${served.url}/agents/scout`);
    const sections = page.getByRole('navigation', { name: 'Sections of scout' });
    await sections.getByRole('link', { name: 'Prompt templates' }).press('Enter');
    await page.getByRole('button', { name: 'Link review.md' }).press('Enter');
    const mine = page.getByRole('list', { name: 'Prompt templates of this agent' });
    await expect(mine.getByRole('listitem')).toHaveText([/review\.md.*shared/]);
    expect(await readlink(join(served.root, 'agents/scout/prompts/review.md'))).toBe(
      '../../../shared/prompts/review.md',
    );
    await sections.getByRole('link', { name: 'Themes' }).press('Enter');
    await page.getByRole('button', { name: 'Link quiet.json' }).press('Enter');
    await expect(page.getByRole('list', { name: 'Themes of this agent' })).toContainText(
      'quiet, for dark terminals',
    );
    await page.getByRole('button', { name: 'Unlink quiet.json' }).press('Enter');
    await expect(page.getByText('No themes yet')).toBeVisible();

    // What settings.json switches off is shown in the list and in the matrix.
    await writeFile(join(served.root, 'agents/scout/settings.json'), '{ "prompts": ["-prompts/review.md"] }');
    await sections.getByRole('link', { name: 'Prompt templates' }).click();
    await expect(mine).toContainText('Linked, switched off');
    await page.goto(`${served.url}/matrix/prompts`);
    const cell = (name: string) => page.getByRole('gridcell', { name, exact: true });
    await expect(cell('review.md for scout: linked, but settings.json switches it off')).toBeVisible();
    await page.getByRole('button', { name: 'Themes' }).press('Enter');
    await page.getByRole('grid', { name: 'Agents and themes' }).focus();
    for (const key of ['Home', 'ArrowRight', 'Space']) await page.keyboard.press(key);
    await expect(cell('quiet.json for scout: linked')).toBeVisible();
    expect(await readlink(join(served.root, 'agents/scout/themes/quiet.json'))).toBe(
      '../../../shared/themes/quiet.json',
    );
  });
});

test('a kind without entries has no tab of an agent, until another program adds one', async ({
  page,
  served,
}) => {
  await page.goto(`${served.url}/agents/scout`);
  const sections = page.getByRole('navigation', { name: 'Sections of scout' });
  await expect(sections.getByRole('link', { name: 'Extensions' })).toBeVisible();
  await expect(sections.getByRole('link', { name: 'Prompt templates' })).toHaveCount(0);
  await mkdir(join(served.root, 'shared/prompts'));
  await writeFile(join(served.root, 'shared/prompts/review.md'), REVIEW);
  await expect(sections.getByRole('link', { name: 'Prompt templates' })).toBeVisible();
  await expect(sections.getByRole('link', { name: 'Themes' })).toHaveCount(0);
  await page.goto(`${served.url}/catalog/themes`);
  await expect(page.getByText('No shared themes yet')).toBeVisible();
});
