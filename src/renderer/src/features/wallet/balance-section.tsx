import type { Balance } from '../../../../shared/api/wallet.ts';
import { wallet as texts } from '../../strings/wallet.ts';
import { Badge } from '../../ui/badge.tsx';
import { Callout } from '../../ui/callout.tsx';
import { cx } from '../../ui/cx.ts';
import { Section } from '../../ui/section.tsx';

const words = texts.balance;

/** More characters than this, as 210 thousand BTC have, are too many for the largest type in the column. */
const MOST_LARGE = 15;

/** What is in the wallet, and what is on its way. */
export const BalanceSection = ({ balance }: { readonly balance: Balance }) => {
  const sats = words.sats(balance.balance);
  return (
    <Section heading={words.heading} aside={balance.devMode && <Badge tone="warn">{words.simulated}</Badge>}>
      <div className="flex flex-wrap items-baseline gap-x-3">
        <p
          className={cx(
            'min-w-0 font-semibold break-words tabular-nums',
            sats.length > MOST_LARGE ? 'text-xl' : 'text-2xl',
          )}
        >
          {sats} <span className="text-lg font-normal text-muted">{words.unit}</span>
        </p>
        {balance.pending > 0 && (
          <p className="text-warn tabular-nums" title={words.pendingHint}>
            {words.pending(balance.pending)}
          </p>
        )}
      </div>
      {balance.unlisted !== undefined && balance.unlisted > 0 && (
        <Callout tone="warn">{words.unlisted(balance.unlisted)}</Callout>
      )}
    </Section>
  );
};
