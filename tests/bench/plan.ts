import { parseArgs } from 'node:util';

/** How much is measured; a run of the normal plan takes about five minutes, of the quick one under one. */
export interface Plan {
  /** A root of each size is made; the first is the one for requests per second. */
  agentCounts: readonly number[];
  skills: number;
  /** Connections of the load for requests per second; autocannon's own default. */
  connections: number;
  /** How many agents "spread" goes over. */
  spread: number;
  warmSeconds: number;
  throughput: { rounds: number; seconds: number; infoSeconds: number };
  loop: { rounds: number; seconds: number };
  latency: { rounds: number; seconds: number; everyMs: number };
  starts: number;
}

/** What the command line asks for. */
export interface Options {
  plan: Plan;
  /** Where the figures are written as JSON too. */
  jsonFile: string | undefined;
}

const NORMAL: Plan = {
  agentCounts: [1_000, 10_000],
  skills: 1_000,
  connections: 10,
  spread: 100,
  warmSeconds: 0.6,
  // Short ones, many: a burst of work by others then spoils few of them.
  throughput: { rounds: 15, seconds: 0.6, infoSeconds: 0.3 },
  loop: { rounds: 3, seconds: 1.2 },
  latency: { rounds: 3, seconds: 3, everyMs: 5 },
  starts: 21,
};

const QUICK: Plan = {
  ...NORMAL,
  agentCounts: [1_000],
  warmSeconds: 0.2,
  throughput: { rounds: 5, seconds: 0.25, infoSeconds: 0.1 },
  loop: { rounds: 2, seconds: 0.4 },
  latency: { rounds: 2, seconds: 0.6, everyMs: 5 },
  starts: 8,
};

/** Reads the command line: `[--quick] [--json FILE]`. Throws on anything else. */
export const readOptions = (args: readonly string[]): Options => {
  const { values } = parseArgs({
    args: [...args],
    options: { quick: { type: 'boolean', default: false }, json: { type: 'string' } },
  });
  return { plan: values.quick ? QUICK : NORMAL, jsonFile: values.json };
};
