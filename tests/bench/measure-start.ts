import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Section } from './figures.ts';
import type { Plan } from './plan.ts';
import { type Run, start } from './processes.ts';
import { spreadOf } from './statistics.ts';

const TARGET = { at: 'most', value: 1.5 } as const;
const POLL_MS = 1;
const TIMEOUT_MS = 20_000;

const freePort = async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
};

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

/** Milliseconds from the start of the process to the first 200 of health; ends it then. */
export const startOnce = async (run: Run): Promise<number> => {
  const port = await freePort();
  const begunMs = performance.now();
  const child = start({ ...run, environment: { ...run.environment, PORT: String(port) } }, false);
  try {
    while (!(await answers(port))) {
      if (performance.now() - begunMs > TIMEOUT_MS) throw new Error(`${run.module} does not answer`);
      await sleep(POLL_MS);
    }
    return performance.now() - begunMs;
  } finally {
    await child.end();
  }
};

/** Time from the start of the process to the first 200 of health: ours on a root it has seen before, and bare Express. */
export const measureStart = async (
  ours: Run,
  express: Run,
  plan: Plan,
  tell: (line: string) => void,
): Promise<Section> => {
  tell('start to first answer');
  // Once each for the file cache of the system, and ours for its data directory.
  await startOnce(ours);
  await startOnce(express);
  const oursMs: number[] = [];
  const expressMs: number[] = [];
  for (let i = 0; i < plan.starts; i++) {
    if (i % 2 === 0) {
      oursMs.push(await startOnce(ours));
      expressMs.push(await startOnce(express));
    } else {
      expressMs.push(await startOnce(express));
      oursMs.push(await startOnce(ours));
    }
  }
  return {
    title: `Start to first answer, ${plan.starts} pairs; result: median of each pair's ours / bare Express`,
    figures: [
      {
        id: 'start',
        name: 'spawn to first 200 of health',
        unit: 'ms',
        ours: spreadOf(oursMs).median,
        baseline: spreadOf(expressMs).median,
        result: { kind: 'ratio', spread: spreadOf(oursMs.map((ms, i) => ms / (expressMs[i] ?? Number.NaN))) },
        target: TARGET,
        note: `fastest ${Math.min(...oursMs).toFixed(0)} : ${Math.min(...expressMs).toFixed(0)} ms`,
        details: { oursMs, expressMs },
      },
    ],
  };
};
