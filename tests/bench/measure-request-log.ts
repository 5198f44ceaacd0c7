import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { systemClock } from '../../src/server/platform/clock.ts';
import { requestNotes } from '../../src/server/platform/request-notes.ts';
import { createRequestLog } from '../../src/server/requests/request-log.ts';
import type { Section } from './figures.ts';
import { putLoad } from './load.ts';
import type { Plan } from './plan.ts';
import type { Server } from './servers.ts';
import { spreadOf } from './statistics.ts';

const REQUESTS = 100_000;
const HEALTH = '/api/health';

/** Processor time of a request in microseconds, with what the log does for it or without. */
const measureRecords = (isLogged: boolean): number => {
  const log = createRequestLog({ hasAgent: async () => true, announce: () => {}, clock: systemClock });
  const socket = new Socket();
  const begun = process.threadCpuUsage();
  for (let i = 0; i < REQUESTS; i++) {
    const req = new IncomingMessage(socket);
    req.method = 'GET';
    req.url = HEALTH;
    const res = new ServerResponse(req);
    if (!isLogged) continue;
    const arrivedMs = performance.now();
    requestNotes(req).route = HEALTH;
    log.record(req, res, arrivedMs);
  }
  const { user, system } = process.threadCpuUsage(begun);
  return (user + system) / REQUESTS;
};

/**
 * What the request log costs, as a share of our quickest route. Two servers with and without it differ by less than
 * the machine does from round to round, so the log's own work is measured: the same requests with and without it.
 */
export const measureRequestLog = async (
  server: Server,
  { connections, throughput }: Plan,
  tell: (line: string) => void,
): Promise<Section> => {
  tell('the request log');
  const [costs, shares]: [number[], number[]] = [[], []];
  for (let round = 0; round < throughput.rounds; round++) {
    const { seconds } = throughput;
    const { result, loop } = await server.during(() =>
      putLoad(server.url, { paths: [HEALTH], connections, seconds }),
    );
    const cost = Math.max(0, measureRecords(true) - measureRecords(false));
    costs.push(cost);
    shares.push((cost / ((loop.cpuMs * 1000) / result.requests)) * 100);
  }
  const spread = spreadOf(shares);
  return {
    title: `The request log, ${throughput.rounds} rounds: its share of the main thread's work for health`,
    figures: [
      {
        id: 'requestLog.share',
        name: 'request log',
        unit: '%',
        ours: spread.median,
        result: { kind: 'value', spread },
        target: { at: 'most', value: 2 },
        note: `${spreadOf(costs).median.toFixed(2)} µs a request`,
      },
    ],
  };
};
