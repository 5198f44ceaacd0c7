import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright';
import { openStage, type Point } from './film-stage.ts';
import type { Scene } from './serve-scene.ts';
import { showAs } from './show-as.ts';

const SIZE = { width: 960, height: 580 };
const PIXELS_PER_DOT = 1.5;
/** A README must load quickly. */
const MOST_BYTES = 1_000_000;

const STEP_MS = 60;
const PRESS_MS = 240;
const KEYS_MS = 130;
const LOOK_MS = 1_400;
const READ_MS = 2_400;
const END_MS = 6_000;

const AGENT = 'reviewer';
const TASK = 'Review pull requests. Name the file and line of each problem.';
/** The line that `setup.sh` writes into a new prompt for its owner to replace. */
const STUB = /^Say here, in two or three sentences/;

/** Records a page, frame by frame, while a person seems to use it. */
const record = async (page: Page, directory: string, shownAs: ReadonlyMap<string, string>) => {
  const stage = await openStage(page.context(), SIZE);
  const frames: { file: string; ms: number }[] = [];
  let pointer: Point = { x: SIZE.width * 0.62, y: SIZE.height * 0.8 };
  let caption = '';
  let command: string | undefined;
  const shoot = async (ms: number, isDown = false) => {
    await showAs(page, shownAs);
    const picture = await page.screenshot({ caret: 'hide', animations: 'disabled' });
    const file = join(directory, `${String(frames.length).padStart(4, '0')}.png`);
    await stage.shoot({ picture, pointer, isDown, caption, command }, file);
    frames.push({ file, ms });
  };
  const moveTo = async (target: Locator) => {
    await target.scrollIntoViewIfNeeded();
    const box = await target.boundingBox();
    if (!box) throw new Error('The film found nothing to click.');
    const [from, to] = [pointer, { x: box.x + Math.min(box.width / 2, 90), y: box.y + box.height / 2 }];
    for (const share of [0.06, 0.2, 0.4, 0.6, 0.8, 0.94, 1]) {
      pointer = { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
      await shoot(STEP_MS);
    }
    await shoot(PRESS_MS);
    await shoot(PRESS_MS, true);
    return to;
  };
  return {
    frames,
    look: (ms = LOOK_MS) => shoot(ms),
    say(text: string) {
      caption = text;
    },
    showCommand(text: string) {
      command = text;
    },
    async click(target: Locator) {
      const { x, y } = await moveTo(target);
      await page.mouse.click(x, y);
    },
    /** Selects a line of the editor, also where it is wrapped. */
    async selectLine(target: Locator) {
      const { x, y } = await moveTo(target);
      await page.mouse.click(x, y);
      for (const key of ['Home', 'Home', 'Shift+End', 'Shift+End']) await page.keyboard.press(key);
    },
    async type(text: string) {
      for (const keys of text.match(/.{1,3}/g) ?? []) {
        await page.keyboard.type(keys);
        await shoot(KEYS_MS);
      }
    },
  };
};

const play = async (page: Page, film: Awaited<ReturnType<typeof record>>, { shownAs }: Scene) => {
  const { click, look, say, type } = film;
  const button = (name: string | RegExp) => page.getByRole('button', { name }).first();

  say('Start with three sample agents');
  await page.getByText('They’re in').waitFor();
  await look(READ_MS);
  await click(button('Start with three sample agents'));
  await page.getByRole('textbox', { name: /SYSTEM.md/ }).waitFor();
  await look(READ_MS);

  say('1. Create an agent');
  await click(button('New agent'));
  await page.getByLabel('Agent id').waitFor();
  await look();
  await type(AGENT);
  await look(LOOK_MS / 2);
  await click(page.getByRole('dialog').getByRole('button', { name: 'Create agent' }));
  await page.getByRole('heading', { name: AGENT, level: 1 }).waitFor();
  await page.getByText(STUB).waitFor();
  await look(READ_MS);

  say('2. Edit its prompt');
  await film.selectLine(page.getByText(STUB));
  await look(LOOK_MS / 2);
  await type(TASK);
  await look();
  await click(page.getByRole('button', { name: 'Save', exact: true }));
  await page.getByText('Saved', { exact: true }).first().waitFor();
  await look();

  say('3. Give it a skill');
  const skills = /^Skills/;
  await click(
    page
      .getByRole('tab', { name: skills })
      .or(page.getByRole('link', { name: skills }))
      .first(),
  );
  const link = button(/^Link code-review/);
  await link.waitFor();
  await look();
  await click(link);
  await button(/^Unlink code-review/).waitFor();
  await look(READ_MS);

  say('4. Copy its run command');
  await click(button('Copy run command'));
  await page.getByText('Copied the run command').first().waitFor();
  await look();
  say('5. Run it in your project');
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  film.showCommand([...shownAs].reduce((text, [from, to]) => text.replaceAll(from, to), copied));
  await look(END_MS);
};

/** Makes an animated WebP of the first minute. Needs img2webp, which is in the package webp or libwebp. */
export const makeFilm = async (browser: Browser, first: Scene, file: string): Promise<void> => {
  const directory = await mkdtemp(join(tmpdir(), 'dot-mi-film-'));
  try {
    const context = await browser.newContext({
      viewport: SIZE,
      deviceScaleFactor: PIXELS_PER_DOT,
      colorScheme: 'light',
      reducedMotion: 'reduce',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const page = await context.newPage();
    await page.goto(first.pageUrl);
    const film = await record(page, directory, first.shownAs);
    await page.bringToFront();
    await play(page, film, first);
    const frames = film.frames.flatMap((frame) => ['-d', String(frame.ms), frame.file]);
    const options = ['-loop', '0', '-min_size', '-lossless', '-m', '6'];
    const { status, error } = spawnSync('img2webp', [...options, ...frames, '-o', file], { stdio: 'ignore' });
    if (status !== 0) throw new Error(`img2webp failed. Install the package webp. ${error?.message ?? ''}`);
    const { size } = await stat(file);
    const seconds = film.frames.reduce((sum, { ms }) => sum + ms, 0) / 1000;
    console.log(
      `${file}: ${film.frames.length} frames, ${Math.round(seconds)} s, ${Math.ceil(size / 1000)} kB`,
    );
    if (size >= MOST_BYTES) throw new Error('The film must stay under 1 MB.');
  } finally {
    if (process.env.KEEP_FRAMES === undefined) await rm(directory, { recursive: true, force: true });
    else console.log(directory);
  }
};
