import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { plant } from '../support/plant.ts';
import { type Desktop, expect, expectAgents, type Place, test } from './desktop-fixtures.ts';
import { tabTo } from './keyboard.ts';

const TERMINAL = '#!/bin/sh\n[ "$1" != -e ] || shift\nexec "$@"\n';
const PI =
  '#!/bin/sh\nprintf \'%s\\n\' "$PWD" "$PI_CODING_AGENT_DIR" "$@" >"$HOME/pi.part"\nmv "$HOME/pi.part" "$HOME/pi"\n';

/** Starts a shell that has trusted its root, with stand-ins for a terminal and for pi. */
const launch = async (place: Place, terminal: string): Promise<{ desktop: Desktop; page: Page }> => {
  await plant(place.directory, { 'bin/pi': { script: PI }, 'bin/terminal': { script: TERMINAL } });
  const bin = join(place.directory, 'bin');
  const environment = {
    // Without the programs of this computer where none may be found.
    PATH: terminal === 'missing' ? bin : `${bin}:${process.env.PATH}`,
    SHELL: '/bin/true',
    TERMINAL: join(bin, terminal),
  };
  const desktop = await place.launch({ environment, argv: ['--trust-root'] });
  const page = await desktop.page();
  await expectAgents(page);
  await page.getByRole('link', { name: 'scout', exact: true }).click();
  return { desktop, page };
};

test('an agent runs in the terminal in the chosen folder, or nowhere, by keyboard alone', {
  tag: '@smoke',
}, async ({ place }) => {
  const { desktop, page } = await launch(place, 'terminal');
  const run = page.getByRole('button', { name: 'Run in terminal' });
  await tabTo(page, run);
  // Cancelled.
  await page.keyboard.press('Enter');
  await expect.poll(() => desktop.recordedCalls.some(({ kind }) => kind === 'chooser')).toBe(true);
  await expect(run).toBeFocused();

  const project = join(place.directory, "a project's $x");
  await mkdir(project);
  desktop.choose(project);
  await page.keyboard.press('Enter');
  await expect(page.getByText('Opened a terminal for scout')).toBeVisible();
  const report = () => readFile(join(place.directory, 'pi'), 'utf8').catch(() => '');
  await expect.poll(report).toBe(`${project}\n${join(place.root, 'agents/scout')}\n--thinking\nlow\n`);
});

test('without a terminal, the command is copied', async ({ place }) => {
  const { desktop, page } = await launch(place, 'missing');
  desktop.choose(place.directory);
  await writeFile(join(place.root, 'agents/scout/workspace.conf'), 'notes\n');
  await page.getByRole('button', { name: 'Run in terminal' }).click();
  await expect(page.getByText(/found no terminal, so it copied the run command/)).toBeVisible();
  const search = page.getByRole('combobox', { name: 'Search agents' });
  await search.press('ControlOrMeta+v');
  await expect(search).toHaveValue(
    /workspaces\/scout.* notes && PI_CODING_AGENT_DIR=.*\/bin\/pi --thinking low\)$/,
  );
});
