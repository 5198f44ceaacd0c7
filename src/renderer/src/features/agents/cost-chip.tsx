import { Popover } from '@base-ui/react/popover';
import { useQuery } from '@tanstack/react-query';
import { Coins } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { AgentCost, CostAmount } from '../../../../shared/api/cost.ts';
import { costQuery } from '../../api/queries.ts';
import { lastRead } from '../../api/read-status.ts';
import { formatBtcUsd, formatSats, formatUsd } from '../../format-price.ts';
import { paths } from '../../routes.ts';
import { cost as words } from '../../strings/cost.ts';
import { cx } from '../../ui/cx.ts';
import { TimeAgo } from '../../ui/time-ago.tsx';

const ROUNDED = new Intl.NumberFormat('en', { maximumSignificantDigits: 2 });

/** How much of a prompt a call sends, and what that costs. A press explains it. */
export const CostChip = ({ id }: { readonly id: string }) => {
  const query = useQuery(costQuery(id));
  const cost = lastRead(query);
  // It keeps its place, so that nothing moves when the first count arrives.
  if (!cost && query.isPending)
    return (
      <li className="rounded-full bg-hover px-2 py-0.5 text-xs text-muted [@media(height<30rem)]:hidden">
        {words.counting}
      </li>
    );
  if (!cost) return null;
  const [unread] = cost.unreadable;
  const sats = unread === undefined ? (cost.cost?.prompt.sats ?? null) : null;
  return (
    <li className="flex min-w-0 [@media(height<30rem)]:hidden">
      <Popover.Root>
        <Popover.Trigger
          className={cx(
            'flex min-w-0 items-center gap-1 rounded-full px-2 py-0.5 text-xs',
            unread === undefined
              ? 'bg-hover hover:bg-selected data-popup-open:bg-selected'
              : 'bg-warn-soft text-warn ring-1 ring-warn-line ring-inset',
          )}
        >
          <Coins aria-hidden="true" className="size-3 shrink-0" />
          <span className="min-w-0 truncate">
            {unread === undefined ? words.tokens(cost.promptTokens) : words.unknownTokens(unread)}
            {sats !== null && ` · ${words.perCall(ROUNDED.format(sats))}`}
          </span>
        </Popover.Trigger>
        <Popover.Portal>
          <Popover.Positioner side="bottom" align="start" sideOffset={6} className="z-10">
            <Popover.Popup className="flex w-88 max-w-[calc(100vw-2rem)] flex-col gap-2 rounded-lg bg-raised p-4 shadow-popup outline-none transition-opacity duration-100 data-ending-style:opacity-0 data-starting-style:opacity-0">
              <Popover.Title className="font-semibold">{words.title}</Popover.Title>
              <Explanation id={id} cost={cost} />
            </Popover.Popup>
          </Popover.Positioner>
        </Popover.Portal>
      </Popover.Root>
    </li>
  );
};

const Explanation = ({ id, cost }: { readonly id: string; readonly cost: AgentCost }) => {
  const { promptTokens, tokenizer, model, btc, complete, unreadable } = cost;
  // Without a file of the prompt, they would be too low.
  const isKnown = unreadable.length === 0;
  const amounts = isKnown ? cost.cost : null;
  return (
    <>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
        <Fact term={words.prompt}>
          {isKnown
            ? (tokenizer.approximate ? words.approximate : words.exact)(promptTokens, tokenizer.name)
            : words.unknown}
        </Fact>
        {model && <Fact term={words.model}>{words.modelFrom(model.name, model.source)}</Fact>}
        {amounts && (
          <>
            <Fact term={words.asInput}>
              <Amount amount={amounts.prompt} />
            </Fact>
            <Fact term={words.cached}>
              {amounts.promptCached ? <Amount amount={amounts.promptCached} /> : words.noCachePrice}
            </Fact>
            <Fact term={words.output}>
              <Amount amount={amounts.outputPerThousand} />
            </Fact>
          </>
        )}
      </dl>
      <div className="flex flex-col gap-1 text-sm text-muted">
        {!model && <p>{words.noModel}</p>}
        {model && !model.priced && <p>{words.noPrice(model.name)}</p>}
        {btc ? (
          <p>
            {words.btc(formatBtcUsd(btc.btc_price_usd))} <TimeAgo at={btc.updated_at} />.
          </p>
        ) : (
          <p>{words.noBtc}</p>
        )}
        {!isKnown && <p>{words.unreadable(unreadable)}</p>}
        {!complete && isKnown && <p>{words.partial}</p>}
        <p>{words.more}</p>
      </div>
      <div className="flex gap-4">
        <Popover.Close render={<Link href={paths.agent(id, { kind: 'prompt' })} className={LINK} />}>
          {words.openPrompt}
        </Popover.Close>
        {model && !model.priced && (
          <Popover.Close render={<Link href={paths.pricing} className={LINK} />}>
            {words.openPricing}
          </Popover.Close>
        )}
      </div>
    </>
  );
};

const LINK = 'rounded text-accent hover:underline';

const Fact = ({ term, children }: { readonly term: string; readonly children: ReactNode }) => (
  <>
    <dt className="text-muted">{term}</dt>
    <dd className="min-w-0 wrap-anywhere tabular-nums">{children}</dd>
  </>
);

const Amount = ({ amount: { usd, sats } }: { readonly amount: CostAmount }) =>
  sats === null ? (
    formatUsd(usd)
  ) : (
    <>
      {words.sats(formatSats(sats))} <span className="text-muted">{words.usd(formatUsd(usd))}</span>
    </>
  );
