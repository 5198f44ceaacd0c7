import type { Sums } from './audit.ts';
import type { EventCounts } from './events.ts';
import type { FaultCounts } from './fault-schedule.ts';

/** The options of a run. */
export interface TortureOptions {
  /**
   * How often the server is killed, at least. The run continues until it was killed at enough named steps, and
   * each kind of event has happened.
   */
  kills: number;
  /** Several events happen before each life, and not each step needs to be reached. */
  isShort?: boolean;
  seed: number;
  /** An empty directory for the data of the servers and the mint. */
  directory: string;
  /** The longest that a server lives, in ms. Default 3,000. Shorter lives make more kills in an hour. */
  lifeMs?: number | undefined;
  /** The longest that the mint leaves proofs pending after it died in a swap, in seconds. Default 300. */
  pendingSeconds?: number | undefined;
  /** Called occasionally. */
  onProgress?(line: string): void;
}

/** The result of a run. */
export interface TortureReport extends FaultCounts, EventCounts {
  seed: number;
  kills: number;
  /** Kills at each named step, and `random` for kills at any moment. */
  killsBy: Record<string, number>;
  /** Proofs that the mint left pending for a while, and that it once called spent falsely. */
  leftPending: number;
  liedAbout: number;
  operations: Record<string, number>;
  answers: Record<string, number>;
  /** The sums after everything settled, and after all was taken out of the wallet. */
  sums: Sums;
  sumsAfterTakingOut: Sums;
  /** Sats of sends whose token nobody saw before a rollback removed it. */
  unseen: number;
  /** Sats that the last rescan found. */
  foundByRescan: number;
  /** Tokens that paid in forgotten lives, and were handed in once more at the end. */
  retriedForgotten: number;
  /** Customers who paid in advance, and have all to the sat. */
  exactCustomers: number;
  /** Sats that the second mint owes the wallet. */
  secondBalance: number;
  /** The rest in the wallet, too little to pay its own fee. */
  left: number;
  seconds: number;
  /** Empty when no sat and no promise was lost. */
  problems: string[];
}
