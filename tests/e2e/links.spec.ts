import { lstat, mkdir, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { violationsInBothThemes } from './axe.ts';
import { expect, test } from './fixtures.ts';
import { type How, pressOn, tabTo } from './keyboard.ts';

test.use({ signedIn: true });

test.use({
  tree: {
    'agents/scout/skills/gone': { link: '../../../shared/skills/gone' },
    'agents/scout/skills/own/SKILL.md': '---\nname: own\ndescription: Local.\n---\n',
    'agents/scout/skills/far': { link: '/elsewhere/shared/skills/far' },
    'shared/skills/broken/SKILL.md': '---\nname: [\n---\n',
  },
});

test('shows what is linked, local and broken, and removes only a broken link', async ({ page, served }) => {
  await page.goto(`${served.url}/agents/scout/skills`);
  const mine = page.getByRole('list', { name: 'Skills of this agent' });
  await expect(mine.getByRole('listitem')).toHaveCount(3);
  await expect(mine.getByRole('listitem').filter({ hasText: 'gone' })).toContainText('broken');
  await expect(mine.getByRole('listitem').filter({ hasText: 'far' })).toContainText('broken');
  await expect(mine.getByRole('listitem').filter({ hasText: 'own' })).toContainText('Local.');
  await expect(mine.getByRole('listitem').filter({ hasText: 'own' })).toContainText('Only in this agent');
  await page.getByRole('button', { name: 'Remove broken link gone' }).click();
  await expect(mine.getByRole('listitem')).toHaveCount(2);
  await expect(lstat(served.agent('scout/skills/gone'))).rejects.toThrow();
  expect((await lstat(served.agent('scout/skills/own'))).isDirectory()).toBe(true);
});

test('a row opens a sheet with the SKILL.md, its problems and its users, by mouse and by keyboard', async ({
  page,
  served,
}) => {
  await page.goto(`${served.url}/agents/scout/skills`);
  for (const how of ['by mouse', 'by keys'] satisfies How[]) {
    const name = page.getByRole('button', { name: 'own', exact: true });
    await pressOn(page, name, how);
    const own = page.getByRole('dialog', { name: 'own' });
    await expect(own).toContainText('Local.');
    await expect(own).toContainText('agents/scout/skills/own/SKILL.md');
    await expect(own.getByText('This file has no text below its frontmatter.')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(own).toBeHidden();
    await expect(name).toBeFocused();
  }
  await page.getByRole('button', { name: 'git-summary', exact: true }).click();
  const shared = page.getByRole('dialog', { name: 'git-summary' });
  await expect(shared).toContainText('Body.');
  await expect(shared).toContainText('Not used by any agent');
  await shared.getByRole('link', { name: 'Open in catalog' }).click();
  await expect(page).toHaveURL(`${served.url}/catalog/skills/git-summary`);
  await page.getByRole('option', { name: /broken/ }).click();
  await expect(page.getByRole('article')).toContainText('not valid YAML');
});

test('says which links are junctions, why, and that a moved root breaks them', async ({ page, served }) => {
  // As the server of a Windows without Developer Mode answers.
  await symlink(served.root, served.agent('scout/skills/git-summary'));
  await page.route('**/api/agents/scout/links/skills', async (route) => {
    const response = await route.fetch();
    const { entries } = await response.json();
    for (const entry of entries) if (entry.kind === 'symlink') entry.junction = true;
    await route.fulfill({ json: { entries } });
  });
  await page.goto(`${served.url}/agents/scout/skills`);
  const mine = page.getByRole('list', { name: 'Skills of this agent' }).getByRole('listitem');
  const whole = mine.filter({ hasText: 'git-summary' });
  await expect(whole.getByText('junction', { exact: true })).toBeVisible();
  await expect(whole).toContainText('Windows refused to create a symlink');
  const broken = mine.filter({ hasText: 'gone' });
  await expect(broken.getByText('broken link')).toBeVisible();
  await expect(broken).toContainText('A junction stores a full path, so it breaks when the root moves.');
  await expect(mine.filter({ hasText: 'own' })).not.toContainText('junction');
});

test('says which links settings.json switches off, in the list and in the matrix, and follows its edits', async ({
  page,
  served,
}) => {
  const settings = served.agent('scout/settings.json');
  await symlink('../../../shared/skills/git-summary', served.agent('scout/skills/git-summary'));
  await writeFile(settings, '{ "skills": ["-skills/git-summary"] }');
  await page.goto(served.pageAt('/agents/scout/skills'));
  const row = page
    .getByRole('listitem')
    .filter({ has: page.getByRole('button', { name: 'Unlink git-summary' }) });
  const why = 'This agent’s settings.json switches it off, so pi doesn’t load it.';
  await expect(row.getByText('Linked, switched off', { exact: true })).toBeVisible();
  await expect(row).toContainText(why);
  expect(await violationsInBothThemes(page)).toEqual([]);
  await pressOn(page, row.getByRole('button', { name: 'git-summary', exact: true }), 'by keys');
  const sheet = page.getByRole('dialog', { name: 'git-summary' });
  await expect(sheet.getByText('Linked, switched off', { exact: true })).toBeVisible();
  await expect(sheet).toContainText(why);
  await page.keyboard.press('Escape');

  await expect(page.getByText('Connected')).toBeAttached();
  await writeFile(settings, '{}');
  await expect(row.getByText('shared', { exact: true })).toBeVisible();
  await expect(page.getByText(why)).toHaveCount(0);

  await page.goto(served.pageAt('/matrix/skills'));
  const cell = (state: string) =>
    page.getByRole('gridcell', { name: `git-summary for scout: ${state}`, exact: true });
  await expect(cell('linked')).toHaveText('✓');
  await writeFile(settings, '{ "skills": ["!git-*"] }');
  await expect(cell('linked, but settings.json switches it off')).toHaveText('×');
  await expect(page.getByRole('list', { name: 'Legend' })).toContainText('Linked, switched off');
  expect(await violationsInBothThemes(page)).toEqual([]);
});

test('searches for a shared skill, links it and unlinks it', { tag: '@smoke' }, async ({ page, served }) => {
  await page.goto(`${served.url}/agents/scout/skills`);
  const offers = page.getByRole('list', { name: 'Shared skills to link' });
  const offered = offers.getByRole('button', { name: /^Link/ });
  await expect(offered).toHaveCount(2);
  await page.getByRole('textbox', { name: 'Search shared skills' }).fill('a branch');
  await expect(offered).toHaveCount(1);
  await expect(offers).toContainText('Summarise a branch.');
  await page.getByRole('button', { name: 'Link git-summary', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Unlink git-summary' })).toBeVisible();
  expect(await readlink(served.agent('scout/skills/git-summary'))).toBe('../../../shared/skills/git-summary');
  await page.getByRole('button', { name: 'Unlink git-summary' }).click();
  await expect(page.getByRole('button', { name: 'Link git-summary', exact: true })).toBeVisible();
  await expect(lstat(served.agent('scout/skills/git-summary'))).rejects.toThrow();
});

test('reverts a link and its removal with a click on Undo', async ({ page, served }) => {
  const linked = served.agent('scout/skills/git-summary');
  await page.goto(`${served.url}/agents/scout/skills`);
  const link = page.getByRole('button', { name: 'Link git-summary', exact: true });
  const unlink = page.getByRole('button', { name: 'Unlink git-summary' });
  const undo = page.getByRole('region', { name: 'Notifications' }).getByRole('button', { name: 'Undo' });
  await link.click();
  await expect(unlink).toBeVisible();
  await undo.click();
  await expect(link).toBeVisible();
  await expect(lstat(linked)).rejects.toThrow();
  await expect(undo).toHaveCount(0);
  await expect(page.getByText('Undone: Linked git-summary')).toBeVisible();
  await expect(page.locator('body')).not.toBeFocused();

  await symlink('../../../shared/skills/git-summary', linked);
  await unlink.click();
  await expect(link).toBeVisible();
  await expect(lstat(linked)).rejects.toThrow();
  await undo.click();
  await expect(unlink).toBeVisible();
  await expect(page.getByText('Undone: Unlinked git-summary')).toBeVisible();
  expect(await readlink(linked)).toBe('../../../shared/skills/git-summary');
  await expect(page.locator('body')).not.toBeFocused();
});

test('links and unlinks an extension', async ({ page, served }) => {
  await page.goto(`${served.url}/agents/scout/extensions`);
  await page.getByRole('button', { name: 'Link say.ts', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Unlink say.ts' })).toBeVisible();
  expect(await readlink(served.agent('scout/extensions/say.ts'))).toBe('../../../shared/extensions/say.ts');
  await page.getByRole('button', { name: 'Unlink say.ts' }).click();
  await expect(page.getByRole('button', { name: 'Link say.ts', exact: true })).toBeVisible();
  await expect(lstat(served.agent('scout/extensions/say.ts'))).rejects.toThrow();
});

test('says what an extension is for and what keeps pi from loading it, and updates when another program fixes it', async ({
  page,
  served,
}) => {
  const shared = join(served.root, 'shared/extensions');
  await mkdir(join(shared, 'half-made'));
  await page.goto(`${served.url}/agents/scout/extensions`);
  await expect(page.getByText('Connected')).toBeAttached();
  await expect(page.getByText(/It has no index\.ts or index\.js/)).toBeVisible();
  await writeFile(join(shared, 'half-made/index.ts'), '// Half of it.\nexport default () => {};\n');
  await expect(page.getByText('Half of it.')).toBeVisible();
  await expect(page.getByText(/has no index/)).toHaveCount(0);
  await writeFile(join(shared, 'half-made/package.json'), '{');
  await expect(page.getByText('package.json is not valid JSON.')).toBeVisible();

  await page.goto(`${served.url}/catalog`);
  await page.getByRole('tab', { name: 'Extensions' }).click();
  const row = page.getByRole('option', { name: /half-made/ });
  await expect(row).toContainText('Half of it.');
  await expect(row).toContainText('1 warning');
  await row.click();
  await expect(page.getByRole('article')).toContainText('package-json-invalid');
});

test('shows links and skills that other programs create and remove, within a second, without losing the focus', async ({
  page,
  served,
}) => {
  await page.goto(`${served.url}/agents/scout/skills`);
  await expect(page.getByText('Connected')).toBeAttached();
  await expect(page.getByRole('button', { name: 'Link git-summary', exact: true })).toBeVisible();
  await symlink('../../../shared/skills/git-summary', served.agent('scout/skills/git-summary'));
  await expect(page.getByRole('button', { name: 'Unlink git-summary' })).toBeVisible();
  await mkdir(join(served.root, 'shared/skills/late'));
  await writeFile(
    join(served.root, 'shared/skills/late/SKILL.md'),
    '---\nname: late\ndescription: Came later.\n---\n',
  );
  await expect(page.getByText('Came later.')).toBeVisible();
  await page.getByRole('button', { name: 'Unlink git-summary' }).focus();
  await rm(served.agent('scout/skills/git-summary'));
  const offer = page.getByRole('button', { name: 'Link git-summary', exact: true });
  await expect(offer).toBeVisible();
  // What took the place of the button that had it.
  await expect(page.getByRole('button', { name: 'Remove broken link gone' })).toBeFocused();

  await offer.focus();
  await rm(join(served.root, 'shared/skills/git-summary'), { recursive: true });
  await expect(page.getByRole('button', { name: 'Link late', exact: true })).toBeFocused();
  await rm(served.agent('scout'), { recursive: true });
  await expect(page.getByText('No agent called “scout”')).toBeVisible();
  await expect(page.getByRole('main')).toBeFocused();
});

test('links by dragging into the agent, and unlinks by dragging back', async ({ page, served }) => {
  await page.goto(`${served.url}/agents/scout/skills`);
  const mine = page.getByRole('region', { name: 'In this agent' });
  const shared = page.getByRole('region', { name: 'Shared skills' });
  await shared.getByText('git-summary', { exact: true }).dragTo(mine);
  await expect(page.getByRole('button', { name: 'Unlink git-summary' })).toBeVisible();
  expect(await readlink(served.agent('scout/skills/git-summary'))).toBe('../../../shared/skills/git-summary');
  await mine.getByText('git-summary', { exact: true }).dragTo(shared);
  await expect(page.getByRole('button', { name: 'Link git-summary', exact: true })).toBeVisible();
  await expect(lstat(served.agent('scout/skills/git-summary'))).rejects.toThrow();
  // What is the agent's own is not dragged away, and a drop on its own side is none.
  await mine.getByText('own', { exact: true }).dragTo(shared);
  await shared.getByText('git-summary', { exact: true }).dragTo(shared.getByText('broken', { exact: true }));
  expect((await lstat(served.agent('scout/skills/own'))).isDirectory()).toBe(true);
  await expect(page.getByRole('button', { name: 'Link git-summary', exact: true })).toBeVisible();
});

test('a link that points elsewhere is unlinked after a question, by mouse and by keyboard, and its target doesn’t change', async ({
  page,
  served,
}) => {
  const far = served.agent('scout/skills/far');
  const question = page.getByRole('alertdialog', { name: 'Unlink far?' });
  const ask = page.getByRole('button', { name: 'Unlink far' });
  await page.goto(`${served.url}/agents/scout/skills`);
  await expect(page.getByText('Connected')).toBeAttached();
  for (const how of ['by mouse', 'by keys'] satisfies How[]) {
    await rm(far, { force: true });
    await symlink(join(served.root, 'shared/extensions'), far);
    await pressOn(page, ask, how);
    await expect(question).toBeVisible();
    expect((await lstat(far)).isSymbolicLink()).toBe(true);
    await pressOn(page, question.getByRole('button', { name: 'Unlink' }), how);
    await expect(ask).toHaveCount(0);
    await expect(lstat(far)).rejects.toThrow();
    await expect(page.locator('body')).not.toBeFocused();
  }
  expect((await lstat(join(served.root, 'shared/extensions/say.ts'))).isFile()).toBe(true);
});

for (const [kind, name] of [
  ['skills', 'git-summary'],
  ['extensions', 'say.ts'],
] as const) {
  test(`links, undoes, unlinks and undoes ${kind} by keyboard alone, and never loses the focus`, async ({
    page,
    served,
  }) => {
    const path = served.agent(`scout/${kind}/${name}`);
    await page.goto(`${served.url}/agents/scout/${kind}`);
    const link = page.getByRole('button', { name: `Link ${name}`, exact: true });
    const unlink = page.getByRole('button', { name: `Unlink ${name}` });
    await pressOn(page, link, 'by keys');
    await expect(unlink).toBeVisible();
    await expect(page.locator('body')).not.toBeFocused();
    await page.keyboard.press('Control+z');
    await expect(unlink).toHaveCount(0);
    await expect(lstat(path)).rejects.toThrow();
    await pressOn(page, link, 'by keys');
    await pressOn(page, unlink, 'by keys', 'Shift+Tab');
    await expect(unlink).toHaveCount(0);
    await expect(page.locator('body')).not.toBeFocused();
    await page.keyboard.press('Control+z');
    await expect(unlink).toBeVisible();
    expect(await readlink(path)).toBe(`../../../shared/${kind}/${name}`);
  });
}

test.describe('broken links', () => {
  test.use({
    tree: {
      'shared/skills/moved/SKILL.md': '---\nname: moved\ndescription: It came back.\n---\n',
      'agents/scout/skills/moved': { link: '/elsewhere/skills/moved' },
      'agents/scout/skills/git-summary': { link: '../../shared/skills/git-summary' },
      'agents/scout/skills/lost': { link: '../../../shared/skills/lost' },
    },
  });

  test('are repaired if the catalog has their name, and removed otherwise', async ({ page, served }) => {
    await page.goto(`${served.url}/agents/scout/skills`);
    await page.getByRole('button', { name: /Repair moved/ }).click();
    await expect(page.getByRole('button', { name: 'Unlink moved' })).toBeVisible();
    expect(await readlink(served.agent('scout/skills/moved'))).toBe('../../../shared/skills/moved');
    await expect(page.getByRole('button', { name: /Repair lost/ })).toHaveCount(0);
    await page.getByRole('button', { name: 'Remove broken link lost' }).click();
    await expect(page.getByRole('button', { name: 'Remove broken link lost' })).toHaveCount(0);
    await expect(lstat(served.agent('scout/skills/lost'))).rejects.toThrow();
  });

  test('are repaired by keyboard alone, and the focus moves to what replaces the button', async ({
    page,
    served,
  }) => {
    await page.goto(`${served.url}/agents/scout/skills`);
    await tabTo(page, page.getByRole('button', { name: /Repair git-summary/ }));
    await page.keyboard.press('Enter');
    await expect(page.getByRole('button', { name: 'Unlink git-summary' })).toBeFocused();
    expect(await readlink(served.agent('scout/skills/git-summary'))).toBe(
      '../../../shared/skills/git-summary',
    );
    await tabTo(page, page.getByRole('button', { name: 'Remove broken link lost' }));
    await page.keyboard.press('Enter');
    await expect(page.getByRole('button', { name: 'Remove broken link lost' })).toHaveCount(0);
    await expect(lstat(served.agent('scout/skills/lost'))).rejects.toThrow();
    await expect(page.locator('body')).not.toBeFocused();
  });
});
