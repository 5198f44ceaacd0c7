// `npm run screenshots`: takes the pictures of the README and the docs. `npm run screenshots -- --film` makes the
// README's film of the first minute. `npm run screenshots -- DIRECTORY` instead takes pictures of every view that
// the browser tests look at (tests/e2e/views.ts). `-- DIRECTORY VIEW…` takes only these views.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright';
import { HELP_LINE, readCommandLine } from '../src/server/command-line.ts';
import { build } from './build.ts';
import { ensureChromium } from './chromium.ts';
import { makeFilm } from './screenshots/film.ts';
import { type Scene, serveFirstRun, serveScene } from './screenshots/serve-scene.ts';
import { showAs } from './screenshots/show-as.ts';

const DOCS = fileURLToPath(new URL('../docs/', import.meta.url));

/** A view that isn't ready by then never will be. */
const READY_MS = 8_000;

/** A picture of the README or the docs: as wide as the others, and as high as what it shows. */
interface Picture {
  readonly file: string;
  readonly path: string;
  readonly height: number;
  /** Screens are dense. docs/using.md has many pictures, so these are smaller. */
  readonly pixelsPerDot: number;
  readonly ready: (page: Page) => Promise<unknown>;
}

/** Waits for a text. */
const sees = (text: string) => (page: Page) => page.getByText(text).first().waitFor();

const showRuns = async (page: Page): Promise<void> => {
  for (const [id, state] of [
    ['auditor', 'running'],
    ['writer', 'waiting'],
  ])
    await page.request.post(`http://127.0.0.1:${new URL(page.url()).port}/api/agents/${id}/status`, {
      data: { run: 'picture', state, model: 'anthropic/claude-sonnet-5-5' },
    });
  for (const text of ['Waiting for you', 'Ready'])
    await page.getByText(text, { exact: true }).first().waitFor({ state: 'attached' });
  // What the agents earned arrives last.
  await page
    .getByRole('row', { name: /translator/ })
    .getByText(/^1\d,\d{3}$/)
    .first()
    .waitFor();
};

const openBudget = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: /^More actions/ }).click();
  await page.getByRole('menuitem', { name: 'Budget…' }).click();
  await page.getByRole('dialog').first().waitFor();
};

const ofAuditor = (view: string) => `/agents/auditor/${view}`;

const PICTURES: readonly Picture[] = [
  { file: 'overview.png', path: '/', height: 680, pixelsPerDot: 2, ready: showRuns },
  { file: 'wallet.png', path: '/wallet', height: 900, pixelsPerDot: 2, ready: sees('Proofreading') },
  {
    file: 'agent.png',
    path: ofAuditor('skills'),
    height: 620,
    pixelsPerDot: 1.5,
    ready: sees('sat per call'),
  },
  {
    file: 'prompt.png',
    path: ofAuditor('prompt'),
    height: 680,
    pixelsPerDot: 1.5,
    ready: sees('Working directory'),
  },
  {
    file: 'matrix.png',
    path: '/matrix/skills',
    height: 500,
    pixelsPerDot: 1.5,
    ready: sees('Only in the agent'),
  },
  { file: 'checks.png', path: ofAuditor('checks'), height: 640, pixelsPerDot: 1.5, ready: sees('Why?') },
  {
    file: 'activity.png',
    path: ofAuditor('activity'),
    height: 580,
    pixelsPerDot: 1.5,
    ready: sees('cloud/claude-haiku-5-5'),
  },
  { file: 'budget.png', path: ofAuditor('skills'), height: 600, pixelsPerDot: 1.5, ready: openBudget },
];

const take = async (browser: Browser, scene: Scene, picture: Picture): Promise<void> => {
  const { path, height, pixelsPerDot, ready } = picture;
  const page = await browser.newPage({
    viewport: { width: 1280, height },
    deviceScaleFactor: pixelsPerDot,
    colorScheme: 'light',
    reducedMotion: 'reduce',
  });
  page.setDefaultTimeout(READY_MS);
  // Open the printed address first, because it carries the operator token.
  await page.goto(scene.pageUrl);
  await page.goto(new URL(path, scene.pageUrl).href);
  await ready(page);
  await page.getByText('API: Connected').first().waitFor({ state: 'attached' });
  // Bring the page to rest: no pointer over anything, no caret.
  await page.mouse.move(1, 1);
  await page.evaluate(() => new Promise((done) => setTimeout(done, 400)));
  await showAs(page, scene.shownAs);
  const file = join(DOCS, picture.file);
  await page.screenshot({ path: file, caret: 'hide', animations: 'disabled' });
  await page.close();
  // Without pngquant the picture is the same, and three times as large.
  spawnSync('pngquant', ['--force', '--skip-if-larger', '--output', file, '128', file]);
};

/** Takes pictures for the docs, or the film. */
const takeForDocs = async (isFilm: boolean): Promise<void> => {
  const scene = await (isFilm ? serveFirstRun() : serveScene());
  try {
    const browser = await chromium.launch({ executablePath: ensureChromium() });
    if (isFilm) await makeFilm(browser, scene, join(DOCS, 'first-minute.webp'));
    else for (const picture of PICTURES) await take(browser, scene, picture);
    await browser.close();
  } finally {
    await scene.close();
  }
};

/** Takes every view of the browser tests, or only the named ones. Returns whether that worked. */
const takeViews = (directory: string, names: readonly string[]): boolean => {
  ensureChromium();
  const cli = fileURLToPath(new URL('../node_modules/@playwright/test/cli.js', import.meta.url));
  const { status } = spawnSync(process.execPath, [cli, 'test', 'accessibility.spec', '--grep=every view'], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    stdio: 'inherit',
    env: { ...process.env, SCREENSHOTS: directory, SCREENSHOTS_OF: names.join(' ') },
  });
  const missing = names.filter((name) => !existsSync(join(directory, `${name}-1280-light.png`)));
  if (missing.length > 0) console.error(`There are no pictures of ${missing.join(', ')}.`);
  return status === 0 && missing.length === 0;
};

const USAGE = `Takes the pictures of the README and docs/, or pictures of all views.

Usage: npm run screenshots -- [--film | DIRECTORY [VIEW...]]

  --film                  films the first minute instead
  DIRECTORY               where to write pictures of all views, light and dark, wide and narrow
  VIEW                    takes only these views, named as the pictures are: backup-words
${HELP_LINE}`;

const {
  values,
  positionals: [directory, ...names],
} = readCommandLine(USAGE, { film: { type: 'boolean' } }, { positionals: /./ });
if (!build()) process.exit(1);
if (directory === undefined || values.film) await takeForDocs(values.film === true);
else if (!takeViews(resolve(directory), names)) process.exitCode = 1;
