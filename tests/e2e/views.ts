import { expect, type Page } from '@playwright/test';
import type { Tree } from '../support/plant.ts';

/** A view of the page: where it is, and what has to be there before it is looked at. */
export interface View {
  readonly name: string;
  readonly path: string;
  readonly ready: (page: Page) => Promise<unknown>;
}

const LONG = 'a-very-long-name-that-nobody-would-type-by-hand-but-a-script-does';

/** A root in which every view has something to show: broken, long, local, missing. */
export const FULL_ROOT: Tree = {
  [`agents/${LONG.slice(0, 64)}/SYSTEM.md`]: 'x',
  'agents/writer/workspace.conf': '',
  'agents/scout/skills/gone': { link: '../../../shared/skills/gone' },
  'agents/scout/skills/moved': { link: '/elsewhere/moved' },
  'agents/scout/skills/own/SKILL.md': '---\nname: own\n---\n',
  'agents/scout/skills/far': { link: '../../../shared/extensions' },
  'agents/scout/skills/git-summary': { link: '../../../shared/skills/git-summary' },
  'agents/scout/extensions/say.ts': { link: '../../../shared/extensions/say.ts' },
  'shared/skills/moved/SKILL.md': '---\nname: moved\ndescription: It came back.\n---\n',
  'shared/skills/broken/SKILL.md': '---\nname: [\n---\n',
  [`shared/skills/${LONG}/SKILL.md`]: `---\nname: ${LONG}\ndescription: ${'Long words. '.repeat(60)}\n---\n`,
  'shared/extensions/folder/index.ts': '',
};

const heading = (name: string) => (page: Page) =>
  expect(page.getByRole('heading', { name, level: 1 })).toBeVisible();

/** Opens something on top of a view by its button. */
const dialog =
  (button: string | RegExp, name: string | RegExp) =>
  async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: button }).first().click();
    const opened = page.getByRole('dialog', { name }).or(page.getByRole('alertdialog', { name }));
    await expect(opened).toBeVisible();
  };

/** Every view; a new one is one line. */
export const VIEWS: readonly View[] = [
  { name: 'agents', path: '/', ready: (page) => expect(page.getByRole('option').first()).toBeVisible() },
  {
    name: 'files',
    path: '/agents/scout/files/SYSTEM.md',
    ready: (page) => expect(page.getByRole('textbox', { name: /SYSTEM.md/ })).toBeVisible(),
  },
  {
    name: 'extensions',
    path: '/agents/scout/extensions',
    ready: (page) => expect(page.getByRole('list', { name: 'Extensions of this agent' })).toBeVisible(),
  },
  {
    name: 'skills',
    path: '/agents/scout/skills',
    ready: (page) => expect(page.getByText('broken link', { exact: true }).first()).toBeVisible(),
  },
  {
    name: 'catalog',
    path: '/catalog',
    ready: (page) => expect(page.getByRole('list', { name: /Agents that use/ }).first()).toBeVisible(),
  },
  { name: 'wallet', path: '/wallet', ready: heading('Wallet') },
  { name: 'pricing', path: '/pricing', ready: heading('Pricing') },
  {
    name: 'trash',
    path: '/trash',
    ready: (page) => expect(page.getByRole('list', { name: 'Deleted agents' })).toBeVisible(),
  },
  {
    name: 'no such agent',
    path: '/agents/nobody/files/SYSTEM.md',
    ready: (page) => expect(page.getByText('No agent called “nobody”')).toBeVisible(),
  },
  { name: 'settings', path: '/settings', ready: heading('Settings') },
  { name: 'no such page', path: '/nowhere', ready: heading('No such page') },
  { name: 'new agent', path: '/', ready: dialog('New agent', 'New agent') },
  {
    name: 'duplicate agent',
    path: '/agents/scout/skills',
    ready: dialog('Duplicate scout…', 'Duplicate scout'),
  },
  { name: 'delete agent', path: '/agents/scout/skills', ready: dialog('Delete scout…', 'Delete scout?') },
  { name: 'unlink elsewhere', path: '/agents/scout/skills', ready: dialog('Unlink far', 'Unlink far?') },
  {
    name: 'remove for good',
    path: '/trash',
    ready: dialog(/Remove for good: gone-agent/, /Remove gone-agent/),
  },
  { name: 'import prices', path: '/pricing', ready: dialog(/Import/, /[Ii]mport/) },
];

/** Goes to a view as a link of the page does, without loading it all anew. */
export const visit = async (page: Page, path: string): Promise<void> => {
  // Closes what is open on top.
  await page.keyboard.press('Escape');
  await page.evaluate((to) => history.pushState(null, '', to), path);
};

/** Deletes an agent, so that the trash has something to show. */
export const fillTrash = async (page: Page, url: string): Promise<void> => {
  await page.request.post(`${url}/api/agents`, { data: { name: 'gone-agent' } });
  await page.request.delete(`${url}/api/agents/gone-agent`, { data: { confirm: 'gone-agent' } });
};
