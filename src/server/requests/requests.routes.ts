// Apart from the log, because only routes know the contract's binding.
import { listRequests } from '../../shared/api/requests.ts';
import type { Routes } from '../http/bind-endpoint.ts';
import type { RequestLog } from './request-log.ts';

/** The route of the request log. */
export const requestsRoutes =
  (log: RequestLog): Routes =>
  (bind) => {
    bind(listRequests, ({ query }) => log.list(query));
  };
