import { ChevronRight, CircleCheck, TriangleAlert } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { Link } from 'wouter';
import type { EarningsGroup, EarningsSums } from '../../../../shared/api/earnings.ts';
import type { BtcPrice } from '../../../../shared/api/pricing.ts';
import type { Balance } from '../../../../shared/api/wallet.ts';
import { SATS_PER_BTC } from '../../../../shared/sats.ts';
import { useStatuses } from '../../agent/agent-status.tsx';
import { ShowTerminal } from '../../agent/show-terminal.tsx';
import type { Attention } from '../../attention.ts';
import { FixAllButton } from '../../fixes/fix-all-button.tsx';
import { BalanceChart } from '../../money/balance-chart.tsx';
import { GetTestSats } from '../../money/test-sats.tsx';
import { paths } from '../../routes.ts';
import { budgets as budgetWords } from '../../strings/budgets.ts';
import { covered } from '../../strings/covered.ts';
import { overview as words } from '../../strings/overview.ts';
import { status as statusWords } from '../../strings/status.ts';
import { Badge } from '../../ui/badge.tsx';
import { cx } from '../../ui/cx.ts';
import { TimeAgo } from '../../ui/time-ago.tsx';
import { useFocusAfterRemoval } from '../../ui/use-focus-after-removal.ts';
import { type AgentMoney, NO_MONEY, toMoney } from './agent-rows.ts';

/** How many characters fit the card in the largest type. */
const MOST_LARGE = 13;

interface BalanceCardProps {
  /** Undefined until loaded, and while the wallet can't be opened. */
  readonly balance: Balance | undefined;
  readonly price: BtcPrice | undefined;
}

/** The balance, its value and its last seven days. */
export const BalanceCard = ({ balance, price }: BalanceCardProps) => {
  const sats = balance && words.balance.sats(balance.balance);
  const place = useRef<HTMLElement>(null);
  // The button for test sats disappears when it's clicked.
  useFocusAfterRemoval(place);
  return (
    <section
      ref={place}
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
        {balance?.devMode && balance.balance === 0 && (
          <span className="ml-auto">
            <GetTestSats size="small" />
          </span>
        )}
      </div>
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
      <BalanceChart isFilling />
    </section>
  );
};

interface MoneyCardProps {
  /** The total for all agents in the last seven days. Undefined until loaded. */
  readonly week: EarningsSums | undefined;
  /** Today's part of that total. Undefined if nothing was earned or spent. */
  readonly today: EarningsGroup | undefined;
}

const spentText = ({ spent, isEstimate, isLeast }: AgentMoney): string =>
  isLeast && spent !== null ? words.atLeast(words.sats(spent, false)) : words.sats(spent, isEstimate);

/** Earnings and spending today and in the last seven days, in sats. */
export const MoneyCard = ({ week, today }: MoneyCardProps) => (
  <section
    aria-labelledby="overview-money"
    className="flex min-w-0 flex-col rounded-xl border border-line bg-raised px-4 py-3"
  >
    <h2 id="overview-money" className="text-muted">
      {words.money.heading}
    </h2>
    {/* The rows exist before the data loads and share the card's height, so that nothing moves. */}
    <table aria-labelledby="overview-money" className="mt-1 w-full flex-1 tabular-nums">
      <thead className="text-sm text-muted">
        <tr>
          <td />
          {[words.money.earned, words.money.spent].map((column) => (
            <th key={column} scope="col" className="pl-3 text-right font-normal">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {[
          { period: words.money.today, money: week && (today ? toMoney(today) : NO_MONEY) },
          { period: words.money.week, money: week && toMoney(week) },
        ].map(({ period, money }) => (
          <tr key={period}>
            <th scope="row" className="text-left font-normal whitespace-nowrap text-muted">
              {period}
            </th>
            <td className="pl-3 text-right">{money && words.sats(money.earned, false)}</td>
            <td className="pl-3 text-right">{money && spentText(money)}</td>
          </tr>
        ))}
      </tbody>
    </table>
    {week?.coveredBySubscription && (
      <p className="mt-1 text-sm text-muted">{covered(week.coveredBySubscription)}</p>
    )}
    {week && week.unpricedTokens > 0 && (
      <Link href={paths.pricing} className="mt-1 self-start text-sm text-accent hover:underline">
        {words.money.unpriced(week.unpricedTokens)}
      </Link>
    )}
  </section>
);

/** Agents beyond this number share one line, so that the list stays short. */
const MOST_AGENTS = 3;

const textOf = (item: Attention): string => {
  switch (item.kind) {
    case 'agent':
      return words.attention.agent(item.agent);
    case 'expired':
    case 'pending':
      return words.attention[item.kind](item.sats);
    case 'budget':
      return budgetWords.attention(item.agent, item.percent);
    case 'waiting':
      return statusWords.attention(item.agent);
    case 'skills':
      return words.attention.skills(item.count);
    case 'mint':
      return words.attention.mint(item.mint);
    default:
      return words.attention[item.kind];
  }
};

const keyOf = (item: Attention): string => {
  if (item.kind === 'agent') return `agent ${item.agent.id}`;
  return item.kind === 'budget' || item.kind === 'waiting' ? `${item.kind} ${item.agent}` : item.kind;
};

const pathOf = (item: Attention): string => {
  if (item.kind === 'agent') return paths.agent(item.agent.id);
  if (item.kind === 'budget' || item.kind === 'waiting') return paths.agent(item.agent);
  return item.kind === 'skills' ? `${paths.catalogEntry('skills', null)}?filter=errors` : paths[item.view];
};

/** Lists problems that a person should see, each with a link. */
export const AttentionSection = ({ items }: { readonly items: readonly Attention[] }) => {
  const agents = items.filter(({ kind }) => kind === 'agent');
  const waiting = items.filter(({ kind }) => kind === 'waiting');
  const isShown = (item: Attention): boolean =>
    agents.indexOf(item) < MOST_AGENTS && waiting.indexOf(item) < MOST_AGENTS;
  const shown = items.filter(isShown);
  const statuses = useStatuses();
  const place = useRef<HTMLElement>(null);
  // The button disappears with the last problem that it fixes.
  useFocusAfterRemoval(place);
  return (
    <section
      ref={place}
      tabIndex={-1}
      aria-labelledby="overview-attention"
      className="min-w-0 rounded-xl border border-line bg-raised px-4 py-3 outline-none"
    >
      <div className="mb-1 flex min-h-6 flex-wrap items-center justify-between gap-x-3">
        <h2 id="overview-attention" className="font-semibold">
          {words.attention.heading}
        </h2>
        {agents.length > 0 && <FixAllButton label={words.fixAll} />}
      </div>
      {items.length === 0 ? (
        <p className="flex items-center gap-2 py-1 text-muted">
          <CircleCheck aria-hidden="true" className="size-4 shrink-0 text-ok" />
          {words.attention.none}
        </p>
      ) : (
        <ul className="flex flex-col">
          {shown.map((item) => (
            <AttentionItem key={keyOf(item)} text={textOf(item)} path={pathOf(item)}>
              {item.kind === 'waiting' && <ShowTerminal status={statuses.get(item.agent)} />}
            </AttentionItem>
          ))}
          {waiting.length > MOST_AGENTS && (
            <AttentionItem
              text={statusWords.moreWaiting(waiting.length - MOST_AGENTS)}
              path={`${paths.agents}?filter=waiting`}
            />
          )}
          {agents.length > MOST_AGENTS && (
            <AttentionItem
              text={words.attention.moreAgents(agents.length - MOST_AGENTS)}
              path={`${paths.agents}?filter=problems`}
            />
          )}
        </ul>
      )}
    </section>
  );
};

interface AttentionItemProps {
  readonly text: string;
  readonly path: string;
  /** What the person can do about it right here. */
  readonly children?: ReactNode;
}

const AttentionItem = ({ text, path, children }: AttentionItemProps) => (
  <li className="flex items-center gap-3">
    <Link
      href={path}
      className="group -mx-2 flex min-h-8 min-w-0 flex-1 items-center gap-2.5 rounded-md px-2 py-1 hover:bg-hover"
    >
      <TriangleAlert aria-hidden="true" className="size-4 shrink-0 text-warn" />
      <span className="min-w-0 flex-1 break-words">{text}</span>
      <ChevronRight aria-hidden="true" className="size-4 shrink-0 text-muted group-hover:text-ink" />
    </Link>
    {children}
  </li>
);
