// `npm run screenshots`: the four pictures of the README. `npm run screenshots -- DIRECTORY` takes every view instead, light
// and dark, wide and small, into that directory: to look at. `-- DIRECTORY NAME…` takes only these views.
import { appendFileSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright';
import { build } from './build.ts';
import { ensureChromium } from './chromium.ts';
import { type Scene, type Site, serveScene } from './screenshots/serve-scene.ts';

const SIZE = { width: 1280, height: 800 };
/** The smallest window that is to work. */
const SMALL = { width: 800, height: 600 };
const DOCS = fileURLToPath(new URL('../docs/', import.meta.url));

type Scheme = 'light' | 'dark';

/** A view: where it is, and what to do and to wait for there. */
interface View {
  readonly name: string;
  readonly path: string;
  /** The server after some weeks, unless told. */
  readonly site?: Site;
  readonly ready: (page: Page, scene: Scene) => Promise<unknown>;
}

const sees = (text: string | RegExp) => (page: Page) => page.getByText(text).first().waitFor();

const opens = (button: string | RegExp) => async (page: Page) => {
  await page.getByRole('button', { name: button }).first().click();
  await page.getByRole('dialog').or(page.getByRole('alertdialog')).first().waitFor();
};

const editor = (page: Page) => page.getByRole('textbox', { name: /SYSTEM.md/ });

const typesWhileItChanges = async (page: Page, { root }: Scene) => {
  await editor(page).click();
  await page.keyboard.type('Typed here. ');
  appendFileSync(join(root, 'agents/tester/SYSTEM.md'), '\nWritten by another program.\n');
  await page.getByText('SYSTEM.md changed on disk').first().waitFor();
};

const sends = async (page: Page) => {
  await page.getByRole('textbox', { name: 'Amount in sat' }).fill('21');
  await page.keyboard.press('Enter');
  const send = page.getByRole('region', { name: 'Send', exact: true });
  await send.getByRole('button', { name: 'Show QR code' }).click();
  await page
    .getByRole('img', { name: /QR code/ })
    .first()
    .waitFor();
};

const presses = (keys: string, dialog: string) => async (page: Page) => {
  await page.getByText('Connected').waitFor({ state: 'attached' });
  await page.keyboard.press(keys);
  await page.getByRole('dialog', { name: dialog }).waitFor();
};

/** Every view; a new one is one line. */
const VIEWS: readonly View[] = [
  { name: 'agents', path: '/', ready: sees('auditor') },
  {
    name: 'files',
    path: '/agents/auditor/files/SYSTEM.md',
    ready: (page) => editor(page).waitFor(),
  },
  { name: 'conflict', path: '/agents/tester/files/SYSTEM.md', ready: typesWhileItChanges },
  { name: 'extensions', path: '/agents/auditor/extensions', ready: sees('run-finish-notify.ts') },
  { name: 'links', path: '/agents/auditor/skills', ready: sees('broken link') },
  { name: 'catalog', path: '/catalog', ready: sees('Used by') },
  {
    name: 'catalog-extensions',
    path: '/catalog',
    ready: (page) => page.getByRole('tab', { name: 'Extensions' }).click(),
  },
  { name: 'wallet', path: '/wallet', ready: sees('for the courier') },
  { name: 'sent-token', path: '/wallet', ready: sends },
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
  { name: 'palette', path: '/agents/auditor/skills', ready: presses('Control+k', 'Command palette') },
  { name: 'quick-open', path: '/', ready: presses('Control+p', 'Open agent or file') },
  { name: 'shortcuts', path: '/', ready: presses('Control+/', 'Keyboard shortcuts') },
  {
    name: 'first-run',
    path: '/',
    site: 'new',
    ready: (page) => page.getByRole('heading', { level: 1 }).waitFor(),
  },
  { name: 'agents-empty', path: '/', site: 'empty', ready: sees('No agents') },
  { name: 'catalog-empty', path: '/catalog', site: 'empty', ready: sees('No shared skills yet') },
  { name: 'wallet-empty', path: '/wallet', site: 'empty', ready: sees('Balance') },
  { name: 'pricing-empty', path: '/pricing', site: 'empty', ready: sees('Models') },
  { name: 'no-such-agent', path: '/agents/nobody/files/SYSTEM.md', ready: sees('No agent called') },
];

/** The pictures of the README. */
const README: readonly (readonly [file: string, view: string, scheme: Scheme])[] = [
  ['agents.png', 'files', 'light'],
  ['links.png', 'links', 'dark'],
  ['wallet.png', 'wallet', 'light'],
  ['pricing.png', 'pricing', 'dark'],
];

interface Look {
  readonly scheme: Scheme;
  readonly size: typeof SIZE;
}

const take = async (browser: Browser, scene: Scene, view: View, { scheme, size }: Look, file: string) => {
  const page = await browser.newPage({ viewport: size, colorScheme: scheme, reducedMotion: 'reduce' });
  const pageUrl = scene.pageUrls[view.site ?? 'used'];
  // The printed address first: it carries the token.
  await page.goto(pageUrl);
  await page.goto(new URL(view.path, pageUrl).href);
  await view.ready(page, scene);
  // The first run has no rail that would say so.
  if (view.site !== 'new') await page.getByText('Connected').waitFor({ state: 'attached' });
  // A page at rest: no pointer on anything, no caret.
  await page.mouse.move(1, 1);
  await page.evaluate(() => new Promise((done) => setTimeout(done, 400)));
  await page.screenshot({ path: file, caret: 'hide', animations: 'disabled' });
  await page.close();
};

const takeReadme = async (browser: Browser, scene: Scene) => {
  for (const [file, name, scheme] of README) {
    const view = VIEWS.find((one) => one.name === name);
    if (view) await take(browser, scene, view, { scheme, size: SIZE }, join(DOCS, file));
  }
};

const takeAll = async (browser: Browser, scene: Scene, directory: string, names: readonly string[]) => {
  mkdirSync(directory, { recursive: true });
  for (const view of VIEWS.filter(({ name }) => names.length === 0 || names.includes(name))) {
    for (const size of [SIZE, SMALL]) {
      for (const scheme of ['light', 'dark'] as const) {
        await take(
          browser,
          scene,
          view,
          { scheme, size },
          join(directory, `${view.name}-${size.width}-${scheme}.png`),
        );
      }
    }
  }
};

if (!build()) process.exit(1);
const [, , directory, ...names] = process.argv;
const scene = await serveScene();
try {
  const browser = await chromium.launch({ executablePath: ensureChromium() });
  if (directory === undefined) await takeReadme(browser, scene);
  else await takeAll(browser, scene, resolve(directory), names);
  await browser.close();
} finally {
  await scene.close();
}
