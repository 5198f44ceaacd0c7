import type { Browser, Page } from 'playwright';
import type { Figure, Section } from '../figures.ts';
import { spreadOf } from '../statistics.ts';
import { type Frames, watchFrames } from './frames.ts';

/** A screen that shows 60 frames a second has this long for each, in ms. */
const FRAME_MS = 1000 / 60;
/** The clock of the frames wavers by a few ms. */
const LATE_MS = 20;

/** What the browser has, which the bench is not typed for. */
interface Scroller {
  scrollTop: number;
  scrollLeft: number;
}
declare const document: { querySelector(selector: string): Scroller | null };
declare const requestAnimationFrame: (callback: () => void) => number;

/** By how much each frame scrolls, in px. */
type Steps = readonly (readonly [down: number, right: number])[];

const times = (count: number, down: number, right: number): Steps =>
  Array.from({ length: count }, () => [down, right] as const);

/** Down, to the right, and both, each by as much as a quick wheel does. */
const BY_WHEEL = [...times(60, 84, 0), ...times(60, 0, 84), ...times(40, 56, 56)];
/** As when the scroll bar is dragged. */
const BY_PAGES = times(30, 600, 0);

/** The frames of a page that does nothing, which shows how busy the machine is. */
const AT_REST = times(100, 0, 0);

/** Scrolls by a step in each frame. Resolves after the last one. */
const scrollEachFrame = (given: Steps): Promise<void> =>
  new Promise((resolve) => {
    const grid = document.querySelector('[role=grid]');
    if (!grid) throw new Error('the matrix is not there');
    const steps = given.values();
    const next = (): void => {
      const { value: step, done } = steps.next();
      if (done) {
        resolve();
        return;
      }
      grid.scrollTop += step[0];
      grid.scrollLeft += step[1];
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  });

interface Round {
  readonly wheel: Frames;
  readonly pages: Frames;
  readonly rest: Frames;
}

const scrollOnce = async (page: Page, pageUrl: string): Promise<Round> => {
  await page.goto(new URL('/matrix/skills', pageUrl).href);
  await page.getByRole('gridcell').first().waitFor();
  // What loads when idle is not part of it. An event stream that reconnects may keep the network busy.
  await page.waitForLoadState('networkidle').catch(() => undefined);
  const scroll = (steps: Steps) => watchFrames(page, () => page.evaluate(scrollEachFrame, steps));
  return { rest: await scroll(AT_REST), wheel: await scroll(BY_WHEEL), pages: await scroll(BY_PAGES) };
};

/** The figures of scrolling the matrix by a step in each frame. The first round only warms up. */
export const measureMatrix = async (
  browser: Browser,
  site: { readonly agents: number; readonly skills: number; readonly pageUrl: string },
  viewport: { readonly width: number; readonly height: number },
  rounds: number,
  tell: (line: string) => void,
): Promise<Section> => {
  const found: Round[] = [];
  for (let round = 0; round <= rounds; round++) {
    tell(`matrix, ${round === 0 ? 'to warm up' : `round ${round}`}`);
    const page = await browser.newPage({ viewport });
    await page.goto(site.pageUrl);
    const figures = await scrollOnce(page, site.pageUrl);
    if (round > 0) found.push(figures);
    await page.close();
  }
  const figure = (
    id: string,
    name: string,
    unit: Figure['unit'],
    of: (frames: Frames) => number,
    target?: number,
    way: keyof Round = 'wheel',
  ): Figure => {
    const spread = spreadOf(found.map((round) => of(round[way])));
    return {
      id: `page.matrix.scroll.${id}`,
      name,
      unit,
      ours: spread.median,
      baseline: spreadOf(found.map(({ rest }) => of(rest))).median,
      result: { kind: 'value', spread },
      target: target === undefined ? undefined : { at: 'most', value: target },
      note: `the worst round ${spread.high.toFixed(1)} ${unit}`,
    };
  };
  const late = ({ betweenMs }: Frames): number =>
    (100 * betweenMs.filter((ms) => ms > LATE_MS).length) / betweenMs.length;
  return {
    title: `Scrolling the matrix of ${site.agents} agents and ${site.skills} skills, a step in each frame; beside it the page at rest`,
    figures: [
      figure('late', `frames later than ${LATE_MS} ms`, '%', late, 5),
      figure('p95', 'p95 of the frames', 'ms', ({ p95Ms }) => p95Ms, LATE_MS),
      figure('longest', 'longest frame', 'ms', ({ longestMs }) => longestMs),
      figure('task', 'p95 of the tasks, processor time', 'ms', ({ taskP95Ms }) => taskP95Ms, FRAME_MS),
      figure('cpu', 'longest task, processor time', 'ms', ({ longestTaskMs }) => longestTaskMs),
      figure('pages', 'by pages: p95 of the tasks', 'ms', ({ taskP95Ms }) => taskP95Ms, undefined, 'pages'),
    ],
  };
};
