import { createDotMiCheck } from '../../../../resources/starter-root/shared/lib/charges.mjs';
import type { SellConfig } from '../../../shared/sale-terms.ts';

/** The agent can't be sold now. `message` is for a customer, and `detail` for the operator. */
export class NotForSaleError extends Error {
  readonly detail: string;

  constructor(detail: string) {
    super('This service is not ready. Try again later.');
    this.detail = detail;
  }
}

const TIMEOUT_MS = 20_000;

/** Creates the function that asks dot-mi whether the agent can be sold now. It throws {@link NotForSaleError}. */
export const createSaleCheck = ({
  agent,
  apiUrl,
  key,
}: Pick<SellConfig, 'agent' | 'apiUrl' | 'key'>): (() => Promise<void>) => {
  const requireDotMi = createDotMiCheck({ apiUrl, key });
  return async () => {
    const response = await requireDotMi()
      .then(() =>
        fetch(`${apiUrl}/api/agents/${encodeURIComponent(agent)}/services/check`, {
          headers: { Authorization: `Bearer ${key}` },
          redirect: 'error',
          signal: AbortSignal.timeout(TIMEOUT_MS),
        }),
      )
      .catch(() => undefined);
    const body = await response?.json().catch(() => undefined);
    if (!response || !body) throw new NotForSaleError('dot-mi could not be asked about the agent.');
    if (!response.ok) throw new NotForSaleError(`dot-mi returned ${response.status}: ${body.error}`);
    if (body.problem !== null) throw new NotForSaleError(body.problem);
  };
};
