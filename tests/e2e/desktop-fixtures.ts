import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, test as base, expect, type Page } from '@playwright/test';
import type { BRIDGE_NAME, DesktopBridge } from '../../src/shared/desktop-bridge.ts';
import { type Desktop, type Launch, startDesktop } from '../support/electron/page/desktop.ts';
import { plant, SMALL_ROOT } from '../support/plant.ts';
import { attachLog } from './attach-log.ts';
import { SIMULATED_MINT } from './wallet-page.ts';

declare global {
  interface Window {
    /** What the window of these tests has, for functions that run in the page. */
    readonly [BRIDGE_NAME]: Required<DesktopBridge>;
  }
}

export type { Desktop };
export { expect };

/** A directory with a root in it, and the shells that were started there. */
export interface Place {
  directory: string;
  root: string;
  /** Starts the built shell; a test may do so more than once. */
  launch(more?: Partial<Launch>): Promise<Desktop>;
}

/** The shell that the tests of a worker share. */
interface Shared {
  desktop: Desktop;
  place: Place;
  log(): string;
  /** Loads its page for another test, which from then on hears what it complains about. */
  visit(problems: string[]): Promise<void>;
}

/** What the page must never do, in the desktop either. */
const watchPage = (page: Page, problems: () => string[]) => {
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      problems().push(message.text());
  });
  page.on('pageerror', (error) => problems().push(String(error)));
};

const makePlace = async (browser: Browser, problems: () => string[]) => {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'dot-mi-desktop-')));
  const root = join(directory, 'root');
  await plant(root, SMALL_ROOT);
  const started: Desktop[] = [];
  const place: Place = {
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
  };
  const log = () =>
    started
      .map((desktop) => desktop.stderr())
      .join('\n')
      .trim();
  const clear = async () => {
    await Promise.all(started.map((desktop) => desktop.kill()));
    await rm(directory, { recursive: true, force: true });
  };
  return { place, log, clear };
};

/** The agents of the small root are listed: the page reached the API. */
export const expectAgents = (page: Page): Promise<void> =>
  expect(page.getByText('scout', { exact: true }).first()).toBeVisible();

/** Whether a server is there. */
export const isAnswering = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );

/**
 * Tests of the desktop. `place` is one of their own, for what starts, ends or changes a shell. `desktop` is one that runs
 * already and is shared, with its `page` freshly loaded and nothing done yet: for what only looks. `problems` are what the pages
 * complained about, and must be none in the end.
 */
export const test = base.extend<
  {
    place: Place;
    problems: string[];
    desktop: Desktop;
    page: Page;
    /** Where the shared one runs. */
    sharedPlace: Place;
  },
  { shared: Shared }
>({
  problems: async ({ browserName: _ }, use) => {
    const problems: string[] = [];
    await use(problems);
    expect(problems).toEqual([]);
  },

  place: async ({ browser, problems }, use, testInfo) => {
    const { place, log, clear } = await makePlace(browser, () => problems);
    try {
      await use(place);
    } finally {
      await clear();
      await attachLog(testInfo, 'desktop', log());
    }
  },

  shared: [
    async ({ browser }, use) => {
      let problems: string[] = [];
      const { place, log, clear } = await makePlace(browser, () => problems);
      try {
        const desktop = await place.launch({ environment: { MINT_URL: SIMULATED_MINT } });
        const page = await desktop.page();
        const { origin } = new URL(page.url());
        let isFresh = true;
        const visit = async (heardBy: string[]) => {
          heardBy.push(...(isFresh ? problems : []));
          problems = heardBy;
          if (!isFresh) {
            // The test before may have left text or a token, which the page would ask about.
            await page.evaluate(() => {
              BeforeUnloadEvent.prototype.preventDefault = () => undefined;
            });
            await page.goto(`${origin}/`);
          }
          isFresh = false;
          await expectAgents(page);
          desktop.recordedCalls.length = 0;
        };
        await use({ place, desktop, log, visit });
      } finally {
        await clear();
      }
    },
    { scope: 'worker' },
  ],

  desktop: async ({ shared, problems }, use, testInfo) => {
    await shared.visit(problems);
    await use(shared.desktop);
    await attachLog(testInfo, 'desktop', shared.log());
  },

  sharedPlace: async ({ shared }, use) => use(shared.place),

  page: async ({ desktop }, use) => use(await desktop.page()),
});
