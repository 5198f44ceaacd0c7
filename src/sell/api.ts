import type { RunCommand } from '../shared/run-command.ts';
import { type SellConfig, type SoldFacts, soldFacts } from '../shared/sale-terms.ts';

/** The agent's current facts. */
export interface SoldAgent extends SoldFacts {
  readonly run: Pick<RunCommand, 'argv' | 'env' | 'cwd' | 'directories'>;
}

/** The agent can't be sold now. `message` is for a customer, and `detail` for the operator. */
export class NotForSaleError extends Error {
  readonly detail: string;

  constructor(detail: string) {
    super('This service is not ready. Try again later.');
    this.detail = detail;
  }
}

const TIMEOUT_MS = 20_000;

/** Creates the function that reads the agent from dot-mi. It throws {@link NotForSaleError}. */
export const createAgentReader = ({ agent, apiUrl, key, acceptTools }: SellConfig) => {
  const get = async (path: string) => {
    try {
      const response = await fetch(`${apiUrl}/api/agents/${encodeURIComponent(agent)}/${path}`, {
        headers: { Authorization: `Bearer ${key}` },
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const body = await response.json();
      if (response.ok) return body;
      throw new NotForSaleError(`dot-mi returned ${response.status}: ${body.error}`);
    } catch (error) {
      if (error instanceof NotForSaleError) throw error;
      throw new NotForSaleError('dot-mi could not be asked about the agent.');
    }
  };

  return async (): Promise<SoldAgent> => {
    const [prompt, run] = await Promise.all([get('prompt'), get('run-command')]);
    const stop = (run as RunCommand).warnings.find(
      ({ code }) => code === 'root_not_trusted' || code === 'budget_used',
    );
    if (stop) throw new NotForSaleError(stop.message);
    const facts = soldFacts(prompt, run.argv);
    // SECURITY: the agent's files can change while the service runs.
    if (facts.tools.length > 0 && !acceptTools)
      throw new NotForSaleError(
        `The agent now has tools (${facts.tools.join(', ')}) that you haven’t accepted.`,
      );
    return { ...facts, run };
  };
};
