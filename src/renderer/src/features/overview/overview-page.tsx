import { useQuery } from '@tanstack/react-query';
import { useMemo, useRef, useState } from 'react';
import { Link } from 'wouter';
import { useStatuses } from '../../agent/agent-status.tsx';
import {
  agentListQuery,
  btcPriceQuery,
  checkCountsQuery,
  linkCountsQuery,
  profilesQuery,
  signInsQuery,
} from '../../api/queries.ts';
import { lastRead, readStatus } from '../../api/read-status.ts';
import { balanceQuery, earningsQuery, lastRunsQuery } from '../../api/wallet-queries.ts';
import { useAttention } from '../../attention.ts';
import { useDraftedAgents } from '../../drafts/use-drafts.ts';
import { dayKey, firstDay } from '../../money/earnings.ts';
import { agentOf, parsePath } from '../../routes.ts';
import { newAgent as newAgentWords } from '../../strings/agents.ts';
import { overview as words } from '../../strings/overview.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { AgentsArt } from '../../ui/illustrations.tsx';
import { lazyView } from '../../ui/lazy-view.tsx';
import { Loading } from '../../ui/loading.tsx';
import { PAGE_TITLE } from '../../ui/page.tsx';
import { useToday } from '../../ui/time-ago.tsx';
import { useFocusAfterRemoval } from '../../ui/use-focus-after-removal.ts';
import { useTitle } from '../../ui/use-title.ts';
import { moneyOfNoAgent, overviewRows } from './agent-rows.ts';
import { AgentsTable } from './agents-table.tsx';
import { type AgentSorting, sortRows } from './columns.tsx';
import { AttentionSection, BalanceCard, MoneyCard } from './overview-cards.tsx';

// Loaded lazily, because the first view doesn't need it.
const AddStatus = lazyView(async () => (await import('./add-status.tsx')).AddStatus, 'extra');

interface OverviewPageProps {
  /** The path of the agent and file that were opened last, or null. */
  readonly lastAgentPath: string | null;
  readonly onNewAgent: () => void;
}

/** The home page: money, what needs attention, and every agent. */
export const OverviewPage = ({ lastAgentPath, onNewAgent }: OverviewPageProps) => {
  useTitle(words.title);
  const [scroller, setScroller] = useState<HTMLElement | null>(null);
  const agents = readStatus(useQuery(agentListQuery()));
  const balance = lastRead(useQuery(balanceQuery()));
  const price = lastRead(useQuery(btcPriceQuery()));
  const money = useQuery(earningsQuery(useFirstDay(), 'day')).data;
  const today = dayKey(new Date(useToday()));
  const attention = useAttention({ asksAll: true });
  const lastId = lastAgentPath === null ? null : agentOf(parsePath(lastAgentPath));
  const isThere = agents.status === 'ready' && agents.data.some(({ id }) => id === lastId);
  return (
    <div ref={setScroller} className="@container relative h-full overflow-y-auto [scrollbar-gutter:stable]">
      <header className="flex flex-wrap items-center gap-2 px-6 pt-4 pb-3">
        <h1 className={cx(PAGE_TITLE, 'mr-auto')}>{words.title}</h1>
        <Button onClick={onNewAgent}>{newAgentWords.open}</Button>
        {isThere && lastAgentPath !== null && lastId !== null && (
          <Link href={lastAgentPath} className={buttonClass('primary')}>
            <span className="max-w-60 truncate">{words.continueWith(lastId)}</span>
          </Link>
        )}
      </header>
      <div className="grid gap-4 px-6 pb-4 single:grid-cols-2 wide:grid-cols-[5fr_4fr_7fr]">
        <BalanceCard balance={balance} price={price} />
        <MoneyCard week={money?.total} today={money?.groups.find(({ key }) => key === today)} />
        <div className="grid min-w-0 single:col-span-2 wide:col-span-1">
          <AttentionSection items={attention} />
        </div>
      </div>
      {agents.status === 'loading' && <LoadingBelow />}
      {agents.status === 'error' && <ErrorState error={agents.error} onRetry={agents.retry} />}
      {agents.status === 'ready' && agents.data.length === 0 && (
        <EmptyState art={<AgentsArt />} title={words.none} hint={words.noneHint}>
          <Button variant="primary" onClick={onNewAgent}>
            {newAgentWords.open}
          </Button>
        </EmptyState>
      )}
      {agents.status === 'ready' && agents.data.length > 0 && (
        <Agents agents={agents.data} scroller={scroller} />
      )}
    </div>
  );
};

/** Limits the height of the loading message, which is normally as tall as the page. */
const LoadingBelow = () => (
  <div className="h-24">
    <Loading />
  </div>
);

const DAYS = 7;

/** Midnight of the first day in the overview's period. A page that stays open updates it at midnight. */
const useFirstDay = (): string => new Date(firstDay(useToday(), DAYS)).toISOString();

interface AgentsProps {
  readonly agents: Parameters<typeof overviewRows>[0];
  readonly scroller: HTMLElement | null;
}

const Agents = ({ agents, scroller }: AgentsProps) => {
  const links = useQuery(linkCountsQuery()).data;
  const [sorting, setSorting] = useState<AgentSorting>({ column: 'ran', direction: 'descending' });
  const unsaved = useDraftedAgents();
  const checks = useQuery(checkCountsQuery()).data?.agents;
  const profiles = useQuery(profilesQuery()).data;
  const earnings = useQuery(earningsQuery(useFirstDay(), 'agent')).data;
  const runs = useQuery(lastRunsQuery());
  const lastRuns = runs.data?.agents;
  const statuses = useStatuses();
  const signIns = useQuery(signInsQuery()).data;
  const heading = useRef<HTMLDivElement>(null);
  // The AddStatus button disappears when it's clicked.
  useFocusAfterRemoval(heading);
  const rows = useMemo(() => {
    const reads = { checks, profiles, earnings: earnings?.groups, lastRuns, signIns, statuses, unsaved };
    return sortRows(overviewRows(agents, links, reads), sorting);
  }, [agents, links, checks, profiles, earnings, lastRuns, signIns, statuses, unsaved, sorting]);
  // Wait for the last runs, or the rows would move once they load.
  if (runs.isPending) return <LoadingBelow />;
  return (
    <section aria-labelledby="overview-agents">
      <div className="flex flex-wrap items-center justify-between gap-x-4 px-6 pb-1">
        <div ref={heading} tabIndex={-1} className="flex min-h-7 items-center gap-3 outline-none">
          <h2 id="overview-agents" className="font-semibold">
            {words.agents.heading}{' '}
            <span className="font-normal text-muted tabular-nums">{words.agents.count(rows.length)}</span>
          </h2>
          <AddStatus />
        </div>
        {/* If the button would leave no room, the note gets its own line, so that nothing shifts later. */}
        <p className="text-sm text-muted @max-4xl:basis-full">
          {earnings?.simulated ? words.agents.testMoneyNote : words.agents.moneyNote}
        </p>
      </div>
      <AgentsTable
        rows={rows}
        noAgent={moneyOfNoAgent(earnings?.groups)}
        sorting={sorting}
        onSort={setSorting}
        scroller={scroller}
      />
    </section>
  );
};
