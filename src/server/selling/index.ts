import { join } from 'node:path';
import { piEnvironment } from '../../pi/environment.ts';
import type { ServerEvent } from '../../shared/api/events.ts';
import type { AgentPrompt } from '../../shared/api/prompt.ts';
import {
  buyFromService,
  checkService,
  listSales,
  listServices,
  listSoldChanges,
  previewService,
  startService,
  stopService,
} from '../../shared/api/services.ts';
import { directoriesIn, piArgsIn } from '../../shared/run-command.ts';
import { soldFacts } from '../../shared/sale-terms.ts';
import { ownEnvironment } from '../config.ts';
import type { Base, Feature } from '../feature.ts';
import { SELL_PROGRAM_URL, STARTER_TEMPLATE } from '../locations.ts';
import { ownDataOf } from '../platform/own-data.ts';
import { typedPricesOf } from '../platform/pi-schemas.ts';
import { copyPrivately, readInCopy } from '../platform/private-copy.ts';
import { resolvedPlace } from '../platform/resolves-outside.ts';
import type { Wallet } from '../wallet/index.ts';
import { createBuy } from './buy.ts';
import { type ChargesDeps, createChargeRoutes } from './charges.ts';
import { createEarningsRoutes, type EarningsDeps } from './earnings.ts';
import { createEstimate, createPriceOf, type EstimateDeps, typedPriceOf } from './estimate.ts';
import { forkProgram, type StartProgram } from './service-process.ts';
import { createServiceStore } from './service-store.ts';
import { createServicesService, type ServicesDeps, type ServicesService } from './services.service.ts';
import { loadsOf, signInLoadsOf } from './sold-loads.ts';

export type { StartedProgram, StartProgram } from './service-process.ts';
export type { ServicesDeps } from './services.service.ts';

interface SellingDeps
  extends Pick<
      Base,
      'config' | 'root' | 'publish' | 'clock' | 'logger' | 'findPi' | 'readSearchPath' | 'agentLock'
    >,
    EstimateDeps,
    Omit<ChargesDeps, 'soldPrices'>,
    EarningsDeps,
    Pick<
      ServicesDeps,
      | 'isRootTrusted'
      | 'budgetProblem'
      | 'onShop'
      | 'createKey'
      | 'keyExists'
      | 'apiUrl'
      | 'isPortFree'
      | 'onSale'
      | 'readSessions'
    > {
  wallet: Pick<Wallet, 'charges' | 'earned' | 'own'>;
  /** The directory of this root's private copies. */
  soldDirectory: string;
  /** Returns the prompt of an agent in another root, in a directory. */
  promptAt(rootPath: string, agent: string, cwd: string): Promise<AgentPrompt>;
  /** Calls a listener with each event. */
  follow(listener: (event: ServerEvent) => void): void;
  /** Starts programs. If it's undefined, Node starts them. */
  startProgram: StartProgram | undefined;
}

/** The events after which a closed service may be able to sell, or an open one not anymore. */
const CHANGING: ReadonlySet<string> = new Set<ServerEvent['name']>([
  'agents',
  'budgets',
  'links',
  'price',
  'settings',
]);

/**
 * Creates the routes that sell agents, each in its own process, and those for charges, prepaid balances and earnings. The
 * settings of services are in `data/services`, and the wallet has the rest.
 */
export const createSelling = ({
  config,
  root,
  publish,
  startProgram = forkProgram,
  findPi,
  readSearchPath,
  promptAt,
  agentLock,
  follow,
  soldDirectory,
  ...deps
}: SellingDeps): Feature &
  Pick<
    ServicesService,
    'forget' | 'forgetSessions' | 'putAway' | 'bringBack' | 'discard' | 'removeSession'
  > => {
  const directory = join(config.dataDirectory, 'data', 'services');
  const ownExtensions = join(STARTER_TEMPLATE, 'shared', 'extensions');
  const textIn = (path: string, agent: string, name: string) =>
    readInCopy(join(path, 'agents', agent, name)).then((text = '') => text);
  const services = createServicesService({
    ...deps,
    estimate: createEstimate(deps),
    priceOf: createPriceOf(deps),
    copies: {
      directory: soldDirectory,
      make: (agent, to) =>
        agentLock.run(agent, async () => {
          await deps.requireAgent(agent);
          return copyPrivately({
            root,
            agent,
            to,
            ownData: ownDataOf(config).map(resolvedPlace),
            homeDirectory: config.homeDirectory,
          });
        }),
      async read(path, agent) {
        const args = piArgsIn(await textIn(path, agent, 'pi-args'));
        const facts = soldFacts(await promptAt(path, agent, directory), args);
        return {
          args,
          facts,
          typedPrice: typedPriceOf(facts.model, typedPricesOf(await textIn(path, agent, 'models.json'))),
          workspaceDirectories: directoriesIn(await textIn(path, agent, 'workspace.conf')),
          loads: await loadsOf(path, agent, { ownExtensions, liveDirectory: root.agent(agent) }),
        };
      },
      liveDirectory: root.agent,
      signInLoads: (agent) => signInLoadsOf(root.agent(agent)),
    },
    store: createServiceStore(directory, root.id),
    directory,
    devMode: config.devMode,
    startProgram,
    findPi,
    readEnvironment: async (variables) => ({
      ...piEnvironment(ownEnvironment(), variables),
      PATH: await readSearchPath(),
    }),
    programUrl: SELL_PROGRAM_URL,
    onRun: (agent) => publish({ name: 'sessions', data: { ids: [agent] } }),
    onChange: (agent, state) => publish({ name: 'services', data: { agent, state } }),
  });
  const buy = createBuy(deps);
  const bindCharges = createChargeRoutes({ ...deps, soldPrices: services.soldPrices });
  const bindEarnings = createEarningsRoutes({ ...deps, config });
  follow(({ name }) => {
    if (CHANGING.has(name)) services.look();
  });
  return {
    routes(bind, bindStream) {
      bindCharges(bind, bindStream);
      bindEarnings(bind, bindStream);
      bind(listServices, async () => ({ services: await services.list() }));
      bind(previewService, ({ body }) => services.preview(body));
      bind(startService, ({ body }) => services.start(body));
      bind(stopService, async ({ params }) => {
        await services.stop(params.agent);
        return { ok: true as const };
      });
      bind(buyFromService, async ({ params, body }) => buy(await services.shop(params.agent), body.prompt));
      bind(checkService, async ({ params }) => {
        await deps.requireAgent(params.id);
        return { problem: (await services.check(params.id)) ?? null };
      });
      bind(listSoldChanges, ({ params }) => services.changes(params.agent));
      bind(listSales, ({ params, query }) => services.sales(params.agent, query.cursor, query.limit));
    },
    forget: services.forget,
    forgetSessions: services.forgetSessions,
    putAway: services.putAway,
    bringBack: services.bringBack,
    discard: services.discard,
    removeSession: services.removeSession,
    start: services.open,
    closeFirst: services.close,
  };
};
