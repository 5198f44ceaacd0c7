import type { ServerEvent } from '../shared/api/events.ts';
import type { Config } from './config.ts';
import type { NearDisk } from './disk/near-disk.ts';
import type { Routes } from './http/bind-endpoint.ts';
import type { BodyThread } from './platform/body-thread.ts';
import type { Clock } from './platform/clock.ts';
import type { LinkSystem } from './platform/create-link.ts';
import type { PiFinder } from './platform/installed-pi.ts';
import type { KeyedLock } from './platform/keyed-lock.ts';
import type { Logger } from './platform/logger.ts';
import type { Root } from './platform/root.ts';
import type { Asked, Lists } from './workers/disk-worker.ts';

/** What `start.ts` creates before the features, for those that need it. */
export interface Base {
  readonly config: Config;
  readonly root: Root;
  readonly disk: BodyThread<Lists, Asked>;
  readonly nearDisk: NearDisk;
  /** Held by agent id during every change inside an agent. */
  readonly agentLock: KeyedLock;
  /** Returns the root's path without symlinks. Throws `agent_not_found`, `root_unavailable`. */
  requireAgent(id: string): Promise<string>;
  /** Sends an event to all who follow events. */
  publish(event: ServerEvent): void;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How links are created. Undefined: as this system does. */
  readonly linkSystem: LinkSystem | undefined;
  /** Finds the installed pi. */
  readonly findPi: PiFinder;
}

/** What the `index.ts` of a feature creates: its routes, what begins when the server listens, and its end. */
export interface Feature {
  readonly routes: Routes;
  start?(): void;
  /** Ends what calls the routes from outside, while they still answer. */
  closeFirst?(): Promise<void>;
  close?(): void | Promise<void>;
}
