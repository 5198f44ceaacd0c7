import type { RunCommand } from '../shared/run-command.ts';
import type { SellConfig } from '../shared/sale-terms.ts';

/** The agent can't be sold now. `message` is for a customer, and `detail` for the operator. */
export class NotForSaleError extends Error {
  readonly detail: string;

  constructor(detail: string) {
    super('This service is not ready. Try again later.');
    this.detail = detail;
  }
}

const TIMEOUT_MS = 20_000;

/** The warnings about a run that also stop sales. */
const STOPS: readonly string[] = ['root_not_trusted', 'budget_used', 'login_not_private'];

/** Creates the function that asks dot-mi whether the agent can run now. It throws {@link NotForSaleError}. */
export const createSaleCheck =
  ({ agent, apiUrl, key }: Pick<SellConfig, 'agent' | 'apiUrl' | 'key'>): (() => Promise<void>) =>
  async () => {
    const response = await fetch(`${apiUrl}/api/agents/${encodeURIComponent(agent)}/run-command`, {
      headers: { Authorization: `Bearer ${key}` },
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch(() => undefined);
    const body = await response?.json().catch(() => undefined);
    if (!response || !body) throw new NotForSaleError('dot-mi could not be asked about the agent.');
    if (!response.ok) throw new NotForSaleError(`dot-mi returned ${response.status}: ${body.error}`);
    const stop = (body as RunCommand).warnings.find(({ code }) => STOPS.includes(code));
    if (stop) throw new NotForSaleError(stop.message);
  };
