import type { ReactNode } from 'react';
import type { Balance } from '../../../../shared/api/wallet.ts';
import { BalanceChart } from '../../money/balance-chart.tsx';
import { wallet as words } from '../../strings/wallet.ts';
import { Callout } from '../../ui/callout.tsx';
import { cx } from '../../ui/cx.ts';
import { Hint } from '../../ui/hint.tsx';
import { useUsdValue } from './use-usd-value.ts';

/** More characters than this, such as those of 210 thousand BTC, don't fit the column in the largest type. */
const MOST_LARGE = 15;

interface BalanceSectionProps {
  readonly balance: Balance;
  /** The history of the balance needs the operator token. */
  readonly showsChart: boolean;
  /** What can be done with it. */
  readonly children: ReactNode;
}

/** The balance, its value in USD, the pending sats, and sats that it doesn't count or that may be at risk. */
export const BalanceSection = ({ balance, showsChart, children }: BalanceSectionProps) => {
  const { pending, expired = 0, unlisted = 0, otherMints = [] } = balance;
  const sats = words.balance.sats(balance.balance);
  // Test money has no value.
  const usd = useUsdValue(balance.devMode ? 0 : balance.balance);
  return (
    <section aria-label={words.balance.heading} className="flex min-w-0 flex-col gap-4">
      <div className="flex flex-wrap items-end justify-between gap-x-8 gap-y-3">
        <div className="flex min-w-0 flex-col gap-1">
          <p
            className={cx(
              'min-w-0 font-semibold break-words tabular-nums',
              sats.length > MOST_LARGE ? 'text-2xl' : 'text-3xl',
            )}
          >
            {sats} <span className="text-xl font-normal text-muted">{words.balance.unit}</span>
          </p>
          {(usd !== null || pending > 0) && (
            <p className="flex flex-wrap gap-x-4 text-muted tabular-nums">
              {usd !== null && <span>{words.balance.usd(usd)}</span>}
              {pending > 0 && (
                <Hint className="text-warn" label={words.balance.pendingHint}>
                  {words.balance.pending(pending)}
                </Hint>
              )}
            </p>
          )}
        </div>
        {/* The operations say nothing about sats that expired. */}
        {showsChart && expired === 0 && <BalanceChart />}
      </div>
      {children}
      {expired > 0 && (
        <Callout tone="warn" title={words.balance.expired(expired)}>
          <p>{words.balance.expiredHint}</p>
        </Callout>
      )}
      {unlisted > 0 && <Callout tone="warn">{words.balance.unlisted(unlisted)}</Callout>}
      {otherMints.length > 0 && <OtherMints mints={otherMints} />}
    </section>
  );
};

/** The sats that the wallet still holds at earlier mints. */
const OtherMints = ({ mints }: { readonly mints: NonNullable<Balance['otherMints']> }) => (
  <Callout tone="note" title={words.balance.otherMints}>
    <p>{words.balance.otherMintsHint}</p>
    <dl className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 gap-y-0.5">
      {mints.map(({ mint, balance, pending }) => (
        <div key={mint} className="contents">
          <dt className="break-all text-muted">
            <bdi>{mint}</bdi>
          </dt>
          <dd className="text-right tabular-nums">
            {words.sats(balance)}
            {pending > 0 && (
              <span className="block text-sm text-warn">{words.balance.otherPending(pending)}</span>
            )}
          </dd>
        </div>
      ))}
    </dl>
  </Callout>
);
