import type { ServerEvent } from '../shared/api/events.ts';
import type { Config } from './config.ts';
import type { Routes } from './http/bind-endpoint.ts';
import type { BodyThread } from './platform/body-thread.ts';
import type { Changes } from './platform/changes.ts';
import type { Clock } from './platform/clock.ts';
import type { LinkSystem } from './platform/create-link.ts';
import type { EtagOf } from './platform/etag.ts';
import type { PiFinder } from './platform/installed-pi.ts';
import type { KeyedLock } from './platform/keyed-lock.ts';
import type { Logger } from './platform/logger.ts';
import type { ManagedRoot } from './platform/root.ts';
import type { NearDisk } from './root-model/near-disk.ts';
import type { Asked, Lists } from './workers/disk-worker.ts';

/** Objects that `start.ts` creates before the features. */
export interface Base {
  readonly config: Config;
  readonly root: ManagedRoot;
  readonly disk: BodyThread<Lists, Asked>;
  readonly nearDisk: NearDisk;
  readonly etagOf: EtagOf;
  /** The only way to change agents and shared entries. */
  readonly changes: Changes;
  /** Locked by agent id during every change to an agent's directory. */
  readonly agentLock: KeyedLock;
  /** Returns the root's path without symlinks. Throws `agent_not_found` and `root_unavailable`. */
  requireAgent(id: string): Promise<string>;
  /** Sends an event to all subscribers. */
  publish(event: ServerEvent): void;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How links are created. Undefined means this system's way. */
  readonly linkSystem: LinkSystem | undefined;
  readonly findPi: PiFinder;
  /** Reads the PATH for programs that dot-mi starts: the user's, without places where others could plant a program. */
  readSearchPath(): Promise<string>;
}

/** A feature, created by its `index.ts`: its routes, its work once the server listens, and its cleanup. */
export interface Feature {
  readonly routes: Routes;
  start?(): void;
  /** Stops outside programs that call the routes. The routes still respond meanwhile. */
  closeFirst?(): Promise<void>;
  close?(): void | Promise<void>;
}
