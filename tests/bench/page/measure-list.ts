import type { Page } from 'playwright';
import { agentId } from '../make-roots.ts';
import { type Frames, watchFrames } from './frames.ts';

/** One round over the list of agents. */
export interface ListRound {
  /** From the click on "Agents" to the first row. */
  readonly openMs: number;
  readonly open: Frames;
  readonly filter: Frames;
  readonly scroll: Frames;
}

const KEY_EVERY_MS = 80;
const WHEEL_STEPS = 90;
/** What comes after the rows: the badges. */
const SETTLE_MS = 400;

const openList = async (page: Page, pageUrl: string) => {
  // Another view first: opening the list is measured, not loading the page.
  await page.goto(new URL('/trash', pageUrl).href);
  await page.getByText('Connected').waitFor({ state: 'attached' });
  let openMs = 0;
  const open = await watchFrames(page, async () => {
    const begunMs = performance.now();
    await page.getByRole('link', { name: /^Agents/ }).click();
    await page.getByRole('option').first().waitFor();
    openMs = performance.now() - begunMs;
    await page
      .getByText(/\d links?$/)
      .first()
      .waitFor({ state: 'attached' });
    await page.waitForTimeout(SETTLE_MS);
  });
  return { openMs, open };
};

const filterList = (page: Page, agents: number) =>
  watchFrames(page, async () => {
    const search = page.getByRole('combobox', { name: 'Search agents' });
    await search.focus();
    for (const key of agentId(agents - 1).slice(-5)) {
      await page.keyboard.press(key);
      await page.waitForTimeout(KEY_EVERY_MS);
    }
    for (let i = 0; i < 5; i++) {
      await page.keyboard.press('Backspace');
      await page.waitForTimeout(KEY_EVERY_MS);
    }
  });

const scrollList = async (page: Page) => {
  const list = page.getByRole('listbox', { name: 'Agents' });
  const box = await list.boundingBox();
  if (!box) throw new Error('the list is not there');
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  return watchFrames(page, async () => {
    for (let step = 0; step < WHEEL_STEPS; step++) {
      await page.mouse.wheel(0, step % 3 === 0 ? 4_000 : 300);
    }
    await list.focus();
    for (const key of ['End', 'PageUp', 'PageUp', 'Home', 'PageDown']) {
      await page.keyboard.press(key);
      await page.waitForTimeout(KEY_EVERY_MS);
    }
  });
};

/** Opens the list of agents, filters it by typing, and scrolls through it. */
export const measureList = async (page: Page, pageUrl: string, agents: number): Promise<ListRound> => {
  const { openMs, open } = await openList(page, pageUrl);
  const filter = await filterList(page, agents);
  const scroll = await scrollList(page);
  return { openMs, open, filter, scroll };
};
