import { writeFile } from 'node:fs/promises';
import type { CDPSession, Page } from 'playwright';
import { createRandom, makeMarkdown, makeSentences } from '../make-text.ts';
import { percentile } from '../statistics.ts';

/** A server with an agent, whose SYSTEM.md this writes. */
export interface ServedAgent {
  /** The address of the page, without a slash at the end. */
  readonly url: string;
  /** The id of the agent. */
  readonly id: string;
  /** The path of its SYSTEM.md. */
  readonly systemMd: string;
}

/** How typing felt in a file of a size; times in ms. */
export interface TypingFigures {
  readonly bytes: number;
  readonly keys: number;
  /** Processor time of the page's thread per key, which other work on the machine doesn't change. */
  readonly cpuPerKeyMs: number;
  /** From a key to the end of the first frame that shows it. */
  readonly keyToPaintMs: { readonly p50: number; readonly p95: number; readonly max: number };
  /** From a key to the end of the work it caused, before the frame. */
  readonly keyToIdleMs: { readonly p50: number; readonly p95: number; readonly max: number };
  /** Tasks above 50 ms while typing, the browser's own included. */
  readonly longTasks: number;
}

const KEYS = 100;
// As fast as quick fingers: a key each 80 ms, whether or not the one before has been drawn.
const BETWEEN_KEYS_MS = 80;

const SMALL = 10_000;
const LARGE = 1_000_000;

/**
 * Types 100 characters in the middle of a SYSTEM.md of 10 kB, of 1 MB, and of 1 MB on one line, in a page that shows no
 * other. `page` belongs to a real Chromium. The figures of the small file show how much of the others is the machine.
 */
export const typeLargeFile = async (
  page: Page,
  served: ServedAgent,
): Promise<Readonly<Record<'small' | 'large' | 'oneLine', TypingFigures>>> => {
  const typeInText = async (text: string) => {
    await writeFile(served.systemMd, text);
    return typeInto(page, served, text.length);
  };
  return {
    small: await typeInText(makeMarkdown(createRandom(1), 'A large file', SMALL)),
    large: await typeInText(makeMarkdown(createRandom(1), 'A large file', LARGE)),
    oneLine: await typeInText(makeSentences(createRandom(1), LARGE)),
  };
};

/** Processor time of the page's thread in tasks so far, in milliseconds. */
const taskMs = async (session: CDPSession): Promise<number> => {
  const { metrics } = await session.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000;
};

const typeInto = async (page: Page, served: ServedAgent, bytes: number): Promise<TypingFigures> => {
  await page.goto(`${served.url}/agents/${served.id}/files/SYSTEM.md`);
  const area = page.getByRole('textbox', { name: `SYSTEM.md of ${served.id}`, exact: true });
  await area.click();
  // The tokens are counted when opening is over: what is measured is typing.
  await page.getByText(/≈ [\d,]+ tokens/).waitFor({ timeout: 60_000 });
  for (let screens = 0; screens < 20; screens++) await page.keyboard.press('PageDown');
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.evaluate(startWatching);
  const beforeMs = await taskMs(session);
  for (let key = 0; key < KEYS; key++) {
    await page.keyboard.press(key % 6 === 5 ? 'Space' : 'abcde'.charAt(key % 6));
    await page.waitForTimeout(BETWEEN_KEYS_MS);
  }
  const cpuMs = (await taskMs(session)) - beforeMs;
  await session.detach();
  const { paints, idles, longTasks } = await page.evaluate(() => window.typingWatch);
  // Nothing is left behind for the page that comes next.
  await page.getByRole('button', { name: 'Revert' }).click();
  return {
    bytes,
    keys: paints.length,
    cpuPerKeyMs: cpuMs / KEYS,
    keyToPaintMs: summary(paints),
    keyToIdleMs: summary(idles),
    longTasks,
  };
};

const summary = (timesMs: readonly number[]) => ({
  p50: percentile(timesMs, 0.5),
  p95: percentile(timesMs, 0.95),
  max: Math.max(...timesMs),
});

declare global {
  interface Window {
    typingWatch: { paints: number[]; idles: number[]; longTasks: number };
  }
}

/** Runs in the page: a key is timed from its event to a message sent in the frame after it, which comes after the paint. */
const startWatching = (): void => {
  const watch = { paints: [] as number[], idles: [] as number[], longTasks: 0 };
  window.typingWatch = watch;
  new PerformanceObserver((list) => {
    watch.longTasks += list.getEntries().length;
  }).observe({ type: 'longtask' });
  document.addEventListener(
    'keydown',
    ({ timeStamp }) => {
      setTimeout(() => watch.idles.push(performance.now() - timeStamp));
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => watch.paints.push(performance.now() - timeStamp);
        port2.postMessage(null);
      });
    },
    { capture: true },
  );
};
