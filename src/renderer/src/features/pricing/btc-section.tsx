import { RefreshCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { readDetails } from '../../../../shared/api/errors.ts';
import type { BtcPrice } from '../../../../shared/api/pricing.ts';
import type { ApiError } from '../../api/client.ts';
import { formatBtcUsd } from '../../money/format-price.ts';
import type { BtcPriceRefresh } from '../../money/refresh-btc-price.ts';
import { paths } from '../../routes.ts';
import { common } from '../../strings/common.ts';
import { pricing as words } from '../../strings/pricing.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Callout } from '../../ui/callout.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Failure } from '../../ui/failures.tsx';
import { Hint } from '../../ui/hint.tsx';
import { Section } from '../../ui/section.tsx';
import { TimeAgo } from '../../ui/time-ago.tsx';
import type { BtcStatus } from './use-pricing.ts';

/** Why a price source returned no price. */
interface RefusedSource {
  readonly name: string;
  readonly reason: string;
}

/** Returns each source's reason from a refresh error. Empty for other errors. */
export const refusedSources = ({
  code,
  details,
}: Pick<ApiError, 'code' | 'details'>): readonly RefusedSource[] => {
  const { sources = {} } = (code === 'refresh_failed' && readDetails(code, details)) || {};
  return Object.entries(sources).map(([name, reason]) => ({ name, reason }));
};

interface BtcSectionProps {
  readonly btc: BtcStatus;
  readonly refresh: BtcPriceRefresh;
}

/** The BTC price in use: its amount, source and age, and a button to refresh it. */
export const BtcSection = ({ btc, refresh }: BtcSectionProps) => (
  <Section
    heading={words.btc.heading}
    aside={btc.status === 'ready' && btc.price.stale && <Badge tone="warn">{words.btc.stale}</Badge>}
  >
    <Known btc={btc} />
    <div>
      <Button size="small" disabled={refresh.isPending} onClick={refresh.run}>
        <RefreshCw aria-hidden="true" className="size-3" />
        {refresh.isPending ? words.btc.refreshing : words.btc.refresh}
      </Button>
    </div>
    {/* Announces the new price, because screen readers don't notice that it changes in place. */}
    <p role="status" className="sr-only">
      {refresh.found}
    </p>
    {refresh.error && <Refused error={refresh.error} hasPrice={btc.status !== 'unavailable'} />}
  </Section>
);

const Known = ({ btc }: { readonly btc: BtcStatus }): ReactNode => {
  switch (btc.status) {
    case 'loading':
      return <p className="appear-late text-muted">{common.loading}</p>;
    case 'error':
      return <ErrorState error={btc.error} onRetry={btc.retry} />;
    case 'unavailable':
      return (
        <Callout tone="warn" title={words.btc.unavailable}>
          <p className="text-sm">{words.btc.unavailableHint}</p>
        </Callout>
      );
    case 'ready':
      return <Price price={btc.price} />;
  }
};

const Price = ({ price }: { readonly price: BtcPrice }) => (
  <>
    <div className="flex flex-col">
      <p className="text-2xl font-semibold whitespace-nowrap tabular-nums">
        <Hint label={`$${price.btc_price_usd}`}>{formatBtcUsd(price.btc_price_usd)}</Hint>
      </p>
      <p className="break-words text-muted">
        {words.btc.perBtc} {words.btc.source(price.source, price.source_host)}, {words.btc.reported}{' '}
        <TimeAgo at={price.updated_at} />
      </p>
    </div>
    {price.stale && <p className="text-sm text-pretty text-warn">{words.btc.staleHint}</p>}
  </>
);

const Refused = ({ error, hasPrice }: { readonly error: ApiError; readonly hasPrice: boolean }) => {
  const sources = refusedSources(error);
  // Without an earlier price, dot-mi has none to keep using.
  const isFirst = !hasPrice && error.code === 'refresh_failed';
  return (
    <Failure
      title={isFirst ? words.btc.noSource : words.btc.failed}
      message={isFirst ? undefined : error.message}
      actions={
        isFirst && (
          <div className="pt-1">
            <Link href={paths.settingsOf('pricing')} className={buttonClass('secondary', 'small')}>
              {words.btc.changeSources}
            </Link>
          </div>
        )
      }
    >
      {sources.length > 0 && (
        <dl
          aria-label={words.btc.failedSources}
          className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-0.5 text-sm"
        >
          {sources.map(({ name, reason }) => (
            <div key={name} className="contents">
              <dt className="text-muted">{name}</dt>
              <dd className="min-w-0 break-words">{reason}</dd>
            </div>
          ))}
        </dl>
      )}
    </Failure>
  );
};
