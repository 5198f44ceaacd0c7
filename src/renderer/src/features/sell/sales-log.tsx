import { useQuery } from '@tanstack/react-query';
import type { Sale } from '../../../../shared/api/services.ts';
import { readStatus } from '../../api/read-status.ts';
import { salesQuery } from '../../api/service-queries.ts';
import { sell as words } from '../../strings/sell.ts';
import { Badge } from '../../ui/badge.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Section } from '../../ui/section.tsx';
import { TimeAgo } from '../../ui/time-ago.tsx';

const TONES = { sold: 'ok', refunded: 'warn' } as const;

/** Lists the latest requests from an agent's customers. */
export const SalesLog = ({ agent }: { readonly agent: string }) => {
  const read = readStatus(useQuery(salesQuery(agent)));
  return (
    <Section heading={words.sales.heading}>
      {read.status === 'loading' && <Loading />}
      {read.status === 'error' && <ErrorState error={read.error} onRetry={read.retry} />}
      {read.status === 'ready' &&
        (read.data.length === 0 ? (
          <p className="text-muted">{words.sales.none}</p>
        ) : (
          <ol aria-label={words.sales.caption} className="divide-y divide-line border-y border-line">
            {read.data.map((sale) => (
              <SaleRow key={`${sale.at} ${sale.chargeId} ${sale.status}`} sale={sale} />
            ))}
          </ol>
        ))}
    </Section>
  );
};

const SaleRow = ({ sale }: { readonly sale: Sale }) => {
  const { at, outcome, charged, inputTokens, outputTokens, durationMs, status, message, detail } = sale;
  const hasRun = inputTokens + outputTokens > 0;
  return (
    <li className="flex flex-col gap-1 py-2 [contain-intrinsic-size:auto_2.5rem] [content-visibility:auto]">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Badge tone={TONES[outcome]}>{words.sales.outcomes[outcome]}</Badge>
        {outcome === 'sold' && (
          <span className="font-medium tabular-nums">{words.sales.charged(charged)}</span>
        )}
        <span className="text-sm text-muted tabular-nums">
          {hasRun && `${words.sales.tokens(inputTokens, outputTokens)} · `}
          {words.sales.seconds(durationMs)}
        </span>
        <span className="ml-auto text-sm text-muted">
          <TimeAgo at={at} />
        </span>
      </div>
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
