// `npm run screenshots`: takes the pictures of the README and the docs. `npm run screenshots -- --film` makes the
// README's film of the first minute. `npm run screenshots -- DIRECTORY` instead takes every view into that
// directory for review: light and dark, wide and small. `-- DIRECTORY NAME…` takes only these views.
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium } from 'playwright';
import { HELP_LINE, readCommandLine } from '../src/server/command-line.ts';
import { build } from './build.ts';
import { ensureChromium } from './chromium.ts';
import { makeFilm } from './screenshots/film.ts';
import { type Scene, serveFirstRun, serveScene } from './screenshots/serve-scene.ts';
import { showAs } from './screenshots/show-as.ts';
import type { View } from './screenshots/view.ts';
import { VIEWS } from './screenshots/views.ts';

const SIZE = { width: 1280, height: 800 };
/** The smallest supported window. */
const SMALL = { width: 800, height: 600 };
const DOCS = fileURLToPath(new URL('../docs/', import.meta.url));

/** A view that isn't ready by then never will be. */
const READY_MS = 8_000;

type Scheme = 'light' | 'dark';

/** The pictures of the README and the docs: light, each as high as what it shows, and with pixels for dense screens. */
const PICTURES: readonly (readonly [file: string, view: string, height: number, pixelsPerDot: number])[] = [
  ['overview.png', 'overview', 680, 2],
  ['wallet.png', 'wallet', 900, 2],
  // docs/using.md has many pictures, so these are smaller.
  ['agent.png', 'links', 620, 1.5],
  ['prompt.png', 'prompt', 680, 1.5],
  ['matrix.png', 'matrix', 500, 1.5],
  ['checks.png', 'checks', 640, 1.5],
  ['activity.png', 'activity', 580, 1.5],
  ['budget.png', 'budget', 600, 1.5],
];

interface Look {
  readonly scheme: Scheme;
  readonly size: typeof SIZE;
  readonly pixelsPerDot?: number;
}

const take = async (browser: Browser, scene: Scene, view: View, look: Look, file: string) => {
  const page = await browser.newPage({
    viewport: look.size,
    deviceScaleFactor: look.pixelsPerDot ?? 1,
    colorScheme: look.scheme,
    reducedMotion: 'reduce',
  });
  page.setDefaultTimeout(READY_MS);
  const pageUrl = scene.pageUrls[view.site ?? 'used'];
  // Open the printed address first, because it carries the operator token.
  await page.goto(pageUrl);
  await page.goto(new URL(view.path, pageUrl).href);
  try {
    await view.ready(page, scene);
    // The first run has no rail to show the connection.
    if (view.site !== 'new')
      await page
        .getByText(/^API: (Connected|Offline)$/)
        .first()
        .waitFor({ state: 'attached' });
    // Bring the page to rest: no pointer over anything, no caret.
    await page.mouse.move(1, 1);
    await page.evaluate(() => new Promise((done) => setTimeout(done, 400)));
    await showAs(page, scene.shownAs);
    await page.screenshot({ path: file, caret: 'hide', animations: 'disabled' });
  } finally {
    await page.close();
    await view.after?.(scene);
  }
};

const takePictures = async (browser: Browser, scene: Scene) => {
  for (const [file, name, height, pixelsPerDot] of PICTURES) {
    const view = VIEWS.find((one) => one.name === name);
    const size = { width: SIZE.width, height };
    const look: Look = { scheme: 'light', size, pixelsPerDot };
    if (!view) continue;
    const path = join(DOCS, file);
    await take(browser, scene, view, look, path);
    // Without pngquant the picture is the same, and three times as large.
    spawnSync('pngquant', ['--force', '--skip-if-larger', '--output', path, '128', path]);
  }
};

/** Takes every view, or only the named ones. Reports a view that fails and continues with the others. */
const takeAll = async (browser: Browser, scene: Scene, directory: string, names: readonly string[]) => {
  mkdirSync(directory, { recursive: true });
  for (const view of VIEWS.filter(({ name }) => names.length === 0 || names.includes(name))) {
    try {
      for (const size of [SIZE, SMALL]) {
        for (const scheme of ['light', 'dark'] as const) {
          const file = join(directory, `${view.name}-${size.width}-${scheme}.png`);
          await take(browser, scene, view, { scheme, size }, file);
        }
      }
    } catch (error) {
      console.error(`${view.name}:`, error);
      process.exitCode = 1;
    }
  }
};

const USAGE = `Takes the pictures of the README and docs/, or pictures of all views.

Usage: npm run screenshots -- [--film | DIRECTORY [VIEW...]]

  --film                  films the first minute instead
  DIRECTORY               where to write pictures of all views, or of the named ones
${HELP_LINE}`;

const {
  values,
  positionals: [directory, ...names],
} = readCommandLine(USAGE, { film: { type: 'boolean' } }, { positionals: /./ });
if (!build()) process.exit(1);
const scene = await (values.film ? serveFirstRun() : serveScene());
try {
  const browser = await chromium.launch({ executablePath: ensureChromium() });
  if ('pageUrl' in scene) await makeFilm(browser, scene, join(DOCS, 'first-minute.webp'));
  else if (directory === undefined) await takePictures(browser, scene);
  else await takeAll(browser, scene, resolve(directory), names);
  await browser.close();
} finally {
  await scene.close();
}
