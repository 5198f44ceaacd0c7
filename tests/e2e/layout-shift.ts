import type { Page } from '@playwright/test';

/** Chromium's own record of content that moved, which TypeScript's DOM types lack. */
interface LayoutShift extends PerformanceEntry {
  readonly value: number;
}

/** Everything that moves from now on, by Chromium's measure. Unlike its score, this counts what follows a press too. */
export const watchLayoutShift = async (page: Page): Promise<() => Promise<number>> => {
  const shifts = await page.evaluateHandle(() => {
    const found: number[] = [];
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) found.push((entry as LayoutShift).value);
    });
    observer.observe({ type: 'layout-shift' });
    return { found, observer };
  });
  return () =>
    shifts.evaluate(async ({ found, observer }) => {
      // What the last frames moved is reported after them.
      for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
      for (const entry of observer.takeRecords()) found.push((entry as LayoutShift).value);
      return found.reduce((sum, value) => sum + value, 0);
    });
};
