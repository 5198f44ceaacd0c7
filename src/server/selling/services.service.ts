import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { removeOldResponses } from '../../../resources/starter-root/shared/lib/responses.mjs';
import { NO_TYPED_PRICES, type TypedPrices } from '../../pi/typed-prices.ts';
import type { AgentKey, NewAgentKey } from '../../shared/api/keys.ts';
import { isAgentId } from '../../shared/api/names.ts';
import {
  type NewService,
  type Sale,
  type Sales,
  SERVICE_PORT,
  type Service,
  type SoldChanges,
} from '../../shared/api/services.ts';
import { PI_INSTALL_COMMAND, PI_NODE } from '../../shared/run-command.ts';
import type { SaleReport, SellConfig } from '../../shared/sale-terms.ts';
import { AppError, isNotFound } from '../platform/app-error.ts';
import { writeAtomically } from '../platform/atomic-write.ts';
import type { Clock } from '../platform/clock.ts';
import type { InstalledPi, PiFinder } from '../platform/installed-pi.ts';
import { createKeyedLock } from '../platform/keyed-lock.ts';
import { listAnywhere } from '../platform/list-directory.ts';
import type { Logger } from '../platform/logger.ts';
import { canOthersReplace } from '../platform/open-to-others.ts';
import { compareCopies, flushCopy, listInCopy, moveCopy, removeCopy } from '../platform/private-copy.ts';
import { securePrivateDirectory } from '../platform/private-files.ts';
import type { Wallet } from '../wallet/index.ts';
import { type Estimate, type PriceOf, type TypedPrice, typedPricesWith } from './estimate.ts';
import { createKeepOpen, type Obstacle, type ShopState } from './keep-open.ts';
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
      /** The price of the agent's model in the copy's models.json. */
      readonly typedPrice: TypedPrice;
    }
  >;
  /** Returns an agent's directory in the root. */
  liveDirectory(agent: string): string;
  /** Returns what the agent's sign-ins load now, as in `loads`. */
  signInLoads(agent: string): Promise<readonly string[]>;
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
  priceOf: PriceOf;
  copies: CopyMaker;
  /** Says why the agent can't run until its budget has room. Undefined if it can. */
  budgetProblem(agent: string): Promise<string | undefined>;
  wallet: Pick<Wallet, 'charges'>;
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
  onChange(agent: string, state: ShopState['state']): void;
  /** Called after a run for a customer, or after its session was removed. */
  onRun(agent: string): void;
  /** Reads all sessions. Resolves to whether everything was read. */
  readSessions(): Promise<boolean>;
  /** Called when a service opens, closes or ends. */
  onShop?: ((agent: string, state: ShopState) => void) | undefined;
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
  sales(agent: string, cursor: string | undefined, limit: number): Promise<Sales>;
  /** Returns where an agent is sold, and the longest time that its work can take. Throws `service_failed` unless it runs. */
  shop(agent: string): Promise<{ url: string; timeoutMs: number }>;
  /** Says why customers can't buy from an agent now. Undefined if they can. */
  check(agent: string): Promise<string | undefined>;
  /** Returns the prices that only the service with this key has, from its copy's models.json. */
  soldPrices(keyId: string): Promise<TypedPrices>;
  /** Returns what differs between an agent and its copy. Throws `service_failed` if the agent can't be copied. */
  changes(agent: string): Promise<SoldChanges>;
  /**
   * Ends the service of a deleted agent, and no longer lists it. If an agent with this id is sold again, its customers
   * still have their balances and refunds. Never rejects.
   */
  forget(agent: string): Promise<void>;
  /** Removes the sessions of an earlier agent with this id. Never rejects. */
  forgetSessions(agent: string): Promise<void>;
  /** Keeps a deleted agent's sessions for its trash item. Never rejects. */
  putAway(agent: string, entry: string): Promise<void>;
  /** Gives an agent the sessions of the trash item from which it's restored. Never rejects. */
  bringBack(entry: string, agent: string): Promise<void>;
  /** Removes the sessions of a trash item that is removed. Never rejects. */
  discard(entry: string): Promise<void>;
  /** Removes the session of a customer's request for good, after it was counted. */
  removeSession(agent: string, path: string): Promise<void>;
  /** Starts the services that start with the app. */
  open(): void;
  /** Checks all services now, because what keeps one closed may have changed. */
  look(): void;
  close(): Promise<void>;
}

const HOST = '127.0.0.1';
const START_TIMEOUT_MS = 20_000;
const MOST_PORTS = 100;
/** The end of the name of a service's directory of responses. */
const RESPONSES = '.responses';
/** The directory of the sessions of runs, next to an agent's copies. They outlive a copy. */
const SESSIONS = 'sessions';
const DAY_MS = 24 * 60 * 60_000;
/** How many days a session of a customer's request is kept. */
const SESSION_DAYS = 30;
/** How often texts that are too old are looked for, also those of stopped services. */
const REMOVE_EVERY_MS = 60 * 60_000;
/** The time in which failed requests can cost as much as the limit. */
const LOSS_MS = DAY_MS;
/** How many failures have their details. */
const MOST_DETAILS = 1_000;

const notFound = () =>
  new AppError('service_not_found', 'This agent has never been for sale.').withHint({
    route: 'GET /api/services',
    text: 'GET /api/services lists the agents that are for sale.',
  });

/** The errors that only a person can do something about. */
const FOR_A_PERSON: ReadonlySet<string> = new Set([
  'agent_not_found',
  'agent_not_priced',
  'pricing_config_invalid',
  'root_not_trusted',
  'service_failed',
  'tools_not_accepted',
]);

/** Returns why a service that was started with the other kind of money didn't start. */
const otherMoney = (isTestMoney: boolean): string => {
  const [before, now] = isTestMoney ? ['real', 'test'] : ['test', 'real'];
  return `This agent was for sale for ${before} money, and dot-mi uses ${now} money now. To sell it for ${now} money, sell it again.`;
};

/** Says that auth.json loads something that nobody accepted. */
const signInsChanged = (load: string): string =>
  `The agent’s auth.json has changed since you put it up for sale. It now has this: ${load}. Remove it, or sell the agent again and accept it.`;

const LOGIN_NOT_PRIVATE =
  'Other users of this computer can replace the agent’s auth.json, which contains its sign-ins. Make sure that it and the directories above it belong to you, and run "chmod go-w" on them.';

export const createServicesService = (deps: ServicesDeps): ServicesService => {
  const { store, clock, logger, onChange } = deps;
  const lock = createKeyedLock();
  /** Details of recent failures, by charge. They aren't stored, because a provider's error can repeat a customer's text. */
  const details = new Map<string, string>();

  const shown = (stored: StoredService): Service => {
    const {
      key: _key,
      isDeleted: _deleted,
      isForTestMoney: _test,
      copy: _copy,
      facts: _facts,
      typedPrice: _price,
      args: _args,
      workspaceDirectories: _directories,
      ...settings
    } = stored;
    return { ...settings, ...keeper.stateOf(stored.agent), url: `http://${HOST}:${stored.port}` };
  };

  const requireStored = async (agent: string): Promise<StoredService> => {
    const found = (await store.list()).find((each) => each.agent === agent);
    if (!found) throw notFound();
    return found;
  };

  const choosePort = async (wanted: NewService, before: StoredService | undefined): Promise<number> => {
    // The service's own process uses that port.
    if (before && keeper.hasProcess(before.agent) && (wanted.port ?? before.port) === before.port)
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
      { label: `Service of ${agent}`, agent, scopes: ['charge'] },
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
        : `dot-mi can’t find pi on its PATH. Install it with Node ${PI_NODE} or newer: ${PI_INSTALL_COMMAND}`,
    );
  };

  const writeConfig = async (stored: StoredService): Promise<string> => {
    const {
      key,
      startsWithApp: _starts,
      createdAt: _created,
      isDeleted: _deleted,
      isForTestMoney: _test,
      accepts: _accepts,
      lossLimitSats: _loss,
      copy,
      copiedAt: _copied,
      typedPrice: _price,
      ...settings
    } = stored;
    const { agent } = settings;
    const copyPath = join(deps.copies.directory, agent, copy);
    const temporaryDirectory = join(deps.directory, `${agent}.workspaces`);
    await securePrivateDirectory(temporaryDirectory, () => false);
    const responseDirectory = join(deps.directory, `${agent}${RESPONSES}`);
    await securePrivateDirectory(responseDirectory, () => true);
    const sessionsDirectory = join(deps.copies.directory, agent, SESSIONS);
    await securePrivateDirectory(sessionsDirectory, () => false);
    const config: SellConfig = {
      ...settings,
      apiUrl: deps.apiUrl(),
      key: key.text,
      pi: await requirePi(),
      directory: join(copyPath, 'agents', agent),
      liveDirectory: deps.copies.liveDirectory(agent),
      sessionsDirectory,
      temporaryDirectory,
      responseDirectory,
    };
    const path = join(deps.directory, `${agent}.sell.json`);
    await writeAtomically(path, Buffer.from(JSON.stringify(config)), { mode: 0o600 });
    return path;
  };

  const changed = (agent: string) => onChange(agent, keeper.stateOf(agent).state);

  const saleOf = (sale: Omit<Sale, 'detail'>): Sale => ({
    ...sale,
    detail: details.get(sale.chargeId) ?? null,
  });

  const noteSale = async (agent: string, report: SaleReport) => {
    deps.onRun(agent);
    const { key } = await requireStored(agent);
    const sale = deps.wallet.charges().sales.note(key.id, report);
    // A report can be repeated.
    if (!sale) return;
    if (report.detail !== null) details.set(report.chargeId, report.detail);
    for (const oldest of details.keys()) {
      if (details.size <= MOST_DETAILS) break;
      details.delete(oldest);
    }
    deps.onSale?.(agent, saleOf(sale));
    changed(agent);
    if (sale.outcome === 'refunded') keeper.look(agent);
  };

  const launch = async (agent: string): Promise<ServiceProcess> => {
    const stored = await requireStored(agent);
    const file = await writeConfig(stored);
    const environment = await deps.readEnvironment(stored.variables);
    const program = deps.startProgram(fileURLToPath(deps.programUrl), [file], environment);
    return followService(program, START_TIMEOUT_MS, (report) => {
      if (report.kind === 'sale')
        noteSale(agent, report.sale).catch((error: unknown) =>
          logger.error({ err: error, agent }, 'a sale could not be recorded'),
        );
      if (report.kind !== 'problem') return;
      logger.warn({ agent, problem: report.message }, 'a service reports a problem');
      keeper.look(agent);
    });
  };

  const requireOpenable = async (): Promise<void> => {
    deps.wallet.charges();
    if (!(await deps.isRootTrusted()))
      throw new AppError(
        'root_not_trusted',
        'This root isn’t trusted yet. Read its agents’ files, then trust the root in Settings.',
        {},
      );
    await requirePi();
  };

  const requireAccepted = (
    { accepts }: NewService,
    { tools, loads }: { readonly tools: readonly string[]; readonly loads: readonly string[] },
  ): void => {
    if ([...tools, ...loads].every((each) => accepts.includes(each))) return;
    const risks = [
      ...(tools.length > 0
        ? [
            `A stranger could use the tools of this agent (${tools.join(', ')}) on your computer, with your permissions. Add --no-tools to its pi-args, or accept this risk.`,
          ]
        : []),
      ...(loads.length > 0
        ? [
            `The agent loads things that run code or send text elsewhere: ${loads.join('; ')}. Remove them, or accept this risk.`,
          ]
        : []),
    ];
    throw new AppError('tools_not_accepted', risks.join(' '), { tools: [...tools], loads: [...loads] });
  };

  /** Copies the agent for its customers, and decides by the copy, because the agent can change meanwhile. */
  const copyAgent = async (
    wanted: NewService,
  ): Promise<
    Pick<StoredService, 'copy' | 'copiedAt' | 'facts' | 'typedPrice' | 'args' | 'workspaceDirectories'>
  > => {
    const { agent } = wanted;
    const copy = randomBytes(8).toString('hex');
    const path = join(deps.copies.directory, agent, copy);
    try {
      await securePrivateDirectory(join(deps.copies.directory, agent), () => false);
      const outside = await deps.copies.make(agent, path);
      const { facts, typedPrice, loads, args, workspaceDirectories } = await deps.copies.read(path, agent);
      const all = [...loads, ...outside.map((place) => `${place}, which isn’t in the root`)];
      requireAccepted(wanted, { tools: facts.tools, loads: all });
      await deps.priceOf(facts, wanted, typedPrice);
      await flushCopy(path, deps.directory);
      return {
        copy,
        copiedAt: new Date(clock.now()).toISOString(),
        facts: { ...facts, tools: [...facts.tools] },
        typedPrice,
        args: [...args],
        workspaceDirectories: [...workspaceDirectories],
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
    await keeper.end(agent);
    await store.put(stored);
    await removeCopies(agent, (name) => name === stored.copy || name === SESSIONS);
    // If it can't start, the person who wants it gets the reason and decides what to do.
    await keeper.begin(agent);
    changed(agent);
    return shown(stored);
  };

  const obstacleOf = (error: unknown): Obstacle => {
    if (!(error instanceof AppError)) {
      logger.warn({ err: error }, 'a service could not be checked');
      return { problem: 'dot-mi couldn’t check this service. The log says why.', retry: 'soon' };
    }
    return { problem: error.message, retry: FOR_A_PERSON.has(error.code) ? 'seldom' : 'soon' };
  };

  /** Says why an agent isn't sold whose failed requests cost too much. */
  const lossProblem = ({ key, lossLimitSats }: StoredService): string | undefined => {
    const lost = Math.ceil(deps.wallet.charges().sales.lostSince(key.id, clock.now() - LOSS_MS));
    if (lost <= lossLimitSats) return undefined;
    return `In the last 24 hours, requests that failed and were refunded cost you ${lost} sats of model tokens. Your limit is ${lossLimitSats} sats. See the requests for the cause, or raise the limit.`;
  };

  const findObstacle = async (agent: string): Promise<Obstacle | undefined> => {
    const stored = await requireStored(agent);
    // SECURITY: test money costs customers nothing, so a service for real money must not start with it unnoticed.
    if (stored.isForTestMoney !== deps.devMode) return { problem: otherMoney(deps.devMode), retry: 'never' };
    await requireOpenable();
    if (!existsSync(join(deps.copies.directory, agent, stored.copy)))
      return { problem: 'The private copy of this agent is missing. Sell it again.', retry: 'seldom' };
    await deps.priceOf(stored.facts, stored, stored.typedPrice);
    // The agent may have none.
    if (await canOthersReplace(join(deps.copies.liveDirectory(agent), 'auth.json')).catch(() => false))
      return { problem: LOGIN_NOT_PRIVATE, retry: 'seldom' };
    // SECURITY: the copy doesn't have the sign-ins, so what the operator accepted must be asked for each run.
    const added = (await deps.copies.signInLoads(agent)).find((load) => !stored.accepts.includes(load));
    if (added !== undefined) return { problem: signInsChanged(added), retry: 'seldom' };
    const problem = (await deps.budgetProblem(agent)) ?? lossProblem(stored);
    return problem === undefined ? undefined : { problem, retry: 'soon' };
  };

  const keeper = createKeepOpen({
    lock,
    check: (agent) => findObstacle(agent).catch(obstacleOf),
    launch,
    onChange: changed,
    onTurn: (agent, state) => deps.onShop?.(agent, state),
    clock,
    logger,
  });

  let stopRemoving = () => {};

  /** Removes sessions of customers' requests that are too old. The index of sessions keeps their sums. */
  const removeOldSessions = async (): Promise<void> => {
    const isOld = (day: string) => Date.parse(day) + (SESSION_DAYS + 1) * DAY_MS <= clock.now();
    const owners = await listInCopy(deps.copies.directory);
    const found = await Promise.all(
      owners.map(async (owner) => {
        const directory = join(deps.copies.directory, owner, SESSIONS);
        return (await listInCopy(directory)).filter(isOld).map((day) => join(directory, day));
      }),
    );
    const old = found.flat();
    if (old.length === 0 || !(await deps.readSessions())) return;
    for (const path of old) await removeCopy(path);
    // Of a deleted agent, nothing else is there.
    for (const owner of owners)
      if (!isAgentId(owner) && (await listInCopy(join(deps.copies.directory, owner, SESSIONS))).length === 0)
        await removeCopy(join(deps.copies.directory, owner));
  };

  /** Moves sessions to the directory of an agent, or of the trash item of a deleted one. */
  const moveSessions = async (sessions: string, to: string): Promise<void> => {
    const directory = join(deps.copies.directory, to);
    await securePrivateDirectory(directory, () => false);
    await moveCopy(sessions, join(directory, SESSIONS));
  };

  /**
   * Changes where an agent's sessions are, or those of the trash item of a deleted one. A later agent with its id must not
   * have them, and they can only be counted while they are an agent's.
   */
  const changeSessions = (owner: string, change: (sessions: string) => Promise<void>): Promise<void> =>
    lock
      .run(owner, async () => {
        const sessions = join(deps.copies.directory, owner, SESSIONS);
        if ((await listInCopy(sessions)).length === 0) return;
        if (isAgentId(owner) && !(await deps.readSessions())) return;
        await change(sessions);
        if (!isAgentId(owner)) await removeCopy(join(deps.copies.directory, owner));
      })
      .catch((error: unknown) =>
        logger.warn({ err: error, owner }, 'sessions of customers’ requests could not be changed'),
      );

  /** Removes customers' texts that are too old, also those of stopped services and deleted agents. */
  const removeOldTexts = () => {
    try {
      for (const { name } of listAnywhere(deps.directory))
        if (name.endsWith(RESPONSES)) removeOldResponses(join(deps.directory, name));
    } catch (error) {
      // Nothing was sold yet.
      if (!isNotFound(error)) logger.warn({ err: error }, 'old responses could not be removed');
    }
    removeOldSessions().catch((error: unknown) =>
      logger.warn({ err: error }, 'old sessions of customers’ requests could not be removed'),
    );
    stopRemoving = clock.after(REMOVE_EVERY_MS, removeOldTexts);
  };

  return {
    list: async () => (await store.list()).map(shown),
    preview: deps.estimate,
    start: (wanted) => lock.run(wanted.agent, () => startLocked(wanted)),
    stop: (agent) =>
      lock.run(agent, async () => {
        await requireStored(agent);
        await keeper.end(agent);
        changed(agent);
      }),
    forget: (agent) =>
      lock
        .run(agent, async () => {
          await keeper.end(agent);
          if (await store.remove(agent)) changed(agent);
          await removeCopies(agent, (name) => name === SESSIONS);
        })
        .catch((error: unknown) => logger.warn({ err: error, agent }, 'a service could not be forgotten')),
    forgetSessions: (agent) => changeSessions(agent, removeCopy),
    putAway: (agent, entry) => changeSessions(agent, (sessions) => moveSessions(sessions, entry)),
    bringBack: (entry, agent) => changeSessions(entry, (sessions) => moveSessions(sessions, agent)),
    discard: (entry) => changeSessions(entry, removeCopy),
    async removeSession(agent, path) {
      await deps.readSessions();
      await removeCopy(path);
      deps.onRun(agent);
    },
    async shop(agent) {
      const { url, timeoutSeconds, state } = shown(await requireStored(agent));
      // SECURITY: another program may listen at the port of a service that isn't running, and ask for any price.
      if (state !== 'running')
        throw new AppError('service_failed', 'Customers can’t buy from this agent now, so nothing was paid.');
      return { url, timeoutMs: timeoutSeconds * 1_000 };
    },
    async check(agent) {
      await requireStored(agent);
      return (await findObstacle(agent).catch(obstacleOf))?.problem;
    },
    async soldPrices(keyId) {
      const sold = (await store.list()).find(({ key }) => key.id === keyId);
      return sold ? typedPricesWith(sold.facts.model, sold.typedPrice) : NO_TYPED_PRICES;
    },
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
    async sales(agent, cursor, limit) {
      const { sales } = deps.wallet.charges();
      const { key } = await requireStored(agent);
      const page = sales.page(key.id, cursor, limit);
      return { ...page, sales: page.sales.map(saleOf) };
    },
    open() {
      removeOldTexts();
      store
        .list()
        .then((services) => {
          for (const { agent, startsWithApp } of services) if (startsWithApp) keeper.keep(agent);
        })
        .catch((error: unknown) => logger.error({ err: error }, 'the services could not be read'));
    },
    look: () => keeper.look(),
    close() {
      stopRemoving();
      return keeper.close();
    },
  };
};
