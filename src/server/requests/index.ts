import { listRequests } from '../../shared/api/requests.ts';
import type { Base, Feature } from '../feature.ts';
import { createRequestLog, type RequestLog } from './request-log.ts';

/** Creates the log of recent API requests. */
export const createRequests = ({
  requireAgent,
  publish,
  clock,
}: Pick<Base, 'requireAgent' | 'publish' | 'clock'>): Feature & Pick<RequestLog, 'record'> => {
  const log = createRequestLog({
    hasAgent: (id) =>
      requireAgent(id).then(
        () => true,
        () => false,
      ),
    announce: () => publish({ name: 'requests', data: {} }),
    clock,
  });
  return {
    routes(bind) {
      bind(listRequests, ({ query }) => log.list(query));
    },
    record: log.record,
    close: log.close,
  };
};
