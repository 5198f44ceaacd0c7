import { join } from 'node:path';
import type { ServerEvent } from '../../shared/api/events.ts';
import {
  listSales,
  listServices,
  previewService,
  startService,
  stopService,
} from '../../shared/api/services.ts';
import { piEnvironment } from '../../shared/pi/environment.ts';
import { ownEnvironment } from '../config.ts';
import type { Base, Feature } from '../feature.ts';
import { SELL_PROGRAM_URL } from '../locations.ts';
import { createEstimate, type EstimateDeps } from './estimate.ts';
import { forkProgram, type StartProgram } from './service-process.ts';
import { createServiceStore } from './service-store.ts';
import { createServicesService, type ServicesDeps, type ServicesService } from './services.service.ts';

interface ServicesFeatureDeps
  extends Pick<Base, 'config' | 'root' | 'publish' | 'clock' | 'logger' | 'findPi' | 'readSearchPath'>,
    EstimateDeps,
    Pick<
      ServicesDeps,
      | 'isRootTrusted'
      | 'budgetProblem'
      | 'onShop'
      | 'charges'
      | 'createKey'
      | 'keyExists'
      | 'apiUrl'
      | 'isPortFree'
      | 'onSale'
    > {
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

/** Creates the routes that sell agents, each in its own process. Their settings are in `data/services`. */
export const createServices = ({
  config,
  root,
  publish,
  startProgram = forkProgram,
  findPi,
  readSearchPath,
  follow,
  ...deps
}: ServicesFeatureDeps): Feature & Pick<ServicesService, 'forget'> => {
  const directory = join(config.dataDirectory, 'data', 'services');
  const services = createServicesService({
    ...deps,
    estimate: createEstimate(deps),
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
    onChange: (agent, state) => publish({ name: 'services', data: { agent, state } }),
  });
  follow(({ name }) => {
    if (CHANGING.has(name)) services.look();
  });
  return {
    routes(bind) {
      bind(listServices, async () => ({ services: await services.list() }));
      bind(previewService, ({ body }) => services.preview(body));
      bind(startService, ({ body }) => services.start(body));
      bind(stopService, async ({ params }) => {
        await services.stop(params.agent);
        return { ok: true as const };
      });
      bind(listSales, ({ params, query }) => services.sales(params.agent, query.cursor, query.limit));
    },
    forget: services.forget,
    start: services.open,
    closeFirst: services.close,
  };
};
