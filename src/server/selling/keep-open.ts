import type { Service } from '../../shared/api/services.ts';
import { AppError } from '../platform/app-error.ts';
import type { Clock } from '../platform/clock.ts';
import type { KeyedLock } from '../platform/keyed-lock.ts';
import type { Logger } from '../platform/logger.ts';
import type { ServiceProcess } from './service-process.ts';

/** Why customers can't buy from a service now. */
export interface Obstacle {
  /** A sentence or two for the operator. */
  readonly problem: string;
  /**
   * When to try again. `soon`: the obstacle may disappear without anybody's help. `seldom`: only a person can remove it.
   * `never`: it stays until dot-mi restarts.
   */
  readonly retry: 'soon' | 'seldom' | 'never';
}

/** What customers and the operator notice about a service. */
export type ShopState = Pick<Service, 'state' | 'problem' | 'closedSince' | 'retryAt'>;

/** Dependencies of {@link createKeepOpen}. */
interface KeepOpenDeps {
  /** Held, by agent, during every start, check and stop. */
  lock: KeyedLock;
  /** Finds what keeps customers from buying. Undefined if nothing does. Never rejects. */
  check(agent: string): Promise<Obstacle | undefined>;
  /** Starts the process. Rejects if it can't be started. */
  launch(agent: string): Promise<ServiceProcess>;
  /** Called after anything in a service's {@link ShopState} changed. */
  onChange(agent: string): void;
  /** Called once when a service opens, closes or ends. Retries in between don't count. */
  onTurn(agent: string, state: ShopState): void;
  clock: Clock;
  logger: Logger;
}

/** Keeps services open until they are ended. */
interface KeepOpen {
  /** Returns the state of a service. */
  stateOf(agent: string): ShopState;
  /** Returns whether a service has a process, which uses its port. */
  hasProcess(agent: string): boolean;
  /** Starts a service and keeps it open. Call this with the lock. Throws `service_failed`, and keeps nothing, if it can't start. */
  begin(agent: string): Promise<void>;
  /** Keeps a service open that may not be able to start yet. */
  keep(agent: string): void;
  /** Checks a service now, or all services, because an obstacle may have changed. */
  look(agent?: string): void;
  /** Ends a service for good. Call this with the lock. */
  end(agent: string): Promise<void>;
  close(): Promise<void>;
}

interface Shop {
  state: 'starting' | 'running' | 'closed';
  problem: string | undefined;
  /** In milliseconds since 1970. Undefined unless it's closed. */
  closedSince: number | undefined;
  /** In milliseconds since 1970. Undefined unless it's closed, or if it's never tried again. */
  retryAt: number | undefined;
  process: ServiceProcess | undefined;
  /** How often in a row the process couldn't start, or ended. */
  failures: number;
  /** True if a check waits for the lock. */
  isQueued: boolean;
  cancel(): void;
}

/** How long a service gets to finish or refund current requests. Its process has a shorter limit. */
const STOP_GRACE_MS = 10_000;
/** The wait before the first retry. Each later one is twice as long. */
const FIRST_RETRY_MS = 5_000;
/** The longest wait before a retry. A process that ran for this long counts as having worked. */
const LAST_RETRY_MS = 5 * 60_000;
/** How often a service whose process runs is checked, because an obstacle causes no event in some cases. */
const CHECK_MS = 30_000;

const isoOf = (ms: number): string => new Date(ms).toISOString();

export const createKeepOpen = ({
  lock,
  check,
  launch,
  onChange,
  onTurn,
  clock,
  logger,
}: KeepOpenDeps): KeepOpen => {
  const shops = new Map<string, Shop>();
  let isClosed = false;

  const isKept = (agent: string, shop: Shop) => !isClosed && shops.get(agent) === shop;

  const stateOf = (agent: string): ShopState => {
    const shop = shops.get(agent);
    if (!shop) return { state: 'stopped' };
    const { state, problem, closedSince, retryAt } = shop;
    return {
      state,
      ...(problem === undefined ? {} : { problem }),
      ...(closedSince === undefined ? {} : { closedSince: isoOf(closedSince) }),
      ...(retryAt === undefined ? {} : { retryAt: isoOf(retryAt) }),
    };
  };

  const schedule = (agent: string, shop: Shop, ms: number) => {
    shop.cancel();
    shop.cancel = clock.after(ms, () => lookAt(agent, shop));
  };

  const open = (agent: string, shop: Shop) => {
    schedule(agent, shop, CHECK_MS);
    if (shop.state === 'running') return;
    if (shop.state === 'closed') logger.info({ agent }, 'a service is open again');
    Object.assign(shop, { state: 'running', problem: undefined, closedSince: undefined, retryAt: undefined });
    onChange(agent);
    onTurn(agent, stateOf(agent));
  };

  const retryAfterMs = ({ process, failures }: Shop, { retry }: Obstacle): number | undefined => {
    if (process) return CHECK_MS;
    if (retry === 'never') return undefined;
    return retry === 'seldom' ? LAST_RETRY_MS : Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), LAST_RETRY_MS);
  };

  const shut = (agent: string, shop: Shop, obstacle: Obstacle) => {
    const { problem } = obstacle;
    if (!shop.process) shop.failures += 1;
    const now = clock.now();
    const ms = retryAfterMs(shop, obstacle);
    shop.cancel();
    if (ms !== undefined) schedule(agent, shop, ms);
    const isNews = shop.state !== 'closed';
    if (isNews || shop.problem !== problem) logger.warn({ agent, problem }, 'a service is closed');
    Object.assign(shop, {
      state: 'closed',
      problem,
      closedSince: shop.closedSince ?? now,
      retryAt: ms === undefined ? undefined : now + ms,
    });
    onChange(agent);
    if (isNews) onTurn(agent, stateOf(agent));
  };

  /** Starts the process. Resolves to why customers can't buy from it, or undefined. */
  const start = async (agent: string, shop: Shop): Promise<string | undefined> => {
    const process = await launch(agent);
    if (!isKept(agent, shop)) {
      await process.stop(STOP_GRACE_MS);
      return undefined;
    }
    const startedAt = clock.now();
    let isReady = false;
    shop.process = process;
    void process.ended.then((problem) => {
      if (shop.process !== process) return;
      shop.process = undefined;
      if (!isReady || !isKept(agent, shop)) return;
      if (clock.now() - startedAt >= LAST_RETRY_MS) shop.failures = 0;
      shut(agent, shop, { problem, retry: 'soon' });
    });
    const problem = await process.ready;
    if (problem === undefined) isReady = true;
    else await process.stop(0);
    return problem;
  };

  const checkNow = async (agent: string, shop: Shop): Promise<void> => {
    let obstacle = await check(agent);
    if (!isKept(agent, shop)) return;
    if (!obstacle && !shop.process) {
      const problem = await start(agent, shop).catch((error: unknown) => {
        logger.warn({ err: error, agent }, 'a service could not be started');
        return 'dot-mi couldn’t start its process. The log says why.';
      });
      obstacle = problem === undefined ? undefined : { problem, retry: 'soon' };
    }
    if (!isKept(agent, shop)) return;
    if (obstacle) shut(agent, shop, obstacle);
    else if (shop.process) open(agent, shop);
  };

  const lookAt = (agent: string, shop: Shop) => {
    if (shop.isQueued || !isKept(agent, shop)) return;
    shop.isQueued = true;
    lock
      .run(agent, async () => {
        shop.isQueued = false;
        if (isKept(agent, shop)) await checkNow(agent, shop);
      })
      .catch((error: unknown) => logger.error({ err: error, agent }, 'a service could not be checked'));
  };

  const add = (agent: string): Shop => {
    const shop: Shop = {
      state: 'starting',
      problem: undefined,
      closedSince: undefined,
      retryAt: undefined,
      process: undefined,
      failures: 0,
      isQueued: false,
      cancel: () => undefined,
    };
    shops.set(agent, shop);
    return shop;
  };

  const end = async (agent: string) => {
    const shop = shops.get(agent);
    if (!shop) return;
    shops.delete(agent);
    shop.cancel();
    onTurn(agent, stateOf(agent));
    await shop.process?.stop(STOP_GRACE_MS);
  };

  return {
    stateOf,
    hasProcess: (agent) => shops.get(agent)?.process !== undefined,
    async begin(agent) {
      const shop = add(agent);
      try {
        const problem = await start(agent, shop);
        if (problem !== undefined)
          throw new AppError('service_failed', `The service could not start. ${problem}`);
      } catch (error) {
        shops.delete(agent);
        throw error;
      }
      await checkNow(agent, shop);
    },
    keep: (agent) => lookAt(agent, shops.get(agent) ?? add(agent)),
    look(agent) {
      for (const [name, shop] of shops) if (agent === undefined || agent === name) lookAt(name, shop);
    },
    end,
    async close() {
      isClosed = true;
      // A check that is running may be about to start a process.
      const idle = (agent: string) => lock.run(agent, async () => undefined);
      await Promise.all([...shops.keys()].flatMap((agent) => [end(agent), idle(agent)]));
    },
  };
};
