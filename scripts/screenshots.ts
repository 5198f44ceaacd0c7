// `npm run screenshots`: the four pictures of the README. `npm run screenshots -- DIRECTORY` takes every view instead, light
// and dark, into that directory: to look at.
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright';
import { build } from './build.ts';
import { ensureChromium } from './chromium.ts';
import { serveScene } from './screenshots/serve-scene.ts';

const SIZE = { width: 1280, height: 800 };
const DOCS = fileURLToPath(new URL('../docs/', import.meta.url));

type Scheme = 'light' | 'dark';

/** A view: where it is, and what to do and to wait for there. */
interface View {
  readonly name: string;
  readonly path: string;
  readonly ready: (page: Page) => Promise<unknown>;
}

const sees = (text: string | RegExp) => (page: Page) => page.getByText(text).first().waitFor();

const opens = (button: string | RegExp) => async (page: Page) => {
  await page.getByRole('button', { name: button }).first().click();
  await page.getByRole('dialog').or(page.getByRole('alertdialog')).first().waitFor();
};

/** Every view; a new one is one line. */
const VIEWS: readonly View[] = [
  { name: 'agents', path: '/', ready: sees('auditor') },
  {
    name: 'files',
    path: '/agents/auditor/files/SYSTEM.md',
    ready: (page) => page.getByRole('textbox', { name: /SYSTEM.md/ }).waitFor(),
  },
  { name: 'extensions', path: '/agents/auditor/extensions', ready: sees('run-finish-notify.ts') },
  { name: 'links', path: '/agents/auditor/skills', ready: sees('broken link') },
  { name: 'catalog', path: '/catalog', ready: sees('Used by') },
  { name: 'wallet', path: '/wallet', ready: sees('for the courier') },
  { name: 'pricing', path: '/pricing', ready: (page) => page.locator('canvas').first().waitFor() },
  { name: 'trash', path: '/trash', ready: sees('The trash is empty') },
  {
    name: 'settings',
    path: '/settings',
    ready: (page) => page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor(),
  },
  { name: 'new-agent', path: '/', ready: opens('New agent') },
  { name: 'duplicate-agent', path: '/agents/auditor/skills', ready: opens(/Duplicate auditor/) },
  { name: 'delete-agent', path: '/agents/auditor/skills', ready: opens(/Delete auditor/) },
  { name: 'import-prices', path: '/pricing', ready: opens(/Import/) },
  { name: 'no-such-agent', path: '/agents/nobody/files/SYSTEM.md', ready: sees('No agent called') },
];

/** The pictures of the README. */
const README: readonly (readonly [file: string, view: string, scheme: Scheme])[] = [
  ['agents.png', 'files', 'light'],
  ['links.png', 'links', 'dark'],
  ['wallet.png', 'wallet', 'light'],
  ['pricing.png', 'pricing', 'dark'],
];

const take = async (browser: Browser, pageUrl: string, view: View, colorScheme: Scheme, file: string) => {
  const page = await browser.newPage({ viewport: SIZE, colorScheme, reducedMotion: 'reduce' });
  // The printed address first: it carries the token.
  await page.goto(pageUrl);
  await page.goto(new URL(view.path, pageUrl).href);
  await view.ready(page);
  await page.getByText('Connected').waitFor({ state: 'attached' });
  // A page at rest: no pointer on anything, no caret.
  await page.mouse.move(1, 1);
  await page.evaluate(() => new Promise((done) => setTimeout(done, 400)));
  await page.screenshot({ path: file, caret: 'hide', animations: 'disabled' });
  await page.close();
};

const takeAll = async (browser: Browser, pageUrl: string, directory: string | undefined) => {
  if (directory === undefined) {
    for (const [file, name, scheme] of README) {
      const view = VIEWS.find((one) => one.name === name);
      if (view) await take(browser, pageUrl, view, scheme, join(DOCS, file));
    }
    return;
  }
  mkdirSync(directory, { recursive: true });
  for (const view of VIEWS) {
    for (const scheme of ['light', 'dark'] as const) {
      await take(browser, pageUrl, view, scheme, join(directory, `${view.name}-${scheme}.png`));
    }
  }
};

if (!build()) process.exit(1);
const [, , directory] = process.argv;
const scene = await serveScene();
try {
  const browser = await chromium.launch({ executablePath: ensureChromium() });
  await takeAll(browser, scene.pageUrl, directory === undefined ? undefined : resolve(directory));
  await browser.close();
} finally {
  await scene.close();
}
