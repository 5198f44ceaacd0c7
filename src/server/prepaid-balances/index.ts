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
import { actingAgent, type Caller, requireKeyOfRoot } from '../platform/caller.ts';

/** The wallet's interface for prepaid balances. `agent` limits a caller to that agent's balances. */
interface PrepaidService {
  open(token: string, agent?: string, label?: string): Promise<OpenedPrepaidBalance>;
  read(key: string, agent?: string): PrepaidBalance;
  topUp(key: string, token: string, agent?: string): Promise<ToppedUpPrepaidBalance>;
  refund(key: string, agent?: string): Promise<RefundedPrepaidBalance>;
}

interface PrepaidBalancesDeps extends Pick<Base, 'requireAgent'> {
  /** Throws `wallet_locked` or `wallet_damaged` until the wallet is open. */
  charges(): { readonly prepaid: PrepaidService };
}

const agentOf = (caller: Caller, named?: string): string | undefined => {
  requireKeyOfRoot(caller);
  return actingAgent(caller, named);
};

/** Creates the routes for customers' prepaid balances. */
export const createPrepaidBalances = ({ requireAgent, charges }: PrepaidBalancesDeps): Feature => ({
  routes(bind) {
    bind(openPrepaidBalance, async ({ body: { token, agent: named, label } }, caller) => {
      const agent = agentOf(caller, named);
      if (agent !== undefined) await requireAgent(agent);
      return charges().prepaid.open(token, agent, label);
    });
    bind(readPrepaidBalance, ({ body }, caller) => charges().prepaid.read(body.prepaidKey, agentOf(caller)));
    bind(topUpPrepaidBalance, ({ body }, caller) =>
      charges().prepaid.topUp(body.prepaidKey, body.token, agentOf(caller)),
    );
    bind(refundPrepaidBalance, ({ body }, caller) =>
      charges().prepaid.refund(body.prepaidKey, agentOf(caller)),
    );
  },
});
