import type { Browser, Page } from 'playwright';
import type { Figure, Section } from '../figures.ts';
import { agentId } from '../make-roots.ts';
import { spreadOf } from '../statistics.ts';
import { BASELINE_KEY, measureAnswer, prepareAnswers } from './answer-time.ts';
import { watchFrames } from './frames.ts';

/** An action shows a change or progress by then. */
const ANSWERS_MS = 100;
/** The report lists the slowest ones. */
const LISTED = 15;
const READY_MS = 30_000;
/** Processor time differs little from one walk to the next. */
const TASK_ROUNDS = 2;

const VIEWS = ['Overview', 'Agents', 'Catalog', 'Wallet', 'Pricing', 'API', 'Trash', 'Settings'];

interface Action {
  readonly name: string;
  /** Brings the page to where the action is. */
  readonly before?: (page: Page) => Promise<unknown>;
  readonly act: (page: Page) => Promise<unknown>;
}

const key = (name: string, text: string, before?: Action['before']): Action => ({
  name,
  act: (page) => page.keyboard.press(text),
  ...(before ? { before } : {}),
});

const railLink = (page: Page, view: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: new RegExp(`^${view}`) });

const button = (name: string, label: string | RegExp, before?: Action['before']): Action => ({
  name,
  act: (page) => page.getByRole('button', { name: label }).first().click(),
  ...(before ? { before } : {}),
});

const openView = (view: string): Action => ({
  name: `open ${view}`,
  act: (page) => railLink(page, view).click(),
});

const closeDialog = (name: string): Action => key(name, 'Escape');

const sectionsOf = (page: Page) => page.getByRole('navigation', { name: `Sections of ${agentId(0)}` });

const SECTIONS = ['Preview', 'Skills', 'Extensions', 'Checks', 'Sessions', 'Activity', 'Folder', 'Edit'];

const openSection = (section: string): Action => ({
  name: `open the tab ${section} of an agent`,
  act: (page) =>
    sectionsOf(page)
      .getByRole('link', { name: new RegExp(`^${section}( \\d.*)?$`) })
      .click(),
});

/** What any answer takes on this machine. */
const BASELINE = 'baseline: a key that changes one class';

/** The actions, in an order in which each leads to the next. */
const ACTIONS: readonly Action[] = [
  key(BASELINE, BASELINE_KEY),
  ...VIEWS.slice(1).map(openView),
  openView('Overview'),
  {
    name: 'sort the overview',
    act: (page) =>
      page
        .getByRole('table', { name: /^All agents/ })
        .getByRole('columnheader')
        .getByRole('button')
        .first()
        .click(),
  },
  key('open the search', 'ControlOrMeta+k'),
  key('type in the search', 'a'),
  closeDialog('close the search'),
  openView('Agents'),
  key('filter the agents', 'a', (page) => page.getByRole('combobox', { name: 'Search agents' }).focus()),
  key('clear the filter', 'Backspace'),
  {
    name: 'open an agent',
    act: (page) =>
      page
        .getByRole('listbox', { name: 'Agents' })
        .getByRole('option', { name: new RegExp(agentId(0)) })
        .click(),
  },
  ...SECTIONS.map(openSection),
  {
    name: 'type in the editor',
    before: (page) => page.getByRole('textbox', { name: /SYSTEM\.md/ }).click(),
    act: (page) => page.keyboard.press('x'),
  },
  key('save the file', 'ControlOrMeta+s'),
  openSection('Skills'),
  button('link a skill', /^Link skill-/),
  button('unlink a skill', /^Unlink skill-/),
  button('open the dialog for a new agent', 'New agent'),
  closeDialog('close the dialog for a new agent'),
  openView('Catalog'),
  { name: 'choose a skill', act: (page) => page.getByRole('option').nth(1).click() },
  { name: 'show extensions', act: (page) => page.getByRole('tab', { name: 'Extensions' }).click() },
  { name: 'open the matrix', act: (page) => page.getByRole('link', { name: 'Matrix of agents' }).click() },
  key('move in the matrix', 'ArrowDown', (page) => page.getByRole('grid').focus()),
  key('link a cell', 'Space'),
  key('undo the link', 'ControlOrMeta+z'),
  key('select an agent in the matrix', 'Shift+Space'),
  button('open the presets', 'Presets…'),
  closeDialog('close the presets'),
  openView('Wallet'),
  button('open Receive', 'Receive'),
  closeDialog('close Receive'),
  openView('Pricing'),
  key('filter the models', 'c', (page) => page.getByLabel('Search models').focus()),
  openView('Settings'),
  {
    name: 'open a section of the settings',
    act: (page) => page.getByRole('link', { name: 'Appearance' }).click(),
  },
];

/** Milliseconds of each action, by its name. */
type Times = Map<string, number>;

/**
 * What a walk measures: the time to the answer, or the processor time of the longest task, also of what came after the
 * answer. The latter needs a trace, which stops the frames for seconds at times, so each has walks of its own.
 */
type Measure = (page: Page, act: () => Promise<unknown>) => Promise<number>;

const longestTaskMs: Measure = async (page, act) =>
  (await watchFrames(page, () => measureAnswer(page, act))).longestTaskMs;

/** Measures each action. The page is new, so it loads its parts and reads everything first. */
const walkOnce = async (browser: Browser, pageUrl: string, measure: Measure): Promise<Times> => {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(READY_MS);
  await prepareAnswers(page);
  await page.goto(pageUrl);
  await page.getByText('Connected').waitFor({ state: 'attached' });
  const times: Times = new Map();
  for (const { name, before, act } of ACTIONS) {
    try {
      await before?.(page);
      // The first time counts: later ones find what it loaded and read.
      const ms = await measure(page, () => act(page));
      if (ms > (times.get(name) ?? 0)) times.set(name, ms);
    } catch (error) {
      throw new Error(`"${name}" did not work: ${error instanceof Error ? error.message : error}`);
    }
  }
  await page.close();
  return times;
};

interface Sites {
  readonly few: string;
  readonly many: string;
}

type Walks = Readonly<Record<keyof Sites, Times[]>>;

/** Walks the actions of all views with many agents, beside a root of few. */
export const measureActions = async (
  browser: Browser,
  sites: Sites,
  rounds: number,
  tell: (line: string) => void,
): Promise<Section> => {
  const answers: Walks = { few: [], many: [] };
  const tasks: Walks = { few: [], many: [] };
  for (let round = 1; round <= rounds; round++) {
    for (const site of ['few', 'many'] as const) {
      tell(`actions with ${site} agents, round ${round}`);
      answers[site].push(await walkOnce(browser, sites[site], measureAnswer));
      if (round <= TASK_ROUNDS) tasks[site].push(await walkOnce(browser, sites[site], longestTaskMs));
    }
  }
  const spreadIn = (walks: readonly Times[], name: string) =>
    spreadOf(walks.map((times) => times.get(name) ?? Number.NaN));
  const figures = [...new Set(ACTIONS.map(({ name }) => name))].map((name): Figure => {
    const spread = spreadIn(answers.many, name);
    const beside = spreadIn(answers.few, name);
    const [task, taskBeside] = [spreadIn(tasks.many, name), spreadIn(tasks.few, name)];
    return {
      id: `page.action.${name.replaceAll(' ', '-').toLowerCase()}`,
      name,
      unit: 'ms',
      ours: spread.median,
      baseline: beside.median,
      result: { kind: 'value', spread },
      target: { at: 'most', value: ANSWERS_MS },
      note: `longest task ${task.median.toFixed(0)} ms of processor time, beside ${taskBeside.median.toFixed(0)} ms`,
    };
  });
  const [baseline, ...others] = figures;
  const slowest = others.sort((a, b) => b.result.spread.median - a.result.spread.median).slice(0, LISTED);
  return {
    title: `The slowest of ${others.length} actions with 2,000 agents, to the first frame that answers; beside it 3 agents`,
    figures: baseline ? [baseline, ...slowest] : slowest,
  };
};
