import { getRootTrust, trustRoot, withdrawRootTrust } from '../../shared/api/trust.ts';
import type { Routes } from '../http/bind-endpoint.ts';
import type { RootTrust } from './root-trust.ts';

/** The routes of trust in the root. */
export const trustRoutes =
  (trust: RootTrust): Routes =>
  (bind) => {
    bind(getRootTrust, () => trust.read());
    bind(trustRoot, ({ body }) => trust.trust(body.sha256));
    bind(withdrawRootTrust, () => trust.withdraw());
  };
