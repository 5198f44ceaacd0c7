import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Usage } from '../../src/shared/api/usage.ts';
import { makeSession } from '../support/session-file.ts';
import { benchOverview } from './bench-overview.ts';
import type { Figure, Section } from './figures.ts';
import type { HealthSamples } from './health-sampler.ts';
import { sampleDuring } from './measure-latency.ts';
import type { Plan } from './plan.ts';
import { processorSeconds } from './processor-time.ts';
import { measureInTurn } from './rounds.ts';
import { type Server, type ServerKinds, settle, startServer } from './servers.ts';
import { percentile, type Spread, spreadOf } from './statistics.ts';
import type { Workspace } from './workspace.ts';

const AGENTS = 100;
const MB = 1_000_000;
const CALLS_OF_A_SESSION = 60;
const WORDS = 'The quick brown fox jumps over the lazy dog. ';

/** Writes session files, each of about the same size. Returns their size in bytes and one of their paths. */
const writeSessions = (root: string, { files, megabytes }: Plan['sessions']) => {
  const turnBytes = (megabytes * MB) / files / CALLS_OF_A_SESSION;
  let bytes = 0;
  let path = '';
  for (let number = 0; number < files; number++) {
    const directory = `${root}/agents/agent-${number % AGENTS}/sessions/--work--`;
    mkdirSync(directory, { recursive: true });
    const session = makeSession({ startedAtMs: Date.now() - number * 60_000 });
    for (let call = 0; call < CALLS_OF_A_SESSION; call++) {
      // Most of a real session is what tools print.
      session.say(WORDS.repeat(Math.ceil(turnBytes / WORDS.length)));
      session.call({ input: 1_000 + call, output: 50, cacheRead: 200, usd: call % 2 === 0 ? 0.01 : 0 });
    }
    const text = session.text();
    path = `${directory}/${session.fileName}`;
    writeFileSync(path, text);
    bytes += Buffer.byteLength(text);
  }
  return { bytes, path };
};

const readUsage = async (url: string): Promise<Usage> =>
  (await (await fetch(`${url}/api/usage`)).json()) as Usage;

/** Asks until everything is indexed. Returns the milliseconds that took. */
const index = async (url: string, calls: number): Promise<number> => {
  const startedAtMs = performance.now();
  for (;;) {
    const { reading, total } = await readUsage(url);
    if (!reading) {
      if (total.calls !== calls) throw new Error(`${total.calls} calls were counted, of ${calls}`);
      return performance.now() - startedAtMs;
    }
    // As often as the page asks meanwhile.
    await sleep(1_500);
  }
};

/** The most memory that a process has had, in MB. Linux only. */
const peakMegabytes = (pid: number): number | undefined => {
  try {
    const [, kilobytes] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kilobytes === undefined ? undefined : (Number(kilobytes) * 1024) / MB;
  } catch {
    return undefined;
  }
};

const value = (
  id: string,
  name: string,
  unit: Figure['unit'],
  spread: Spread,
  target?: Figure['target'],
): Figure => ({ id, name, unit, ours: spread.median, result: { kind: 'value', spread }, target });

/** Session files that are read for the first time, that grow, and that stay as they are. */
const benchIndex = async (
  workspace: Workspace,
  kinds: ServerKinds,
  plan: Plan,
  tell: (line: string) => void,
): Promise<Section[]> => {
  const { files, rounds } = plan.sessions;
  const root = workspace.path('root-sessions');
  tell(`writing ${files} session files`);
  const { bytes, path } = writeSessions(root, plan.sessions);
  const calls = files * CALLS_OF_A_SESSION;
  const run = kinds.ours(root);
  const probe = workspace.plainModule('loop-probe');
  const sampler = { module: workspace.plainModule('health-sampler'), cwd: workspace.path('data') };
  let server: Server | undefined;
  const speeds: number[] = [];
  const perProcessorSecond: number[] = [];
  const healths: HealthSamples[] = [];
  const peaks: number[] = [];
  let grown = calls;
  try {
    for (let round = 0; round < rounds; round++) {
      tell(`indexing, round ${round + 1} of ${rounds}`);
      await server?.end();
      rmSync(`${run.cwd}/data/sessions`, { recursive: true, force: true });
      server = await startServer(run, probe);
      await settle(server);
      const { url, pid } = server;
      let tookMs = 0;
      const before = processorSeconds(pid);
      healths.push(
        await sampleDuring(sampler, url, plan, async () => {
          tookMs = await index(url, calls);
        }),
      );
      speeds.push(bytes / MB / (tookMs / 1000));
      perProcessorSecond.push(bytes / MB / (processorSeconds(pid) - before));
      peaks.push(peakMegabytes(pid) ?? 0);
    }
    if (!server) return [];
    const { url } = server;
    // What was just written is read again for some seconds.
    await sleep(4_000);
    const line = readFileSync(path, 'utf8').trim().split('\n').at(-1) ?? '';
    const timed = async (work: () => void = () => undefined): Promise<number> => {
      work();
      const startedAtMs = performance.now();
      const { total } = await readUsage(url);
      if (total.calls !== grown) throw new Error(`${total.calls} calls were counted, of ${grown}`);
      return performance.now() - startedAtMs;
    };
    tell('a call that was added, and nothing new');
    const measured = await measureInTurn(
      15,
      () =>
        timed(() => {
          grown += 1;
          appendFileSync(path, `${line.replace(/"id":"[^"]*"/, `"id":"new-${grown}"`)}\n`);
        }),
      () => timed(),
    );
    return [
      {
        title: `usage of ${files.toLocaleString('en')} session files with ${Math.round(bytes / MB).toLocaleString('en')} MB`,
        figures: [
          value('sessions.index', 'reading all for the first time', 'MB/s', spreadOf(speeds)),
          ...(perProcessorSecond.every(Number.isFinite)
            ? [
                // Health is asked meanwhile. What others do on the machine doesn't count.
                value(
                  'sessions.processor',
                  'the same, per second of processor time of the whole program',
                  'MB/s',
                  spreadOf(perProcessorSecond),
                  { at: 'least', value: 100 },
                ),
              ]
            : []),
          value(
            'sessions.health',
            'p99 of health meanwhile',
            'ms',
            spreadOf(healths.map((samples) => percentile(samples, 0.99))),
            { at: 'most', value: 20 },
          ),
          ...(peaks.some((peak) => peak > 0)
            ? [value('sessions.memory', 'most memory', 'MB', spreadOf(peaks), { at: 'most', value: 300 })]
            : []),
          value(
            'sessions.added',
            'answer after one more call',
            'ms',
            spreadOf(measured.map(({ ours }) => ours)),
            {
              at: 'most',
              value: 1_000,
            },
          ),
          value(
            'sessions.unchanged',
            'answer when nothing is new',
            'ms',
            spreadOf(measured.map(({ baseline }) => baseline)),
            { at: 'most', value: 100 },
          ),
        ],
      },
    ];
  } finally {
    await server?.end();
  }
};

/** The figures of what agents spent, and of the view that shows it. */
export const benchSessions = async (
  workspace: Workspace,
  kinds: ServerKinds,
  plan: Plan,
  tell: (line: string) => void,
): Promise<Section[]> => [
  ...(await benchIndex(workspace, kinds, plan, tell)),
  await benchOverview(workspace, kinds, tell),
];
