import type { Browser } from 'playwright';
import { initialScripts, totalKilobytes } from '../../support/initial-scripts.ts';
import type { Section } from '../figures.ts';
import { spreadOf } from '../statistics.ts';

const ROUNDS = 5;

/** The first view in a browser that has never seen the page: its scripts, and how long until it can be used. */
export const measureFirstView = async (browser: Browser, pageUrl: string): Promise<Section> => {
  const readyMs: number[] = [];
  let kilobytes = Number.NaN;
  for (let round = 0; round < ROUNDS; round++) {
    const page = await browser.newPage();
    const begunMs = performance.now();
    const scripts = await initialScripts(page, pageUrl, async () => {
      await page.getByRole('table').getByRole('link').first().waitFor();
      readyMs.push(performance.now() - begunMs);
    });
    kilobytes = totalKilobytes(scripts);
    await page.close();
  }
  const spread = spreadOf(readyMs);
  return {
    title: 'The first view, of a browser that has nothing of it yet, with 100 agents',
    figures: [
      {
        id: 'page.first.scripts',
        name: 'scripts, gzip',
        unit: 'kB',
        ours: kilobytes,
        result: { kind: 'value', spread: spreadOf([kilobytes]) },
        target: { at: 'most', value: 250 },
      },
      {
        id: 'page.first.ready',
        name: 'from nothing to the first row of the overview',
        unit: 'ms',
        ours: spread.median,
        result: { kind: 'value', spread },
      },
    ],
  };
};
