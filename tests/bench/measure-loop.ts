import type { Figure, Section } from './figures.ts';
import { putLoad } from './load.ts';
import type { Plan } from './plan.ts';
import type { Server } from './servers.ts';
import { spreadOf } from './statistics.ts';

/** A route that answers much, on our server and on a bare Express that has the same body. */
export interface LargeRoute {
  id: string;
  name: string;
  path: string;
  ours: Server;
  express: Server;
}

const TARGET = { at: 'most', value: 4 } as const;
const CONNECTIONS = [1, 4];

const measure = async (server: Server, path: string, connections: number, seconds: number) => {
  const { result, loop } = await server.during(() =>
    putLoad(server.url, { paths: [path], connections, seconds }),
  );
  return {
    activeMs: loop.activeMs / result.requests,
    cpuMs: loop.cpuMs / result.requests,
    maxDelayMs: loop.maxDelayMs,
    perSecond: result.perSecond,
  };
};

/**
 * Event-loop time of one request for a large answer, while nothing changes on disk: how long the loop was busy,
 * through the requests that were answered. It counts what others made the thread wait for a core, so it is an upper
 * bound on a busy machine; the note has the thread's own CPU time.
 */
export const measureLoop = async (
  routes: readonly LargeRoute[],
  plan: Plan,
  tell: (line: string) => void,
): Promise<Section> => {
  const { rounds, seconds } = plan.loop;
  const figures: Figure[] = [];
  for (const { id, name, path, ours, express } of routes) {
    tell(`event-loop time: ${name}`);
    await measure(ours, path, 4, plan.warmSeconds);
    await measure(express, path, 4, plan.warmSeconds);
    for (const connections of CONNECTIONS) {
      const oursRounds: Awaited<ReturnType<typeof measure>>[] = [];
      const expressRounds: Awaited<ReturnType<typeof measure>>[] = [];
      for (let round = 0; round < rounds; round++) {
        oursRounds.push(await measure(ours, path, connections, seconds));
        expressRounds.push(await measure(express, path, connections, seconds / 2));
      }
      const spread = spreadOf(oursRounds.map(({ activeMs }) => activeMs));
      const cpuMs = spreadOf(oursRounds.map((round) => round.cpuMs)).median;
      const maxDelayMs = Math.max(...oursRounds.map((round) => round.maxDelayMs));
      const perSecond = spreadOf(oursRounds.map((round) => round.perSecond)).median;
      figures.push({
        id: `loop.${id}.c${connections}`,
        name: `${name}, ${connections} connection${connections === 1 ? '' : 's'}`,
        unit: 'ms',
        ours: spread.median,
        baseline: spreadOf(expressRounds.map(({ activeMs }) => activeMs)).median,
        result: { kind: 'value', spread },
        target: TARGET,
        note: `CPU ${cpuMs.toFixed(2)} ms, longest delay ${maxDelayMs.toFixed(0)} ms, ${perSecond.toFixed(0)} requests/s`,
        details: { ours: oursRounds, express: expressRounds },
      });
    }
  }
  return { title: 'Event-loop time per request, nothing changed on disk; result: ours', figures };
};
