import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { makeSession } from '../../support/session-file.ts';
import type { Figure, Section } from '../figures.ts';
import { agentId } from '../make-roots.ts';
import { spreadOf } from '../statistics.ts';
import { watchFrames } from './frames.ts';

/** How many agents and sessions the overview has to answer for within 100 ms. */
export const OVERVIEW_AGENTS = 2_000;
const SESSIONS = 10_000;
const ANSWERS_MS = 100;
const LONGEST_FRAME_MS = 50;

const ROUTES = ['agents', 'links', 'checks', 'profiles', 'earnings?groupBy=agent'];
const WARM_UPS = 3;
const WHEEL_STEPS = 60;
const INDEX_MS = 300_000;

/** Gives the agents of a root short sessions. */
export const writeSessions = (root: string): void => {
  for (let number = 0; number < SESSIONS; number++) {
    const directory = join(root, 'agents', agentId(number % OVERVIEW_AGENTS), 'sessions', '--work--');
    mkdirSync(directory, { recursive: true });
    const session = makeSession({ startedAtMs: Date.now() - number * 60_000 });
    session.call({ input: 1_000, output: 50, usd: 0.01 });
    writeFileSync(join(directory, session.fileName), session.text());
  }
};

const waitForIndex = async (origin: string): Promise<void> => {
  const endsAtMs = performance.now() + INDEX_MS;
  while (performance.now() < endsAtMs) {
    const { reading } = (await (await fetch(`${origin}/api/usage`)).json()) as { reading: boolean };
    if (!reading) return;
    await new Promise((done) => setTimeout(done, 1_000));
  }
  throw new Error('the sessions were not read in time');
};

/** Milliseconds until every route of the overview has answered in full. */
const answerOnce = async (origin: string, headers: Record<string, string>): Promise<number> => {
  const begunMs = performance.now();
  await Promise.all(
    ROUTES.map(async (route) => (await fetch(`${origin}/api/${route}`, { headers })).arrayBuffer()),
  );
  return performance.now() - begunMs;
};

const answers = async (origin: string, operatorToken: string, rounds: number): Promise<Figure> => {
  await waitForIndex(origin);
  const timesMs: number[] = [];
  for (let round = -WARM_UPS; round < rounds * 4; round++) {
    const tookMs = await answerOnce(origin, { Authorization: `Bearer ${operatorToken}` });
    if (round >= 0) timesMs.push(tookMs);
  }
  const spread = spreadOf(timesMs);
  return {
    id: 'page.overview.answers',
    name: 'all answers of the overview, 2,000 agents with 10,000 sessions',
    unit: 'ms',
    ours: spread.median,
    result: { kind: 'value', spread },
    target: { at: 'most', value: ANSWERS_MS },
  };
};

/** Opens the overview of many agents from another view, and scrolls through it. */
const smoothness = async (page: Page, pageUrl: string): Promise<readonly Figure[]> => {
  await page.goto(new URL('/trash', pageUrl).href);
  await page.getByText('Connected').waitFor({ state: 'attached' });
  const table = page.getByRole('table', { name: /^All agents/ });
  const open = await watchFrames(page, async () => {
    await page.getByRole('link', { name: 'Overview' }).click();
    await table.getByRole('link').first().waitFor();
  });
  await table.hover();
  const scroll = await watchFrames(page, async () => {
    for (let step = 0; step < WHEEL_STEPS; step++) await page.mouse.wheel(0, step % 3 === 0 ? 4_000 : 300);
  });
  return Object.entries({ open, scroll }).map(([step, { longestTaskMs, p95Ms }]) => ({
    id: `page.overview.${step}.cpu`,
    name: `${step === 'open' ? 'opens' : 'is scrolled'} with 10,000 agents: longest task, processor time`,
    unit: 'ms',
    ours: longestTaskMs,
    result: { kind: 'value', spread: spreadOf([longestTaskMs]) },
    target: { at: 'most', value: LONGEST_FRAME_MS },
    note: `p95 of the frames ${p95Ms.toFixed(0)} ms`,
  }));
};

/** The overview: how soon it has all answers, and how smooth it is with 10,000 agents. */
export const measureOverview = async (
  page: Page,
  {
    answering,
    many,
  }: { readonly answering: { readonly root: string; readonly pageUrl: string }; readonly many: string },
  rounds: number,
): Promise<Section> => ({
  title: 'The overview',
  // Browsers resolve names under localhost, but Node asks the system, which may not.
  figures: [
    await answers(
      `http://127.0.0.1:${new URL(answering.pageUrl).port}`,
      readFileSync(join(`${answering.root}-wallet`, 'operator-token'), 'utf8').trim(),
      rounds,
    ),
    ...(await smoothness(page, many)),
  ],
});
