import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { removeOldResponses } from '../../../resources/starter-root/shared/lib/responses.mjs';
import type { AgentKey, NewAgentKey } from '../../shared/api/keys.ts';
import {
  type NewService,
  SALES_KEPT,
  type Sale,
  SERVICE_PORT,
  type Service,
  type SoldChanges,
} from '../../shared/api/services.ts';
import { PI_INSTALL_COMMAND } from '../../shared/run-command.ts';
import type { SaleReport, SellConfig } from '../../shared/sale-terms.ts';
import { AppError, isNotFound } from '../platform/app-error.ts';
import { writeAtomically } from '../platform/atomic-write.ts';
import type { Clock } from '../platform/clock.ts';
import type { InstalledPi, PiFinder } from '../platform/installed-pi.ts';
import { createKeyedLock } from '../platform/keyed-lock.ts';
import { listAnywhere } from '../platform/list-directory.ts';
import type { Logger } from '../platform/logger.ts';
import { compareCopies, listInCopy, removeCopy } from '../platform/private-copy.ts';
import { securePrivateDirectory } from '../platform/private-files.ts';
import type { Estimate } from './estimate.ts';
import { followService, type ServiceProcess, type StartProgram } from './service-process.ts';
import type { ServiceStore, StoredService } from './service-store.ts';

/** Makes and reads the private copies of agents for sale. */
interface CopyMaker {
  /** The directory for the copies of this root's agents, of which each has its own. */
  readonly directory: string;
  /**
   * Copies an agent with all that it reaches. Returns the places out of the root that it reaches. Throws
   * `service_failed`, with a sentence for the operator.
   */
  make(agent: string, to: string): Promise<readonly string[]>;
  read(
    path: string,
    agent: string,
  ): Promise<
    Pick<SellConfig, 'args' | 'workspaceDirectories' | 'facts'> & {
      /** What the copy loads that runs code or sends text elsewhere. */
      readonly loads: readonly string[];
    }
  >;
  /** Returns an agent's directory in the root. */
  liveDirectory(agent: string): string;
}

/** Dependencies of {@link createServicesService}. */
export interface ServicesDeps {
  store: ServiceStore;
  /** The directory for the services' private files. */
  directory: string;
  devMode: boolean;
  /** Resolves to whether the operator trusts the root as it is now. */
  isRootTrusted(): Promise<boolean>;
  estimate: Estimate;
  copies: CopyMaker;
  /** Throws `wallet_locked` while the wallet isn't open. */
  charges(): { priceOf(id: string): number | undefined };
  /** Creates a key, as the successor of a revoked one if `id` is set. */
  createKey(key: NewAgentKey, id?: string): Promise<AgentKey & { key: string }>;
  keyExists(id: string): boolean;
  apiUrl(): string;
  isPortFree(host: string, port: number): Promise<boolean>;
  startProgram: StartProgram;
  findPi: PiFinder;
  /** Reads the environment of a service whose agent gets these variables. */
  readEnvironment(variables: readonly string[]): Promise<Record<string, string>>;
  programUrl: URL;
  /** Called after a service changes, and after a sale. */
  onChange(agent: string): void;
  onSale?: ((agent: string, sale: Sale) => void) | undefined;
  clock: Clock;
  logger: Logger;
}

/** Runs the services of agents for sale. */
export interface ServicesService {
  list(): Promise<Service[]>;
  preview: Estimate;
  start(wanted: NewService): Promise<Service>;
  stop(agent: string): Promise<void>;
  sales(agent: string): Promise<Sale[]>;
  /** Returns what differs between an agent and its copy. Throws `service_failed` if the agent can't be copied. */
  changes(agent: string): Promise<SoldChanges>;
  /**
   * Ends the service of a deleted agent, and no longer lists it. If an agent with this id is sold again, its customers
   * still have their balances and refunds. Never rejects.
   */
  forget(agent: string): Promise<void>;
  /** Starts the services that start with the app. */
  open(): void;
  close(): Promise<void>;
}

interface Running {
  /** How many times in a row the service ended within {@link RESTART_AFTER_MS}. */
  quickEnds: number;
  process: ServiceProcess;
  state: 'starting' | 'running' | 'failed';
  problem?: string;
  sales: SaleReportAt[];
}

interface SaleReportAt extends SaleReport {
  at: string;
}

const HOST = '127.0.0.1';
const START_TIMEOUT_MS = 20_000;
/** How long a service gets to finish or refund current requests. Its process has a shorter limit. */
const STOP_GRACE_MS = 10_000;
/** How long to wait before restarting a service that ended unexpectedly. */
const RESTART_AFTER_MS = 5_000;
/** After this many quick ends in a row, a service isn't restarted anymore. */
const MOST_QUICK_ENDS = 5;
const MOST_PORTS = 100;
/** The end of the name of a service's directory of responses. */
const RESPONSES = '.responses';
/** How often responses that are too old are looked for, also those of stopped services. */
const REMOVE_EVERY_MS = 60 * 60_000;

const notFound = () =>
  new AppError('service_not_found', 'This agent has never been for sale.').withHint({
    route: 'GET /api/services',
    text: 'GET /api/services lists the agents that are for sale.',
  });

/** Returns why a service that was started with the other kind of money didn't start. */
const otherMoney = (isTestMoney: boolean): string => {
  const [before, now] = isTestMoney ? ['real', 'test'] : ['test', 'real'];
  return `This agent was for sale for ${before} money, and dot-mi uses ${now} money now. To sell it for ${now} money, sell it again.`;
};

/** Creates {@link ServicesService}. */
export const createServicesService = (deps: ServicesDeps): ServicesService => {
  const { store, clock, logger, onChange } = deps;
  const lock = createKeyedLock();
  const running = new Map<string, Running>();
  let isClosed = false;
  const timers = new Set<() => void>();
  /** Why services that start with the app couldn't start. */
  const unstarted = new Map<string, string>();

  const shown = (stored: StoredService): Service => {
    const {
      key: _key,
      isDeleted: _deleted,
      isForTestMoney: _test,
      copy: _copy,
      facts: _facts,
      ...settings
    } = stored;
    const now = running.get(stored.agent);
    const problem = now ? now.problem : unstarted.get(stored.agent);
    return {
      ...settings,
      state: now?.state ?? (problem === undefined ? 'stopped' : 'failed'),
      ...(problem === undefined ? {} : { problem }),
      url: `http://${HOST}:${stored.port}`,
    };
  };

  const requireStored = async (agent: string): Promise<StoredService> => {
    const found = (await store.list()).find((each) => each.agent === agent);
    if (!found) throw notFound();
    return found;
  };

  const choosePort = async (wanted: NewService, before: StoredService | undefined): Promise<number> => {
    // The service's own process uses that port.
    if (before && running.has(before.agent) && (wanted.port ?? before.port) === before.port)
      return before.port;
    if (wanted.port !== undefined) {
      if (await deps.isPortFree(HOST, wanted.port)) return wanted.port;
      throw new AppError('port_in_use', `Another program uses port ${wanted.port}. Choose another one.`);
    }
    const others = new Set((await store.list()).filter((each) => each !== before).map(({ port }) => port));
    const ports = [
      ...(before ? [before.port] : []),
      ...Array.from({ length: MOST_PORTS }, (_, at) => SERVICE_PORT + at),
    ];
    for (const port of ports) if (!others.has(port) && (await deps.isPortFree(HOST, port))) return port;
    throw new AppError(
      'port_in_use',
      `All ports from ${SERVICE_PORT} to ${SERVICE_PORT + MOST_PORTS - 1} are in use. Choose another one.`,
    );
  };

  const keyFor = async (
    agent: string,
    known: StoredService['key'] | undefined,
  ): Promise<StoredService['key']> => {
    if (known && deps.keyExists(known.id)) return known;
    // A revoked key's successor keeps its id, so that it owns the same charges and prepaid balances.
    const { id, key: text } = await deps.createKey(
      { label: `Service of ${agent}`, agent, scopes: ['charge', 'read-agents'] },
      known?.id,
    );
    return { id, text };
  };

  /** Returns what starts pi. Throws `service_failed` if dot-mi can't run it. */
  const requirePi = async (): Promise<NonNullable<InstalledPi['command']>> => {
    const pi = await deps.findPi();
    if (pi?.command) return pi.command;
    throw new AppError(
      'service_failed',
      pi
        ? 'Other users of this computer can replace pi, so dot-mi doesn’t run it. Make sure that it and the directories above it belong to you, and run "chmod go-w" on them.'
        : `dot-mi can’t find pi on its PATH. Install it: ${PI_INSTALL_COMMAND}`,
    );
  };

  const writeConfig = async (stored: StoredService): Promise<string> => {
    const {
      key,
      startsWithApp: _starts,
      createdAt: _created,
      isDeleted: _deleted,
      isForTestMoney: _test,
      acceptTools: _accept,
      copy,
      copiedAt: _copied,
      ...settings
    } = stored;
    const { agent } = settings;
    const copyPath = join(deps.copies.directory, agent, copy);
    const { args, workspaceDirectories } = await deps.copies.read(copyPath, agent);
    const temporaryDirectory = join(deps.directory, `${agent}.workspaces`);
    await securePrivateDirectory(temporaryDirectory, () => false);
    const responseDirectory = join(deps.directory, `${agent}${RESPONSES}`);
    await securePrivateDirectory(responseDirectory, () => true);
    const config: SellConfig = {
      ...settings,
      apiUrl: deps.apiUrl(),
      key: key.text,
      pi: await requirePi(),
      args,
      workspaceDirectories,
      directory: join(copyPath, 'agents', agent),
      liveDirectory: deps.copies.liveDirectory(agent),
      temporaryDirectory,
      responseDirectory,
    };
    const path = join(deps.directory, `${agent}.sell.json`);
    await writeAtomically(path, Buffer.from(JSON.stringify(config)), { mode: 0o600 });
    return path;
  };

  const noteSale = (agent: string, now: Running, report: SaleReport) => {
    now.sales = [{ ...report, at: new Date(clock.now()).toISOString() }, ...now.sales].slice(0, SALES_KEPT);
    const [latest] = now.sales;
    if (latest) deps.onSale?.(agent, saleOf(latest));
    onChange(agent);
  };

  const chargedFor = (chargeId: string): number | null => {
    try {
      return deps.charges().priceOf(chargeId) ?? null;
    } catch {
      // The wallet is locked.
      return null;
    }
  };

  const saleOf = ({ at, chargeId, ...report }: SaleReportAt): Sale => ({
    at,
    chargeId,
    ...report,
    // The charge gets its price later than the report if dot-mi couldn't be reached at once.
    charged: report.charged ?? chargedFor(chargeId),
  });

  const launch = async (stored: StoredService, quickEnds = 0): Promise<Running> => {
    const { agent } = stored;
    const file = await writeConfig(stored);
    const environment = await deps.readEnvironment(stored.variables);
    const program = deps.startProgram(fileURLToPath(deps.programUrl), [file], environment);
    const startedAt = clock.now();
    const now: Running = {
      quickEnds,
      state: 'starting',
      sales: running.get(agent)?.sales ?? [],
      process: followService(program, START_TIMEOUT_MS, (report) => {
        if (report.kind === 'sale') noteSale(agent, now, report.sale);
        else if (report.kind === 'problem')
          logger.warn({ agent, problem: report.message }, 'a service reports a problem');
      }),
    };
    running.set(agent, now);
    void now.process.ended.then((why) => {
      if (running.get(agent) !== now || isClosed) return;
      now.state = 'failed';
      now.problem = why;
      logger.warn({ agent, why }, 'the process of a service ended');
      onChange(agent);
      now.quickEnds = clock.now() - startedAt < RESTART_AFTER_MS ? quickEnds + 1 : 0;
      if (now.quickEnds >= MOST_QUICK_ENDS) return;
      const cancel = clock.after(RESTART_AFTER_MS, () => {
        timers.delete(cancel);
        void restart(agent, now);
      });
      timers.add(cancel);
    });
    const problem = await now.process.ready;
    if (problem === undefined) now.state = 'running';
    else {
      now.state = 'failed';
      now.problem = problem;
    }
    onChange(agent);
    return now;
  };

  const restart = (agent: string, failed: Running) =>
    lock
      .run(agent, async () => {
        if (running.get(agent) !== failed || isClosed) return;
        await launch(await requireStored(agent), failed.quickEnds);
      })
      .catch((error: unknown) => logger.warn({ err: error, agent }, 'a service could not be started again'));

  const end = async (agent: string) => {
    unstarted.delete(agent);
    const now = running.get(agent);
    if (!now) return;
    running.delete(agent);
    await now.process.stop(STOP_GRACE_MS);
  };

  const requireOpenable = async (): Promise<void> => {
    deps.charges();
    if (!(await deps.isRootTrusted()))
      throw new AppError(
        'root_not_trusted',
        'This root isn’t trusted yet. Read its agents’ files, then trust the root in Settings.',
        {},
      );
    await requirePi();
  };

  const requireAccepted = (
    { acceptTools }: NewService,
    { tools, loads }: { readonly tools: readonly string[]; readonly loads: readonly string[] },
  ): void => {
    if (acceptTools || tools.length + loads.length === 0) return;
    const risks = [
      ...(tools.length > 0
        ? [
            `A stranger could use the tools of this agent (${tools.join(', ')}) on your computer, with your permissions. Add --no-tools to its pi-args, or accept this risk.`,
          ]
        : []),
      ...(loads.length > 0
        ? [
            `The agent also loads what runs code or sends text elsewhere: ${loads.join('; ')}. Remove it, or accept this risk.`,
          ]
        : []),
    ];
    throw new AppError('tools_not_accepted', risks.join(' '), { tools: [...tools], loads: [...loads] });
  };

  /** Copies the agent for its customers, and decides by the copy, because the agent can change meanwhile. */
  const copyAgent = async (
    wanted: NewService,
  ): Promise<Pick<StoredService, 'copy' | 'copiedAt' | 'facts'>> => {
    const { agent } = wanted;
    const copy = randomBytes(8).toString('hex');
    const path = join(deps.copies.directory, agent, copy);
    try {
      await securePrivateDirectory(join(deps.copies.directory, agent), () => false);
      const outside = await deps.copies.make(agent, path);
      const { facts, loads } = await deps.copies.read(path, agent);
      const all = [...loads, ...outside.map((place) => `${place}, which isn’t in the root`)];
      requireAccepted(wanted, { tools: facts.tools, loads: all });
      return {
        copy,
        copiedAt: new Date(clock.now()).toISOString(),
        facts: { ...facts, tools: [...facts.tools] },
      };
    } catch (error) {
      await removeCopies(agent, (name) => name !== copy);
      throw error;
    }
  };

  /** Removes the copies of an agent whose names aren't kept. */
  const removeCopies = async (agent: string, isKept: (name: string) => boolean): Promise<void> => {
    const directory = join(deps.copies.directory, agent);
    for (const name of (await listInCopy(directory)).filter((each) => !isKept(each)))
      await removeCopy(join(directory, name)).catch((error: unknown) =>
        logger.warn({ err: error, agent }, 'an old copy of an agent for sale could not be removed'),
      );
  };

  const startLocked = async (wanted: NewService): Promise<Service> => {
    await requireOpenable();
    requireAccepted(wanted, { ...(await deps.estimate(wanted)), loads: [] });
    const before = await store.find(wanted.agent);
    const { agent, priceSats, description, port: _port, ...settings } = wanted;
    const stored: StoredService = {
      ...settings,
      agent,
      port: await choosePort(wanted, before),
      priceSats: priceSats ?? null,
      description: description ?? null,
      createdAt: before?.createdAt ?? new Date(clock.now()).toISOString(),
      ...(await copyAgent(wanted)),
      isDeleted: false,
      isForTestMoney: deps.devMode,
      key: await keyFor(agent, before?.key),
    };
    await end(agent);
    await store.put(stored);
    await removeCopies(agent, (name) => name === stored.copy);
    const now = await launch(stored);
    if (now.state === 'failed') {
      // The person who started the service gets the reason and decides what to do.
      await end(agent);
      throw new AppError(
        'service_failed',
        `The service could not start. ${now.problem ?? 'Its process ended.'}`,
      );
    }
    return shown(stored);
  };

  const openOne = (stored: StoredService) =>
    lock.run(stored.agent, async () => {
      if (isClosed || running.has(stored.agent)) return;
      try {
        // SECURITY: test money costs customers nothing, so a service for real money must not start with it unnoticed.
        if (stored.isForTestMoney !== deps.devMode) {
          unstarted.set(stored.agent, otherMoney(deps.devMode));
          onChange(stored.agent);
          return;
        }
        await requireOpenable();
        await launch(stored);
      } catch (error) {
        logger.warn({ err: error, agent: stored.agent }, 'a service could not be started');
        unstarted.set(stored.agent, error instanceof AppError ? error.message : 'The log says why.');
        onChange(stored.agent);
      }
    });

  const openAll = async () => {
    await Promise.all((await store.list()).filter(({ startsWithApp }) => startsWithApp).map(openOne));
  };

  /** Removes customers' texts that are older than a day, also those of stopped services and deleted agents. */
  const removeOldTexts = () => {
    if (isClosed) return;
    try {
      for (const { name } of listAnywhere(deps.directory))
        if (name.endsWith(RESPONSES)) removeOldResponses(join(deps.directory, name));
    } catch (error) {
      // Nothing was sold yet.
      if (!isNotFound(error)) logger.warn({ err: error }, 'old responses could not be removed');
    }
    const cancel = clock.after(REMOVE_EVERY_MS, () => {
      timers.delete(cancel);
      removeOldTexts();
    });
    timers.add(cancel);
  };

  return {
    list: async () => (await store.list()).map(shown),
    preview: deps.estimate,
    start: (wanted) => lock.run(wanted.agent, () => startLocked(wanted)),
    stop: (agent) =>
      lock.run(agent, async () => {
        await requireStored(agent);
        await end(agent);
        onChange(agent);
      }),
    forget: (agent) =>
      lock
        .run(agent, async () => {
          await end(agent);
          if (await store.remove(agent)) onChange(agent);
          await removeCopies(agent, () => false);
        })
        .catch((error: unknown) => logger.warn({ err: error, agent }, 'a service could not be forgotten')),
    async changes(agent) {
      const { copy, copiedAt } = await requireStored(agent);
      const directory = join(deps.copies.directory, agent);
      const now = join(directory, `${randomBytes(8).toString('hex')}.now`);
      try {
        await deps.copies.make(agent, now);
        return { copiedAt, changes: await compareCopies(join(directory, copy), now) };
      } finally {
        await removeCopy(now);
      }
    },
    async sales(agent) {
      await requireStored(agent);
      return (running.get(agent)?.sales ?? []).map(saleOf);
    },
    open() {
      removeOldTexts();
      void openAll().catch((error: unknown) =>
        logger.error({ err: error }, 'the services could not be read'),
      );
    },
    async close() {
      isClosed = true;
      for (const cancel of timers) cancel();
      await Promise.all([...running.keys()].map(end));
    },
  };
};
