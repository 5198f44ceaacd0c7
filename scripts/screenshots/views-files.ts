import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { TESTER_PROMPT } from './scene.ts';
import type { Scene } from './serve-scene.ts';
import { editor, offline, sees, types, type View } from './view.ts';

const path = '/agents/tester/files/SYSTEM.md';

const fileOf = ({ roots }: Scene) => join(roots.used, 'agents/tester/SYSTEM.md');

const putBack = (scene: Scene) => writeFileSync(fileOf(scene), TESTER_PROMPT);

const typesWhileItChanges = async (page: Page, scene: Scene) => {
  await types(page);
  appendFileSync(fileOf(scene), '\nWritten by another program.\n');
  await page.getByText('SYSTEM.md changed on disk').first().waitFor();
};

/** Drafts, and what can happen before they are saved. */
export const FILE_VIEWS: readonly View[] = [
  {
    name: 'files',
    path: '/agents/auditor/files/SYSTEM.md',
    ready: (page) => editor(page).waitFor(),
  },
  { name: 'conflict', path, ready: typesWhileItChanges, after: putBack },
  {
    name: 'conflict-compared',
    path,
    ready: async (page, scene) => {
      await typesWhileItChanges(page, scene);
      await page.getByRole('button', { name: 'Compare' }).click();
      await page.getByRole('button', { name: 'Use this part from disk' }).first().waitFor();
    },
    after: putBack,
  },
  {
    name: 'deleted-on-disk',
    path,
    ready: async (page, scene) => {
      await types(page);
      rmSync(fileOf(scene));
      await page.getByText('SYSTEM.md was deleted on disk').waitFor();
    },
    after: putBack,
  },
  {
    name: 'missing-on-disk',
    path,
    ready: async (page, scene) => {
      rmSync(fileOf(scene));
      await page.getByText('SYSTEM.md is missing').waitFor();
    },
    after: putBack,
  },
  {
    name: 'not-saved',
    path,
    ready: async (page) => {
      await page.route('**/api/agents/tester/file*', (route, request) =>
        request.method() === 'PUT'
          ? route.fulfill({ status: 507, json: { error: 'The disk is full.', code: 'disk_full' } })
          : route.continue(),
      );
      await types(page);
      await page.keyboard.press('Control+s');
      await page.getByText('Not saved').first().waitFor();
    },
  },
  {
    name: 'draft-brought-back',
    path,
    ready: async (page) => {
      await types(page);
      page.once('dialog', (dialog) => void dialog.accept());
      await page.reload();
      await page.getByText('Recovered unsaved text in SYSTEM.md').waitFor();
    },
  },
  {
    name: 'find',
    path,
    ready: async (page) => {
      await editor(page).waitFor();
      await page.getByRole('button', { name: 'Find and replace' }).click();
      await page.getByRole('textbox', { name: 'Find' }).fill('you');
    },
  },
  { name: 'add-file', path, ready: (page) => page.getByRole('button', { name: 'Add a file' }).click() },
  { name: 'offline-typed', path, ready: offline((page) => types(page)) },
  {
    name: 'offline-not-saved',
    path,
    ready: offline(async (page) => {
      await types(page);
      await page.route('**/api/**', (route) => route.abort());
      await page.keyboard.press('Control+s');
      await page.getByText('Not saved').first().waitFor();
    }),
  },
  { name: 'no-such-agent', path: '/agents/nobody/files/SYSTEM.md', ready: sees('No agent called') },
];
