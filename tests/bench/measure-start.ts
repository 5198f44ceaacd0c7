import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../support/free-port.ts';
import type { Figure, Section } from './figures.ts';
import type { Plan } from './plan.ts';
import { type Child, type Run, start } from './processes.ts';
import { spreadOf } from './statistics.ts';

const POLL_MS = 1;
const TIMEOUT_MS = 20_000;

/** Whether health answers 200 now. Raw, since a client with a pool would add its own time. */
const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write('GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n');
    });
    socket.once('data', (chunk) => {
      resolve(chunk.toString('latin1').startsWith('HTTP/1.1 200'));
      socket.destroy();
    });
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });

/** A server that answers at a port that the bench chose. */
export interface StartedServer extends Child {
  url: string;
  /** From the start of the process to the first 200 of health. */
  startMs: number;
}

/** Starts a server and waits until health answers 200. */
export const startAtPort = async (run: Run): Promise<StartedServer> => {
  const port = await freePort();
  const begunMs = performance.now();
  const child = start({ ...run, environment: { ...run.environment, PORT: String(port) } }, false);
  while (!(await answers(port))) {
    if (performance.now() - begunMs > TIMEOUT_MS || child.hasEnded()) {
      await child.end();
      throw new Error(`${run.module} does not answer at the port ${port}: ${child.errors()}`);
    }
    await sleep(POLL_MS);
  }
  return { ...child, url: `http://127.0.0.1:${port}`, startMs: performance.now() - begunMs };
};

/** Milliseconds from the start of the process to the first 200 of health; ends it then. */
export const startOnce = async (run: Run): Promise<number> => {
  const { startMs, end } = await startAtPort(run);
  await end();
  return startMs;
};

/** How often each of two programs is started, and how long each took. */
export const startInTurns = async (ours: Run, baseline: Run, starts: number) => {
  // Once each for the file cache of the system, and ours for its data directory.
  await startOnce(ours);
  await startOnce(baseline);
  const oursMs: number[] = [];
  const baselineMs: number[] = [];
  for (let i = 0; i < starts; i++) {
    if (i % 2 === 0) oursMs.push(await startOnce(ours));
    baselineMs.push(await startOnce(baseline));
    if (i % 2 !== 0) oursMs.push(await startOnce(ours));
  }
  return { oursMs, baselineMs };
};

export const startFigure = (
  id: string,
  target: number,
  { oursMs, baselineMs }: { oursMs: number[]; baselineMs: number[] },
): Figure => ({
  id,
  name: 'spawn to first 200 of health',
  unit: 'ms',
  ours: spreadOf(oursMs).median,
  baseline: spreadOf(baselineMs).median,
  result: { kind: 'ratio', spread: spreadOf(oursMs.map((ms, i) => ms / (baselineMs[i] ?? Number.NaN))) },
  target: { at: 'most', value: target },
  note: `fastest ${Math.min(...oursMs).toFixed(0)} : ${Math.min(...baselineMs).toFixed(0)} ms`,
  details: { oursMs, baselineMs },
});

/** Time from the start of the process to the first 200 of health: ours on a root it has seen before, and bare Express. */
export const measureStart = async (
  ours: Run,
  express: Run,
  plan: Plan,
  tell: (line: string) => void,
): Promise<Section> => {
  tell('start to first answer');
  return {
    title: `Start to first answer, ${plan.starts} pairs; result: median of each pair's ours / bare Express`,
    figures: [startFigure('start', 1.5, await startInTurns(ours, express, plan.starts))],
  };
};

/** The same of the desktop's main process, on the double of Electron, beside our headless server. */
export const measureDesktopStart = async (
  desktop: Run,
  headless: Run,
  plan: Plan,
  tell: (line: string) => void,
): Promise<Section> => {
  tell('start of the desktop');
  return {
    title: `Main of the desktop to first answer, ${plan.starts} pairs; result: median of each pair's desktop / headless`,
    figures: [startFigure('start.desktop', 1.2, await startInTurns(desktop, headless, plan.starts))],
  };
};
