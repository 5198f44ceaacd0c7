import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Charge, FrozenPrice } from '../../../../../shared/api/charges.ts';
import { hostOf } from '../../../../../shared/mint-url.ts';
import { chargeQuery } from '../../../api/charge-queries.ts';
import { readStatus } from '../../../api/read-status.ts';
import { formatBtcUsd, formatUsd } from '../../../money/format-price.ts';
import { paths } from '../../../routes.ts';
import { charges } from '../../../strings/charges.ts';
import { wallet as words } from '../../../strings/wallet.ts';
import { Badge } from '../../../ui/badge.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { ErrorState } from '../../../ui/error-state.tsx';
import { Loading } from '../../../ui/loading.tsx';
import { Sheet } from '../../../ui/sheet.tsx';
import { TimeAgo } from '../../../ui/time-ago.tsx';

const TONES = { open: 'neutral', held: 'warn', settled: 'ok', refunded: 'warn', expired: 'neutral' } as const;

interface ChargeSheetProps {
  readonly id: string;
  readonly onClose: () => void;
  /** The element that gets focus when the sheet closes. */
  readonly finalFocus: () => HTMLElement | null;
}

/** Returns whether a charge paid a token into a prepaid balance. */
const isDeposit = ({ balanceId, operationId }: Charge): boolean =>
  balanceId !== undefined && operationId !== undefined;

/** A customer's charge: the work, its cost, and how the price was calculated. */
export const ChargeSheet = ({ id, onClose, finalFocus }: ChargeSheetProps) => {
  const read = readStatus(useQuery(chargeQuery(id)));
  const charge = read.status === 'ready' ? read.data : undefined;
  return (
    <Sheet
      open
      onOpenChange={(open) => open || onClose()}
      title={charge && isDeposit(charge) ? charges.deposit : charges.title(charge?.label)}
      aside={
        charge &&
        !isDeposit(charge) && <Badge tone={TONES[charge.state]}>{charges.states[charge.state]}</Badge>
      }
      finalFocus={finalFocus}
    >
      {read.status === 'loading' && <Loading />}
      {read.status === 'error' && <ErrorState error={read.error} onRetry={read.retry} />}
      {charge && <Facts charge={charge} />}
    </Sheet>
  );
};

const Facts = ({ charge }: { readonly charge: Charge }) => {
  const { amount, paid, charged, agent, price, balanceId, createdAt, mints } = charge;
  const isPaidIn = isDeposit(charge);
  return (
    <div className="flex flex-col gap-5 px-5 py-4">
      <p className="text-pretty text-muted">
        {isPaidIn ? charges.depositHint : charges.hints[charge.state]}
        {!isPaidIn && balanceId !== undefined && ` ${charges.fromBalance}`}
      </p>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-1.5">
        {!isPaidIn && <Fact term={charges.asked}>{words.sats(amount)}</Fact>}
        {paid !== undefined && <Fact term={charges.paid}>{words.sats(paid)}</Fact>}
        {charged !== undefined && <Fact term={charges.charged}>{words.sats(charged)}</Fact>}
        {paid !== undefined && charged !== undefined && (
          <Fact term={charges.returned}>{words.sats(paid - charged)}</Fact>
        )}
        {agent !== undefined && (
          <Fact term={charges.agent}>
            <Link href={paths.agent(agent, { kind: 'sell' })} className="rounded text-accent hover:underline">
              {agent}
            </Link>
          </Fact>
        )}
        <Fact term={charges.created}>
          <TimeAgo at={createdAt} />
        </Fact>
        {mints.length > 0 && <Fact term={charges.mint}>{mints.map(hostOf).join(', ')}</Fact>}
        <Fact term={charges.id}>
          <span className="flex items-center gap-1">
            <code className="min-w-0 font-mono text-sm wrap-anywhere">{charge.id}</code>
            <CopyButton label={charges.copyId} text={charge.id} />
          </span>
        </Fact>
      </dl>
      {!isPaidIn && price?.marginPercent === undefined && (
        <p className="text-sm text-muted">{charges.flat}</p>
      )}
      {price && <Price price={price} />}
    </div>
  );
};

const Price = ({ price }: { readonly price: FrozenPrice }) => (
  <section aria-labelledby="charge-price" className="flex flex-col gap-1.5">
    <h3 id="charge-price" className="font-medium">
      {charges.price}
    </h3>
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-1.5">
      <Fact term={charges.model}>
        <bdi>{price.model}</bdi>
      </Fact>
      {price.marginPercent !== undefined && (
        <Fact term={charges.margin}>{charges.percent(price.marginPercent)}</Fact>
      )}
      <Fact term={charges.input}>{charges.perMillion(formatUsd(price.input_usd_per_million))}</Fact>
      <Fact term={charges.output}>{charges.perMillion(formatUsd(price.output_usd_per_million))}</Fact>
      <Fact term={charges.btc}>{formatBtcUsd(price.btc_price_usd)}</Fact>
    </dl>
  </section>
);

const Fact = ({ term, children }: { readonly term: string; readonly children: ReactNode }) => (
  <>
    <dt className="text-muted">{term}</dt>
    <dd className="min-w-0 wrap-anywhere tabular-nums">{children}</dd>
  </>
);
