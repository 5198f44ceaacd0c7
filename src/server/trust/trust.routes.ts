import { getRootTrust, trustRoot, withdrawRootTrust } from '../../shared/api/trust.ts';
import type { Routes } from '../http/bind-endpoint.ts';
import type { TrustService } from './root-trust.ts';

/** The routes of trust in the root. `onChange` is called after each change. */
export const trustRoutes =
  (trust: TrustService, onChange: () => void): Routes =>
  (bind) => {
    const announced = async <T>(change: Promise<T>): Promise<T> => {
      const changed = await change;
      onChange();
      return changed;
    };
    bind(getRootTrust, () => trust.read());
    bind(trustRoot, ({ body }) => announced(trust.trust(body.sha256)));
    bind(withdrawRootTrust, () => announced(trust.withdraw()));
  };
