import {
  blockPrepaidBalance,
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

/** The wallet's interface for prepaid balances. It decides which of them the caller can use. */
interface PrepaidService {
  open(
    caller: Caller,
    token: string,
    fields: { agent: string | undefined; label: string | undefined },
  ): Promise<OpenedPrepaidBalance>;
  read(caller: Caller, key: string): PrepaidBalance;
  topUp(caller: Caller, key: string, token: string): Promise<ToppedUpPrepaidBalance>;
  refund(caller: Caller, key: string): Promise<RefundedPrepaidBalance>;
  setBlocked(id: string, isBlocked: boolean): PrepaidBalance;
}

interface PrepaidBalancesDeps extends Pick<Base, 'requireAgent'> {
  /** Throws `wallet_locked` or `wallet_damaged` until the wallet is open. */
  charges(): { readonly prepaid: PrepaidService };
}

/** Returns a caller that can use balances of this root. Throws `forbidden_agent`. */
const seller = (caller: Caller): Caller => {
  requireKeyOfRoot(caller);
  return caller;
};

/** Creates the routes for customers' prepaid balances. */
export const createPrepaidBalances = ({ requireAgent, charges }: PrepaidBalancesDeps): Feature => ({
  routes(bind) {
    bind(openPrepaidBalance, async ({ body: { token, agent: named, label } }, caller) => {
      const agent = actingAgent(seller(caller), named);
      if (agent !== undefined) await requireAgent(agent);
      return charges().prepaid.open(caller, token, { agent, label });
    });
    bind(readPrepaidBalance, ({ body }, caller) => charges().prepaid.read(seller(caller), body.prepaidKey));
    bind(topUpPrepaidBalance, ({ body }, caller) =>
      charges().prepaid.topUp(seller(caller), body.prepaidKey, body.token),
    );
    bind(refundPrepaidBalance, ({ body }, caller) =>
      charges().prepaid.refund(seller(caller), body.prepaidKey),
    );
    bind(blockPrepaidBalance, ({ params, body }) =>
      charges().prepaid.setBlocked(params.balanceId, body.blocked),
    );
  },
});
