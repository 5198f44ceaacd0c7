import type { Balance } from '../../../../shared/api/wallet.ts';
import { wallet as texts } from '../../strings/wallet.ts';
import { Badge } from '../../ui/badge.tsx';
import { Callout } from '../../ui/callout.tsx';
import { Section } from '../../ui/section.tsx';

const words = texts.balance;

/** What is in the wallet, and what is on its way. */
export const BalanceSection = ({ balance }: { readonly balance: Balance }) => (
  <Section heading={words.heading} aside={balance.devMode && <Badge tone="warn">{words.simulated}</Badge>}>
    <div className="flex flex-wrap items-baseline gap-x-3">
      <p className="min-w-0 text-2xl font-semibold break-words tabular-nums">
        {words.sats(balance.balance)} <span className="text-lg font-normal text-muted">{words.unit}</span>
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
