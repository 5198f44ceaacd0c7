// `npm run bench:page`: how the page feels in a real Chromium on the built server: a list of 10,000 agents beside one of
// 100, the matrix and the overview of 2,000 agents, every action, typing in a file of 1 MB beside one of 10 kB, and the first view.
// `--only PART` measures one part. Figures are never a reason to fail.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Browser, chromium } from 'playwright';
import { build } from '../../../scripts/build.ts';
import { ensureChromium } from '../../../scripts/chromium.ts';
import type { Section } from '../figures.ts';
import { lookAtMachine } from '../machine.ts';
import { agentId, makeMatrixRoot, makeRoot } from '../make-roots.ts';
import { endAllNow, start } from '../processes.ts';
import { toJson, toTable } from '../report.ts';
import { createServerKinds } from '../servers.ts';
import { makeWorkspace, type Workspace } from '../workspace.ts';
import { measureFirstView } from './first-view.ts';
import { listFigures } from './list-figures.ts';
import { measureActions } from './measure-actions.ts';
import { type ListRound, measureList } from './measure-list.ts';
import { measureMatrix } from './measure-matrix.ts';
import { measureOverview, OVERVIEW_AGENTS, writeSessions } from './measure-overview.ts';
import { measureTyping } from './typing-figures.ts';

const VIEWPORT = { width: 1280, height: 800 };
const FEW = 100;
const MANY = 10_000;
const ACTION_AGENTS = 2_000;
const SKILLS = 100;
const MATRIX = { agents: 2_000, skills: 500, links: 20 };

const tell = (line: string) => process.stderr.write(`… ${line}\n`);

/** Starts a server of a root, and returns the address that it prints. */
const open = (workspace: Workspace, root: string, data: string): Promise<string> =>
  start(createServerKinds(workspace, data).ours(root), false).printed(/page {2}(\S+)/);

const serve = async (
  workspace: Workspace,
  agents: number,
  prepare: (root: string) => void = () => undefined,
) => {
  tell(`making a root of ${agents} agents`);
  const root = workspace.path(`root-${agents}`);
  makeRoot(root, agents, SKILLS);
  prepare(root);
  return { agents, root, pageUrl: await open(workspace, root, `data-${agents}`) };
};

const serveMatrix = async (workspace: Workspace) => {
  const { agents, skills, links } = MATRIX;
  tell(`making a root of ${agents} agents and ${skills} skills`);
  const root = workspace.path('root-matrix');
  makeMatrixRoot(root, agents, skills, links);
  return { agents, skills, pageUrl: await open(workspace, root, 'data-matrix') };
};

type Site = Awaited<ReturnType<typeof serve>>;

const measureLists = async (browser: Browser, sites: readonly [few: Site, many: Site], rounds: number) => {
  const found = new Map<Site, ListRound[]>(sites.map((site) => [site, []]));
  // By turns, so that what others do on the machine falls on both; the first round only warms up.
  for (let round = 0; round <= rounds; round++) {
    for (const site of sites) {
      tell(`list of ${site.agents} agents, ${round === 0 ? 'to warm up' : `round ${round}`}`);
      const page = await browser.newPage({ viewport: VIEWPORT });
      const figures = await measureList(page, site.pageUrl, site.agents);
      if (round > 0) found.get(site)?.push(figures);
      await page.close();
    }
  }
  const [few, many] = sites;
  return listFigures(found.get(many) ?? [], found.get(few) ?? []);
};

/** The parts of the bench, which `--only` chooses. */
const PARTS = ['actions', 'first-view', 'lists', 'matrix', 'overview', 'typing'] as const;

type Part = (typeof PARTS)[number];

const measureParts = async (
  workspace: Workspace,
  rounds: number,
  wants: (part: Part) => boolean,
): Promise<Section[]> => {
  tell('building');
  if (!build()) throw new Error('the build failed');
  const few = await serve(workspace, FEW);
  const many = wants('lists') || wants('overview') ? await serve(workspace, MANY) : undefined;
  const browser = await chromium.launch({ executablePath: ensureChromium() });
  const sections: Section[] = [];
  try {
    if (wants('actions')) {
      const three = await serve(workspace, 3);
      const sites = { few: three.pageUrl, many: (await serve(workspace, ACTION_AGENTS)).pageUrl };
      sections.push(await measureActions(browser, sites, rounds, tell));
    }
    if (wants('first-view')) sections.push(await measureFirstView(browser, few.pageUrl));
    if (wants('lists') && many) sections.push(await measureLists(browser, [few, many], rounds));
    if (wants('matrix'))
      sections.push(await measureMatrix(browser, await serveMatrix(workspace), VIEWPORT, rounds, tell));
    if (wants('overview') && many) {
      tell('overview');
      const answering = await serve(workspace, OVERVIEW_AGENTS, writeSessions);
      const page = await browser.newPage({ viewport: VIEWPORT });
      sections.push(await measureOverview(page, { answering, many: many.pageUrl }, rounds));
      await page.close();
    }
    if (wants('typing')) {
      tell('typing');
      const id = agentId(0);
      const page = await browser.newPage({ viewport: VIEWPORT });
      sections.push(
        await measureTyping(page, {
          url: new URL(few.pageUrl).origin,
          id,
          systemMd: join(few.root, 'agents', id, 'SYSTEM.md'),
        }),
      );
    }
    return sections;
  } finally {
    await browser.close();
  }
};

const run = async () => {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      json: { type: 'string' },
      only: { type: 'string' },
    },
  });
  const parts = PARTS.filter((part) => values.only === undefined || part === values.only);
  if (parts.length === 0) throw new Error(`--only is one of ${PARTS.join(', ')}; it is "${values.only}"`);
  const workspace = makeWorkspace();
  const cleanUp = () => {
    endAllNow();
    workspace.remove();
  };
  process.once('SIGINT', () => {
    cleanUp();
    process.exit(130);
  });
  const begunMs = performance.now();
  const machine = lookAtMachine();
  try {
    const sections = await measureParts(workspace, values.quick ? 1 : 5, (part) => parts.includes(part));
    const loadAverageAtEnd = lookAtMachine().loadAverage;
    const report = { machine, loadAverageAtEnd, seconds: (performance.now() - begunMs) / 1000, sections };
    console.log(toTable(report));
    if (values.json) writeFileSync(values.json, toJson(report));
  } finally {
    cleanUp();
  }
};

run().catch((error: unknown) => {
  process.stderr.write(`The bench could not finish: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
});
