import {
  type OpenedPrepaidBalance,
  openPrepaidBalance,
  type PrepaidBalance,
  type RefundedPrepaidBalance,
  readPrepaidBalance,
  refundPrepaidBalance,
  type ToppedUpPrepaidBalance,
  topUpPrepaidBalance,
} from '../../shared/api/prepaid-balances.ts';
import type { Base, Feature } from '../feature.ts';
import { agentOfRequest, ownAgent } from '../http/access.ts';

/** The wallet's interface for prepaid balances. `agent` limits a caller to that agent's balances. */
interface PrepaidService {
  open(token: string, agent?: string, label?: string): Promise<OpenedPrepaidBalance>;
  read(key: string, agent?: string): PrepaidBalance;
  topUp(key: string, token: string, agent?: string): Promise<ToppedUpPrepaidBalance>;
  refund(key: string, agent?: string): Promise<RefundedPrepaidBalance>;
}

interface PrepaidBalancesDeps extends Pick<Base, 'root' | 'requireAgent'> {
  /** Throws `wallet_locked` or `wallet_damaged` until the wallet is open. */
  charges(): { readonly prepaid: PrepaidService };
}

/** Creates the routes for customers' prepaid balances. */
export const createPrepaidBalances = ({ root, requireAgent, charges }: PrepaidBalancesDeps): Feature => ({
  routes(bind) {
    bind(openPrepaidBalance, async ({ body: { token, agent: named, label } }, { key }) => {
      const agent = agentOfRequest(named, key, root.id);
      if (agent !== undefined) await requireAgent(agent);
      return charges().prepaid.open(token, agent, label);
    });
    bind(readPrepaidBalance, ({ body }, { key }) =>
      charges().prepaid.read(body.prepaidKey, ownAgent(key, root.id)),
    );
    bind(topUpPrepaidBalance, ({ body }, { key }) =>
      charges().prepaid.topUp(body.prepaidKey, body.token, ownAgent(key, root.id)),
    );
    bind(refundPrepaidBalance, ({ body }, { key }) =>
      charges().prepaid.refund(body.prepaidKey, ownAgent(key, root.id)),
    );
  },
});
