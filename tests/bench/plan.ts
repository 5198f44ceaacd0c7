import { parseArgs } from 'node:util';

/** How much is measured; a run of the normal plan takes about twelve minutes, of the quick one under three. */
export interface Plan {
  /** A root of each size is made; the first is the one for requests per second. */
  agentCounts: readonly number[];
  skills: number;
  /** Another server of the same routes, and the roots that both manage. */
  peer: PeerPlan;
  /** Connections of the load for requests per second; autocannon's own default. */
  connections: number;
  /** How many agents "spread" goes over. */
  spread: number;
  warmSeconds: number;
  throughput: { rounds: number; seconds: number; infoSeconds: number };
  loop: { rounds: number; seconds: number };
  latency: { rounds: number; seconds: number; everyMs: number };
  starts: number;
  wallet: WalletPlan;
  /** How often an agent is bought from in each round, and how many unpaid price requests strangers send. */
  sell: { purchases: number; prices: number };
  /** Session files, their size together in MB, and how often they are indexed. */
  sessions: { files: number; megabytes: number; rounds: number };
  /** How often all agents and skills are checked. */
  checkRounds: number;
}

/** How much is measured beside another server. */
export interface PeerPlan {
  /** A command line for the shell, which gets `DOT_MI_ROOT` and `PORT` as variables. */
  command: string;
  agentCounts: readonly number[];
  /** The load before the first measurement: V8 compiles what is called often, and a larger program has more of it. */
  warmSeconds: number;
  rounds: number;
  seconds: number;
  /** For a route of which a few answers take longer than `seconds`, and how long a round of it may take. */
  slowRounds: number;
  mostSeconds: number;
  starts: number;
}

/** How much of the wallet is measured. */
export interface WalletPlan {
  /** Rounds, and tokens in each: what computes for long, what asks the mint only, and what is information. */
  receives: { rounds: number; tokens: number };
  validates: { rounds: number; tokens: number };
  information: { rounds: number; tokens: number };
  /** The same for tokens of `largeProofs` proofs. */
  larges: { rounds: number; tokens: number };
  largesWithoutDleq: { rounds: number; tokens: number };
  largeProofs: number;
  /** Proofs that are restored from backup words. */
  restores: { rounds: number; proofs: number };
  /** Rounds of the balance beside bare Express; the other figures of it are those of `throughput`. */
  balanceRounds: number;
  /** Operations and proofs in the store that is compared with an empty one. */
  stored: number;
  store: { rounds: number; seconds: number };
  starts: number;
  /** Proofs of the token beside whose redemption health is asked; whether also one with DLEQ proofs. */
  hugeProofs: number;
  hugeWithDleq: boolean;
}

/** The parts of the bench. */
export const PARTS = [
  'routes',
  'wallet',
  'sell',
  'pricing',
  'sessions',
  'checks',
  'matrix',
  'changes',
  'desktop',
] as const;
/** `peer` is run alone: it needs the command of another server. */
export type Part = (typeof PARTS)[number] | 'peer';

/** What the command line asks for. */
export interface Options {
  plan: Plan;
  parts: readonly Part[];
  /** Where the figures are written as JSON too. */
  jsonFile: string | undefined;
}

const NORMAL: Plan = {
  agentCounts: [1_000, 10_000],
  skills: 1_000,
  peer: {
    command: '',
    agentCounts: [10, 1_000, 10_000],
    warmSeconds: 4,
    // Short ones, many: a burst of work by others then spoils few of them.
    rounds: 31,
    seconds: 0.2,
    slowRounds: 5,
    mostSeconds: 5,
    starts: 11,
  },
  connections: 10,
  spread: 100,
  warmSeconds: 0.6,
  // Short ones, many: a burst of work by others then spoils few of them.
  throughput: { rounds: 15, seconds: 0.6, infoSeconds: 0.3 },
  loop: { rounds: 3, seconds: 1.2 },
  latency: { rounds: 3, seconds: 3, everyMs: 5 },
  starts: 21,
  wallet: {
    receives: { rounds: 5, tokens: 8 },
    validates: { rounds: 11, tokens: 80 },
    information: { rounds: 2, tokens: 12 },
    larges: { rounds: 5, tokens: 3 },
    largesWithoutDleq: { rounds: 9, tokens: 20 },
    largeProofs: 64,
    restores: { rounds: 1, proofs: 5_000 },
    balanceRounds: 11,
    stored: 100_000,
    store: { rounds: 7, seconds: 0.3 },
    starts: 5,
    hugeProofs: 1_000,
    hugeWithDleq: true,
  },
  sell: { purchases: 100, prices: 50_000 },
  sessions: { files: 2_000, megabytes: 1_000, rounds: 3 },
  checkRounds: 3,
};

const QUICK: Plan = {
  ...NORMAL,
  agentCounts: [1_000],
  peer: { ...NORMAL.peer, warmSeconds: 2, rounds: 9, seconds: 0.1, slowRounds: 2, mostSeconds: 2, starts: 3 },
  warmSeconds: 0.2,
  throughput: { rounds: 5, seconds: 0.25, infoSeconds: 0.1 },
  loop: { rounds: 2, seconds: 0.4 },
  latency: { rounds: 2, seconds: 0.6, everyMs: 5 },
  starts: 8,
  wallet: {
    ...NORMAL.wallet,
    receives: { rounds: 3, tokens: 4 },
    validates: { rounds: 5, tokens: 40 },
    information: { rounds: 1, tokens: 4 },
    larges: { rounds: 3, tokens: 1 },
    largesWithoutDleq: { rounds: 5, tokens: 8 },
    restores: { rounds: 1, proofs: 500 },
    balanceRounds: 5,
    store: { rounds: 3, seconds: 0.2 },
    starts: 2,
    hugeWithDleq: false,
  },
  sell: { purchases: 20, prices: 5_000 },
  sessions: { files: 200, megabytes: 100, rounds: 1 },
  checkRounds: 1,
};

/**
 * Reads the command line: `[--quick] [--only routes|wallet|sell|pricing|sessions|checks|matrix|changes|desktop] [--json FILE]`, or with
 * `--peer COMMAND` only what is measured next to that server. Throws on anything else.
 */
export const readOptions = (args: readonly string[]): Options => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      json: { type: 'string' },
      peer: { type: 'string' },
    },
  });
  const { quick, only, json, peer: command } = values;
  const plan = quick ? QUICK : NORMAL;
  if (command !== undefined) {
    if (only !== undefined) throw new Error('--peer measures a part of its own. Leave out --only.');
    return { plan: { ...plan, peer: { ...plan.peer, command } }, parts: ['peer'], jsonFile: json };
  }
  const parts = PARTS.filter((part) => only === undefined || part === only);
  if (parts.length === 0) throw new Error(`--only is one of ${PARTS.join(', ')}; it is "${only}"`);
  return { plan, parts, jsonFile: json };
};
