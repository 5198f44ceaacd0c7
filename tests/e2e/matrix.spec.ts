import { readdir, readFile, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from './fixtures.ts';

test.use({ signedIn: true });

const SKILLS = Array.from({ length: 60 }, (_, i) => `skill-${String(i).padStart(2, '0')}`);
const AGENTS = Array.from({ length: 80 }, (_, i) => `agent-${String(i).padStart(2, '0')}`);

test.use({
  tree: {
    ...Object.fromEntries(
      SKILLS.map((name) => [`shared/skills/${name}/SKILL.md`, `---\nname: ${name}\ndescription: It.\n---\n`]),
    ),
    ...Object.fromEntries(AGENTS.map((id) => [`agents/${id}/SYSTEM.md`, ''])),
    'agents/agent-00/skills/skill-00': { link: '../../../shared/skills/skill-00' },
    'agents/agent-01/skills/gone': { link: '../../../shared/skills/gone' },
  },
});

test('a preset is saved from an agent, given to others and to a new agent, renamed, deleted and brought back', async ({
  page,
  served,
}) => {
  const skillsOf = async (id: string): Promise<string[]> =>
    (await readdir(join(served.root, 'agents', id, 'skills')).catch(() => [])).sort();
  const file = (name: string): string => join(served.root, 'shared/presets', `${name}.json`);
  const grid = page.getByRole('grid', { name: 'Agents and skills' });
  await page.goto(served.pageAt('/matrix/skills'));
  await page.getByRole('rowheader', { name: 'agent-00' }).click();
  await page.getByRole('button', { name: 'Save as preset…' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('web');
  await expect(page.getByText('1 skill', { exact: true })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page.getByText('Saved the preset web')).toBeVisible();
  expect(JSON.parse(await readFile(file('web'), 'utf8'))).toEqual({ skills: ['skill-00'], extensions: [] });

  // From the list of agents, with the chosen ones, and by the keyboard alone.
  await page.getByRole('link', { name: 'Agents' }).click();
  const list = page.getByRole('listbox', { name: 'Agents' });
  await list.focus();
  for (const key of ['Home', 'ArrowDown', 'ArrowDown', 'Space', 'ArrowDown', 'Space'])
    await page.keyboard.press(key);
  await page.getByRole('button', { name: 'Matrix', exact: true }).press('Enter');
  await expect(grid).toHaveAttribute('aria-rowcount', '3');
  await page.reload();
  await expect(grid).toHaveAttribute('aria-rowcount', '3');
  await grid.focus();
  for (const key of ['Shift+Space', 'ArrowDown', 'Shift+Space']) await page.keyboard.press(key);
  await page.getByRole('button', { name: 'Apply preset…' }).press('Enter');
  const asked = page.getByRole('dialog', { name: 'Apply a preset to 2 agents' });
  await expect(asked.getByRole('listitem')).toHaveText(['+skill-002 new']);
  await expect(asked.getByText('Adds 2 links.')).toBeVisible();
  await page.getByRole('button', { name: 'Apply', exact: true }).press('Enter');
  await expect.poll(() => skillsOf('agent-03')).toEqual(['skill-00']);
  expect(await skillsOf('agent-02')).toEqual(['skill-00']);
  await expect(page.getByText('Linked 2', { exact: true })).toBeVisible();
  // The toast goes with the page. The change doesn't.
  await page.reload();
  const recent = page.getByRole('button', { name: 'Recent changes' });
  await recent.press('Enter');
  const changes = page.getByRole('dialog', { name: 'Recent changes' });
  await changes.getByRole('button', { name: 'Undo: Apply preset web' }).press('Enter');
  await expect.poll(() => skillsOf('agent-03')).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(changes).toHaveCount(0);
  await expect(recent).toBeFocused();
  await page.getByRole('button', { name: 'Show only 2 agents' }).click();
  await expect(grid).toHaveAttribute('aria-rowcount', '82');

  await page.getByRole('link', { name: 'Agents' }).click();
  await page.getByRole('button', { name: 'New agent' }).click();
  await page.getByRole('textbox', { name: 'Agent id' }).fill('fresh');
  await page.getByRole('combobox', { name: 'Preset' }).selectOption('web');
  await page.getByRole('button', { name: 'Create agent' }).click();
  await expect(page.getByText('Created fresh with the preset web')).toBeVisible();
  expect(await skillsOf('fresh')).toEqual(['skill-00']);

  await page.goto(served.pageAt('/matrix/skills'));
  await page.getByRole('button', { name: 'Presets…' }).click();
  const presets = page.getByRole('list', { name: 'Presets of this root' });
  await page.getByRole('button', { name: 'Rename web' }).click();
  await page.getByRole('textbox', { name: 'New name for web' }).fill('prose');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Delete prose' })).toBeVisible();
  // Another program's files appear, and a damaged one hides no other.
  await writeFile(file('bad'), '{');
  await writeFile(file('lacks'), '{ "skills": ["absent"] }');
  await expect(presets.getByText('shared/presets/bad.json is not a preset')).toBeVisible();
  await expect(presets.getByText('Not in the catalog: absent')).toBeVisible();
  await page.getByRole('button', { name: 'Delete prose' }).click();
  await expect(presets.getByText('prose')).toBeHidden();
  await page.getByRole('button', { name: 'Undo', exact: true }).first().click();
  await expect(presets.getByText('prose')).toBeVisible();
  expect(JSON.parse(await readFile(file('prose'), 'utf8')).skills).toEqual(['skill-00']);
  await page.getByRole('button', { name: 'Delete prose' }).click();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('link', { name: 'Trash' }).click();
  await page.getByRole('button', { name: 'Restore Preset prose' }).click();
  await expect(page.getByText('Restored Preset prose')).toBeVisible();
  expect(JSON.parse(await readFile(file('prose'), 'utf8')).skills).toEqual(['skill-00']);
});

test('links are changed by key and by mouse, one at a time, in blocks and after another agent, and each undo is one step', async ({
  page,
  served,
}) => {
  const skillsOf = async (id: string): Promise<string[]> =>
    (await readdir(join(served.root, 'agents', id, 'skills')).catch(() => [])).sort();
  const cell = (name: string, agent: string, state: string) =>
    page.getByRole('gridcell', { name: `${name} for ${agent}: ${state}`, exact: true });
  await page.goto(`${served.url}/catalog/skills`);
  await page.getByRole('link', { name: 'Matrix of agents' }).click();
  const grid = page.getByRole('grid', { name: 'Agents and skills' });
  await expect(cell('skill-00', 'agent-00', 'linked')).toBeVisible();
  await expect(grid).toHaveAttribute('aria-rowcount', '82');
  // Only the visible part is in the page.
  expect(await page.getByRole('gridcell').count()).toBeLessThan(3_000);

  await grid.focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowDown');
  // The heads can cut off both names, so the keys show what the pointer would.
  await expect(page.locator('[role="tooltip"]')).toHaveText('skill-00 for agent-01: not linked');
  await page.keyboard.press('Space');
  await expect(page.locator('[role="tooltip"]')).toBeHidden();
  const changed = page.locator(`[id="${await grid.getAttribute('aria-activedescendant')}"]`);
  await expect(changed).toHaveAccessibleName(/: linked$/);
  await page.keyboard.press('ControlOrMeta+z');
  await expect(changed).toHaveAccessibleName(/: not linked$/);

  // Far away by key, and back.
  await page.keyboard.press('Control+End');
  await expect(page.getByRole('rowheader', { name: 'scout' })).toBeVisible();
  await page.keyboard.press('Control+Home');
  await expect(cell('skill-00', 'agent-00', 'linked')).toBeVisible();

  // A broken link of a skill that is gone has a column of its own.
  await page.getByRole('textbox', { name: 'Filter skills' }).fill('gone');
  await cell('gone', 'agent-01', 'broken link').click();
  await expect.poll(() => skillsOf('agent-01')).toEqual([]);
  await page.getByRole('button', { name: 'Undo', exact: true }).first().click();
  await expect.poll(() => skillsOf('agent-01')).toEqual(['gone']);
  expect(await readlink(join(served.root, 'agents/agent-01/skills/gone'))).toBe(
    '../../../shared/skills/gone',
  );

  // An empty cell is pressed by its place, in the third column and the fourth row.
  await page.getByRole('textbox', { name: 'Filter skills' }).fill('');
  const third = await page.getByRole('columnheader', { name: 'skill-02' }).boundingBox();
  const fourth = await page.getByRole('rowheader', { name: 'agent-03' }).boundingBox();
  if (!third || !fourth) throw new Error('the heads are not shown');
  const press = () => page.mouse.click(third.x + third.width / 2, fourth.y + fourth.height / 2);
  await press();
  await expect(cell('skill-02', 'agent-03', 'linked')).toBeVisible();
  await press();
  await expect.poll(() => skillsOf('agent-03')).toEqual([]);

  // Two skills in three agents.
  await page.getByRole('textbox', { name: 'Filter skills' }).fill('skill-1');
  await page.getByRole('columnheader', { name: 'skill-10' }).click();
  await page.getByRole('columnheader', { name: 'skill-11' }).click();
  for (const id of ['agent-02', 'agent-03']) await page.getByRole('rowheader', { name: id }).click();
  const bar = page.getByRole('region', { name: 'Actions on the selection' });
  await expect(bar).toContainText('skill-10 and skill-11 in 2 agents');
  await bar.getByRole('button', { name: 'Link', exact: true }).click();
  await expect.poll(() => skillsOf('agent-03')).toEqual(['skill-10', 'skill-11']);
  expect(await skillsOf('agent-04')).toEqual([]);

  // They get the skills of another agent.
  await bar.getByRole('button', { name: 'Copy links from…' }).click();
  await page.getByRole('combobox', { name: 'Agent to copy from' }).selectOption('agent-00');
  await expect(page.getByText('Adds 2 links and removes 4.')).toBeVisible();
  await page.getByRole('button', { name: 'Apply' }).click();
  await expect.poll(() => skillsOf('agent-02')).toEqual(['skill-00']);
  await expect(page.getByText('Linked 2, Unlinked 4')).toBeVisible();
  await page.getByRole('button', { name: 'Undo', exact: true }).first().click();
  await expect.poll(() => skillsOf('agent-02')).toEqual(['skill-10', 'skill-11']);
});

test('its title keeps its line on a phone', async ({ page, served }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(served.pageAt('/matrix/skills'));
  const heading = page.getByRole('heading', { level: 1 });
  await expect(heading).toBeVisible();
  const lines = await heading.evaluate(
    (element) => element.clientHeight / Number.parseFloat(getComputedStyle(element).lineHeight),
  );
  expect(Math.round(lines)).toBe(1);
});
