import { Link } from 'wouter';
import type { BtcPrice } from '../../../../shared/api/pricing.ts';
import type { Balance } from '../../../../shared/api/wallet.ts';
import { SATS_PER_BTC } from '../../../../shared/price-math.ts';
import { BalanceChart } from '../../money/balance-chart.tsx';
import { paths } from '../../routes.ts';
import { overview as words } from '../../strings/overview.ts';
import { Badge } from '../../ui/badge.tsx';
import { cx } from '../../ui/cx.ts';
import { TimeAgo } from '../../ui/time-ago.tsx';

/** More characters than this don't fit the card in the largest type. */
const MOST_LARGE = 13;

interface BalanceCardProps {
  /** Undefined until it is read, and while the wallet can't be opened. */
  readonly balance: Balance | undefined;
  readonly price: BtcPrice | undefined;
}

/** The balance, its value and its last seven days. */
export const BalanceCard = ({ balance, price }: BalanceCardProps) => {
  const sats = balance && words.balance.sats(balance.balance);
  return (
    <section
      aria-labelledby="overview-balance"
      className="flex min-w-0 flex-col rounded-xl border border-line bg-raised px-4 py-3"
    >
      <div className="flex flex-wrap items-center gap-2">
        <h2 id="overview-balance">
          <Link href={paths.wallet} className="-mx-1 rounded px-1 text-muted hover:bg-hover hover:text-ink">
            {words.balance.heading}
          </Link>
        </h2>
        {balance?.devMode && <Badge tone="warn">{words.balance.testMoney}</Badge>}
      </div>
      <div className="flex flex-wrap items-end justify-between gap-x-4">
        {sats === undefined ? (
          <p className="py-1 text-muted">{words.balance.unknown}</p>
        ) : (
          <p
            className={cx(
              'font-semibold break-words tabular-nums',
              sats.length > MOST_LARGE ? 'text-xl' : 'text-2xl',
            )}
          >
            {sats} <span className="text-lg font-normal text-muted">{words.balance.unit}</span>
          </p>
        )}
        <BalanceChart isSmall />
      </div>
      {balance && balance.pending > 0 && (
        <p className="text-warn tabular-nums">{words.balance.pending(balance.pending)}</p>
      )}
      {price && (
        <p className="flex flex-wrap gap-x-2 text-sm text-muted tabular-nums">
          {balance && (
            <span>{words.balance.usd((balance.balance / SATS_PER_BTC) * price.btc_price_usd)}</span>
          )}
          <span>{words.balance.price(price.btc_price_usd)}</span>
          <TimeAgo at={price.updated_at} />
        </p>
      )}
    </section>
  );
};
