import { readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from './fixtures.ts';

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
  await page.keyboard.press('Space');
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
  await page.getByRole('button', { name: 'Undo' }).first().click();
  await expect.poll(() => skillsOf('agent-01')).toEqual(['gone']);
  expect(await readlink(join(served.root, 'agents/agent-01/skills/gone'))).toBe(
    '../../../shared/skills/gone',
  );

  // Two skills in three agents.
  await page.getByRole('textbox', { name: 'Filter skills' }).fill('skill-1');
  await page.getByRole('columnheader', { name: 'skill-10' }).click();
  await page.getByRole('columnheader', { name: 'skill-11' }).click();
  for (const id of ['agent-02', 'agent-03']) await page.getByRole('rowheader', { name: id }).click();
  const bar = page.getByRole('region', { name: 'Actions on the selection' });
  await expect(bar).toContainText('2 skills in 2 agents');
  await bar.getByRole('button', { name: 'Link', exact: true }).click();
  await expect.poll(() => skillsOf('agent-03')).toEqual(['skill-10', 'skill-11']);
  expect(await skillsOf('agent-04')).toEqual([]);

  // They get the skills of another agent.
  await bar.getByRole('button', { name: 'Make same as…' }).click();
  await page.getByRole('combobox', { name: 'Agent to copy from' }).selectOption('agent-00');
  await expect(page.getByText('Adds 2 links and removes 4.')).toBeVisible();
  await page.getByRole('button', { name: 'Apply' }).click();
  await expect.poll(() => skillsOf('agent-02')).toEqual(['skill-00']);
  await expect(page.getByText('Linked 2, Unlinked 4')).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).first().click();
  await expect.poll(() => skillsOf('agent-02')).toEqual(['skill-10', 'skill-11']);
});
