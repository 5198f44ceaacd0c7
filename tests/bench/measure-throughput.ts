import type { Figure, Section } from './figures.ts';
import { putLoad } from './load.ts';
import type { Plan } from './plan.ts';
import type { Server } from './servers.ts';
import { spreadOf } from './statistics.ts';

/** The servers that are compared. The last two are information. */
export interface Contenders {
  ours: Server;
  express: Server;
  expressEnd: Server;
  http: Server;
}

/** Paths that are measured together. */
export interface Case {
  id: string;
  name: string;
  paths: readonly string[];
  isTarget: boolean;
  /** The share of bare Express that is wanted; 0.8 when absent. */
  least?: number;
}

interface Measured {
  perSecond: number;
  /** Share of the time in which the event loop was busy; well below 1 the load was the limit, not the server. */
  busy: number;
  /** Of the main thread, a request. */
  cpuMicroseconds: number;
  /** Of all threads, a request. */
  processCpuMicroseconds: number;
}

const LEAST = 0.8;
const NAMES = ['ours', 'express', 'expressEnd', 'http'] as const;
type Name = (typeof NAMES)[number];

/** The paths of an agent that are measured. */
export const agentPaths = (id: string): { summary: string; file: string } => ({
  summary: `/api/agents/${id}`,
  file: `/api/agents/${id}/file?path=SYSTEM.md`,
});

/** The routes of the files that are asked most. */
export const routeCases = (ids: readonly string[]): Case[] => {
  const paths = ids.map(agentPaths);
  const hot = paths.slice(0, 1);
  const spread = `${ids.length} agents`;
  return [
    { id: 'health', name: 'health', paths: ['/api/health'], isTarget: true },
    { id: 'summary.hot', name: 'summary, one agent', paths: hot.map((p) => p.summary), isTarget: true },
    { id: 'summary.spread', name: `summary, ${spread}`, paths: paths.map((p) => p.summary), isTarget: false },
    { id: 'file.hot', name: 'file, one agent', paths: hot.map((p) => p.file), isTarget: true },
    { id: 'file.spread', name: `file, ${spread}`, paths: paths.map((p) => p.file), isTarget: false },
  ];
};

const measure = async (server: Server, paths: readonly string[], connections: number, seconds: number) => {
  const { result, loop } = await server.during(() => putLoad(server.url, { paths, connections, seconds }));
  return {
    perSecond: result.perSecond,
    busy: loop.activeMs / loop.elapsedMs,
    cpuMicroseconds: (loop.cpuMs * 1000) / result.requests,
    processCpuMicroseconds: (loop.processCpuMs * 1000) / result.requests,
  };
};

const toFigure = (
  { id, name, isTarget, least = LEAST }: Case,
  rounds: readonly Record<Name, Measured>[],
): Figure => {
  const medianOf = (server: Name, what: keyof Measured) =>
    spreadOf(rounds.map((round) => round[server][what])).median;
  const cpuOf = (server: Name) => medianOf(server, 'cpuMicroseconds').toFixed(0);
  const ratioTo = (server: Name) =>
    spreadOf(rounds.map((round) => round.ours.perSecond / round[server].perSecond)).median.toFixed(2);
  return {
    id: `throughput.${id}`,
    name,
    unit: 'per second',
    ours: medianOf('ours', 'perSecond'),
    baseline: medianOf('express', 'perSecond'),
    result: {
      kind: 'ratio',
      spread: spreadOf(rounds.map(({ ours, express }) => ours.perSecond / express.perSecond)),
    },
    target: isTarget ? { at: 'least', value: least } : undefined,
    note: `main thread ${cpuOf('ours')} : ${cpuOf('express')} µs a request; ${ratioTo('expressEnd')}× of Express end(), ${ratioTo('http')}× of node:http`,
    details: Object.fromEntries(
      NAMES.map((server) => [
        server,
        {
          perSecond: medianOf(server, 'perSecond'),
          busyShare: medianOf(server, 'busy'),
          mainThreadCpuMicroseconds: medianOf(server, 'cpuMicroseconds'),
          processCpuMicroseconds: medianOf(server, 'processCpuMicroseconds'),
        },
      ]),
    ),
  };
};

/**
 * Requests per second, beside bare Express and node:http with the same bodies.
 *
 * The servers take turns in short rounds and each round has its own ratio: whatever else the machine does meanwhile
 * then weighs on all of them.
 */
export const measureThroughput = async (
  contenders: Contenders,
  cases: readonly Case[],
  plan: Plan,
  tell: (line: string) => void,
): Promise<Section> => {
  const { connections, warmSeconds, throughput } = plan;
  const figures: Figure[] = [];
  for (const one of cases) {
    tell(`requests per second: ${one.name}`);
    for (const name of NAMES) await measure(contenders[name], one.paths, connections, warmSeconds);
    const rounds: Record<Name, Measured>[] = [];
    for (let round = 0; round < throughput.rounds; round++) {
      const measured: Partial<Record<Name, Measured>> = {};
      // Each second round backwards: who always goes first would gain from a machine that slows down.
      for (const name of round % 2 === 0 ? NAMES : NAMES.toReversed()) {
        const counts = name === 'ours' || name === 'express';
        const seconds = counts ? throughput.seconds : throughput.infoSeconds;
        measured[name] = await measure(contenders[name], one.paths, connections, seconds);
      }
      rounds.push(measured as Record<Name, Measured>);
    }
    figures.push(toFigure(one, rounds));
  }
  return {
    title: `Requests per second, ${connections} connections, ${throughput.rounds} rounds; result: median of each round's ours / bare Express`,
    figures,
  };
};
