import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base, expect, type Page } from '@playwright/test';
import { type Desktop, type Launch, startDesktop } from '../support/electron/page/desktop.ts';
import { plant, SMALL_ROOT } from '../support/plant.ts';

export type { Desktop };
export { expect };

/** A directory with a root in it, and the shells that were started there. */
export interface Place {
  directory: string;
  root: string;
  /** Starts the built shell; a test may do so more than once. */
  launch(more?: Partial<Launch>): Promise<Desktop>;
}

/** What the page must never do, in the desktop either. */
const watchPage = (page: Page, problems: string[]) => {
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(String(error)));
};

/** A test with a place of its own; `problems` are what its pages complained about, and must be none in the end. */
export const test = base.extend<{ place: Place; problems: string[] }>({
  problems: async ({ browserName: _ }, use) => {
    const problems: string[] = [];
    await use(problems);
    expect(problems).toEqual([]);
  },

  place: async ({ browser, problems }, use) => {
    const directory = await realpath(await mkdtemp(join(tmpdir(), 'dot-mi-desktop-')));
    const root = join(directory, 'root');
    await plant(root, SMALL_ROOT);
    const started: Desktop[] = [];
    try {
      await use({
        directory,
        root,
        async launch(more = {}) {
          const environment = { DOT_MI_ROOT: root, ...more.environment };
          const desktop = await startDesktop(browser, { directory, ...more, environment }, (page) =>
            watchPage(page, problems),
          );
          started.push(desktop);
          return desktop;
        },
      });
    } finally {
      await Promise.all(started.map((desktop) => desktop.kill()));
      await rm(directory, { recursive: true, force: true });
    }
  },
});

/** The agents of the small root are listed: the page reached the API. */
export const expectAgents = (page: Page): Promise<void> =>
  expect(page.getByRole('option', { name: /scout/ })).toBeVisible({ timeout: 15_000 });
