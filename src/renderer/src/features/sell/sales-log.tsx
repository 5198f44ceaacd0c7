import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Sale, SaleTotals } from '../../../../shared/api/services.ts';
import { readStatus } from '../../api/read-status.ts';
import { salesQuery } from '../../api/service-queries.ts';
import { sell as words } from '../../strings/sell.ts';
import { number } from '../../strings/words.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Section } from '../../ui/section.tsx';
import { TimeAgo } from '../../ui/time-ago.tsx';
import { setBlocked } from './use-sell.ts';

const TONES = { sold: 'ok', refunded: 'warn' } as const;

/** Lists the latest requests from an agent's customers. */
export const SalesLog = ({ agent }: { readonly agent: string }) => {
  const read = readStatus(useQuery(salesQuery(agent)));
  return (
    <Section heading={words.sales.heading}>
      {read.status === 'loading' && <Loading />}
      {read.status === 'error' && <ErrorState error={read.error} onRetry={read.retry} />}
      {read.status === 'ready' &&
        (read.data.sales.length === 0 ? (
          <p className="text-muted">{words.sales.none}</p>
        ) : (
          <>
            <Sums totals={read.data.totals} />
            <Estimated sales={read.data.sales} />
            <ol aria-label={words.sales.caption} className="divide-y divide-line border-y border-line">
              {read.data.sales.map((sale) => (
                <SaleRow key={sale.chargeId} sale={sale} />
              ))}
            </ol>
          </>
        ))}
    </Section>
  );
};

const Sum = ({ term, children }: { readonly term: string; readonly children: string }) => (
  <div>
    <dt className="text-sm text-muted">{term}</dt>
    <dd className="font-medium tabular-nums">{children}</dd>
  </div>
);

/** The sums over all requests, not only those that are listed. */
const Sums = ({ totals }: { readonly totals: SaleTotals }) => {
  const { sold, refunded, earnedSats, refundedSats, costSats, unknownCosts } = totals;
  const { sums } = words.sales;
  return (
    <>
      <dl className="flex flex-wrap gap-x-8 gap-y-1">
        <Sum term={sums.sold}>{number.format(sold)}</Sum>
        <Sum term={sums.earned}>{words.sales.charged(earnedSats)}</Sum>
        <Sum term={sums.refunded}>{sums.refundedAmount(refunded, refundedSats)}</Sum>
        {unknownCosts < sold + refunded && <Sum term={sums.cost}>{sums.costAmount(costSats)}</Sum>}
      </dl>
      {unknownCosts > 0 && <p className="text-sm text-muted">{sums.unknownCosts(unknownCosts)}</p>}
    </>
  );
};

/** Says that a provider reports no usage, so that the owner compares its bill. */
const Estimated = ({ sales }: { readonly sales: readonly Sale[] }) => {
  const count = sales.filter(({ isEstimated }) => isEstimated).length;
  if (count === 0) return null;
  return <p className="text-sm text-pretty text-warn">{words.sales.sums.estimated(count)}</p>;
};

/** The prepaid key that paid, which its owner can block. */
const PrepaidKey = ({ id, isBlocked }: { readonly id: string; readonly isBlocked: boolean }) => {
  const client = useQueryClient();
  const block = useMutation({ mutationFn: () => setBlocked(client, id, !isBlocked) });
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
      <span>{words.sales.prepaid(id)}</span>
      {isBlocked && <Badge tone="warn">{words.sales.blocked}</Badge>}
      <Button size="small" disabled={block.isPending} onClick={() => block.mutate()}>
        {isBlocked ? words.sales.unblock : words.sales.block}
      </Button>
    </div>
  );
};

const SaleRow = ({ sale }: { readonly sale: Sale }) => {
  const { at, outcome, charged, inputTokens, outputTokens, durationMs, status, message, detail } = sale;
  const { balanceId, blocked = false, isEstimated } = sale;
  const hasRun = inputTokens + outputTokens > 0;
  return (
    <li className="flex flex-col gap-1 py-2 [contain-intrinsic-size:auto_2.5rem] [content-visibility:auto]">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Badge tone={TONES[outcome]}>{words.sales.outcomes[outcome]}</Badge>
        {outcome === 'sold' && (
          <span className="font-medium tabular-nums">{words.sales.charged(charged)}</span>
        )}
        <span className="text-sm text-muted tabular-nums">
          {hasRun && `${words.sales.tokens(inputTokens, outputTokens, isEstimated)} · `}
          {durationMs !== null && words.sales.seconds(durationMs)}
        </span>
        <span className="ml-auto text-sm text-muted">
          <TimeAgo at={at} />
        </span>
      </div>
      {balanceId !== undefined && <PrepaidKey id={balanceId} isBlocked={blocked} />}
      {outcome === 'refunded' && status === null && (
        <p className="text-sm text-muted">{words.sales.unreported}</p>
      )}
      {message !== null && (
        <p className="text-sm text-pretty break-words text-muted">
          <bdi>{words.sales.said(status, message)}</bdi>
        </p>
      )}
      {detail !== null && (
        <details className="text-sm text-muted">
          <summary className="w-fit cursor-pointer rounded">{words.sales.details}</summary>
          <p className="pt-1 font-mono whitespace-pre-wrap wrap-anywhere">
            <bdi>{detail}</bdi>
          </p>
        </details>
      )}
    </li>
  );
};
