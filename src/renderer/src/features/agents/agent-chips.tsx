import { Popover } from '@base-ui/react/popover';
import { useQuery } from '@tanstack/react-query';
import {
  Coins,
  FileWarning,
  FolderOpen,
  Link2Off,
  type LucideIcon,
  PiggyBank,
  Store,
  TriangleAlert,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { AgentSummary } from '../../../../shared/api/agents.ts';
import type { AgentBudget } from '../../../../shared/api/budgets.ts';
import type { AgentCost, CostAmount } from '../../../../shared/api/cost.ts';
import { STATUS_ICONS, useStatuses } from '../../agent/agent-status.tsx';
import { costQuery } from '../../api/agent-queries.ts';
import { useSession } from '../../api/page-session.ts';
import { agentListQuery, budgetsQuery, profilesQuery } from '../../api/queries.ts';
import { lastRead } from '../../api/read-status.ts';
import { servicesQuery } from '../../api/service-queries.ts';
import { usedPercent, WARN_AT_PERCENT } from '../../attention.ts';
import { formatBtcUsd, formatSats, formatUsd } from '../../money/format-price.ts';
import { paths } from '../../routes.ts';
import { requestAction } from '../../shell/intents.ts';
import { agents as words } from '../../strings/agents.ts';
import { budgets as budgetWords } from '../../strings/budgets.ts';
import { cost as costWords } from '../../strings/cost.ts';
import { models as modelWords } from '../../strings/models.ts';
import { status as statusWords } from '../../strings/status.ts';
import { cx } from '../../ui/cx.ts';
import { Hint } from '../../ui/hint.tsx';
import { POPUP } from '../../ui/menu.tsx';
import { exactTime, TimeAgo } from '../../ui/time-ago.tsx';
import { Tooltip } from '../../ui/tooltip.tsx';
import { ModelChip } from './model-chip.tsx';
import { useLinkCounts } from './use-agents.ts';

const ROUNDED = new Intl.NumberFormat('en', { maximumSignificantDigits: 2 });

/** Shows the size of the prompt that a call sends, and the prompt's cost. Clicking explains both. */
const CostChip = ({ id }: { readonly id: string }) => {
  const query = useQuery(costQuery(id));
  const cost = lastRead(query);
  // Reserve the chip's space, so that nothing moves when the first count arrives.
  if (!cost && query.isPending)
    return (
      <li className="rounded-full bg-hover px-2 py-0.5 text-xs text-muted [@media(height<30rem)]:hidden">
        {costWords.counting}
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
            {unread === undefined ? costWords.tokens(cost.promptTokens) : costWords.unknownTokens(unread)}
            {sats !== null && ` · ${costWords.perCall(ROUNDED.format(sats))}`}
          </span>
        </Popover.Trigger>
        <Popover.Portal>
          <Popover.Positioner side="bottom" align="start" sideOffset={6} className="z-10">
            <Popover.Popup className={cx(POPUP, 'flex w-88 max-w-[calc(100vw-2rem)] flex-col gap-2 p-4')}>
              <Popover.Title className="font-semibold">{costWords.title}</Popover.Title>
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
  // If one of the prompt's files is unreadable, the numbers would be too low.
  const isKnown = unreadable.length === 0;
  const amounts = isKnown ? cost.cost : null;
  return (
    <>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
        <Fact term={costWords.prompt}>
          {isKnown
            ? (tokenizer.approximate ? costWords.approximate : costWords.exact)(promptTokens, tokenizer.name)
            : costWords.unknown}
        </Fact>
        {model && <Fact term={costWords.model}>{costWords.modelFrom(model.name, model.source)}</Fact>}
        {amounts && (
          <>
            <Fact term={costWords.asInput}>
              <Amount amount={amounts.prompt} />
            </Fact>
            <Fact term={costWords.cached}>
              {amounts.promptCached ? <Amount amount={amounts.promptCached} /> : costWords.noCachePrice}
            </Fact>
            <Fact term={costWords.output}>
              <Amount amount={amounts.outputPerThousand} />
            </Fact>
          </>
        )}
      </dl>
      <div className="flex flex-col gap-1 text-sm text-muted">
        {!model && <p>{costWords.noModel}</p>}
        {model && !model.priced && <p>{costWords.noPrice(model.name)}</p>}
        {model?.coveredBySubscription && <p>{costWords.coveredModel}</p>}
        {amounts?.pricedIn === 'models_json' && <p>{costWords.fromModelsJson}</p>}
        {btc ? (
          <p>
            {costWords.btc(formatBtcUsd(btc.btc_price_usd))} <TimeAgo at={btc.updated_at} />.
          </p>
        ) : (
          <p>{costWords.noBtc}</p>
        )}
        {!isKnown && <p>{costWords.unreadable(unreadable)}</p>}
        {!complete && isKnown && <p>{costWords.partial}</p>}
        <p>{costWords.more}</p>
      </div>
      <div className="flex gap-4">
        <Popover.Close render={<Link href={paths.agent(id, { kind: 'prompt' })} className={LINK} />}>
          {costWords.openPrompt}
        </Popover.Close>
        {!model && (
          <Popover.Close onClick={() => requestAction({ kind: 'set-model', id })} className={LINK}>
            {modelWords.title}
          </Popover.Close>
        )}
        {model && !model.priced && (
          <Popover.Close render={<Link href={paths.pricing} className={LINK} />}>
            {costWords.openPricing}
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
      {costWords.sats(formatSats(sats))} <span className="text-muted">{costWords.usd(formatUsd(usd))}</span>
    </>
  );

/** How many tools a chip names. Its title names all of them. */
const TOOLS_SHOWN = 4;

interface AgentChipsProps {
  readonly agent: AgentSummary;
  readonly onBudget: () => void;
}

/** Shows an agent's model, tools, budget, workspace and problems in one line. */
export const AgentChips = ({ agent, onBudget }: AgentChipsProps) => {
  const { model, tools } = useQuery(profilesQuery()).data?.find(({ id }) => id === agent.id) ?? {};
  const budget = useQuery(budgetsQuery()).data?.get(agent.id);
  const isSignedIn = useSession() === 'signedIn';
  const service = useQuery({ ...servicesQuery(), enabled: isSignedIn }).data?.find(
    ({ agent: sold }) => sold === agent.id,
  );
  const links = useLinkCounts().get(agent.id);
  const broken = links?.brokenLinks ?? 0;
  const listed = useQuery(agentListQuery()).data?.find(({ id }) => id === agent.id);
  const missing = listed?.missingFiles;
  const problem = listed?.problem ?? links?.problem;
  return (
    <ul aria-label={words.facts(agent.id)} className="flex flex-wrap gap-1.5 empty:hidden">
      <ModelChip id={agent.id} model={model} />
      {tools && (
        <Chip name={words.tools} hint={tools.length > TOOLS_SHOWN ? tools.join(', ') : undefined}>
          {tools.length === 0
            ? words.noTools
            : tools.length > TOOLS_SHOWN
              ? words.moreTools(tools.slice(0, TOOLS_SHOWN), tools.length - TOOLS_SHOWN)
              : tools.join(', ')}
        </Chip>
      )}
      <CostChip id={agent.id} />
      {budget && <BudgetChip budget={budget} onOpen={onBudget} />}
      {service && service.state !== 'stopped' && (
        <SaleChip id={agent.id} isClosed={service.state === 'closed'} />
      )}
      {agent.workspace && <Chip icon={FolderOpen}>{words.workspace}</Chip>}
      {problem && (
        <Chip icon={TriangleAlert} tone="danger">
          {problem.message}
        </Chip>
      )}
      {missing && (
        <Chip icon={FileWarning} tone="danger">
          {words.missing(missing)}
        </Chip>
      )}
      {broken > 0 && (
        <Chip icon={Link2Off} tone="warn">
          {words.brokenLinks(broken)}
        </Chip>
      )}
      <RunChips id={agent.id} />
    </ul>
  );
};

const RUNS_SHOWN = 3;

/** Shows the folders of an agent's live runs, with waiting runs first. */
const RunChips = ({ id }: { readonly id: string }) => {
  const runs = useStatuses().get(id)?.runs ?? [];
  return (
    <>
      {runs.slice(0, RUNS_SHOWN).map(({ state, since, model, cwd = null }) => {
        const text = statusWords.run(model, cwd);
        return (
          text !== '' && (
            <Chip
              key={`${since} ${text}`}
              icon={STATUS_ICONS[state]}
              tone={state === 'waiting' ? 'warn' : 'ok'}
              hint={`${statusWords[state]}: ${exactTime(Date.parse(since))}`}
            >
              {text}
            </Chip>
          )
        );
      })}
      {runs.length > RUNS_SHOWN && <Chip>{statusWords.moreRuns(runs.length - RUNS_SHOWN)}</Chip>}
    </>
  );
};

/** Shows how much of its budget an agent has used. Clicking shows all limits. */
const BudgetChip = ({ budget, onOpen }: { readonly budget: AgentBudget; readonly onOpen: () => void }) => {
  const percent = usedPercent(budget);
  const tone = budget.exceeded ? 'danger' : percent >= WARN_AT_PERCENT ? 'warn' : 'neutral';
  return (
    <li className="flex min-w-0">
      <Tooltip label={budget.limits.map(budgetWords.limit).join('\n')}>
        <button
          type="button"
          onClick={onOpen}
          className={cx('flex min-w-0 items-center gap-1 rounded-full px-2 py-0.5 text-xs', TONES[tone])}
        >
          <PiggyBank aria-hidden="true" className="size-3 shrink-0" />
          {budget.exceeded ? budgetWords.exceeded : budgetWords.chip(percent)}
        </button>
      </Tooltip>
    </li>
  );
};

/** Shows whether customers can buy from an agent, or no longer can. Clicking shows its sales. */
const SaleChip = ({ id, isClosed }: { readonly id: string; readonly isClosed: boolean }) => (
  <li className="flex min-w-0">
    <Link
      href={paths.agent(id, { kind: 'sell' })}
      className={cx(
        'flex min-w-0 items-center gap-1 rounded-full px-2 py-0.5 text-xs',
        TONES[isClosed ? 'danger' : 'ok'],
      )}
    >
      <Store aria-hidden="true" className="size-3 shrink-0" />
      {isClosed ? words.closedForNow : words.forSale}
    </Link>
  </li>
);

const TONES = {
  neutral: 'bg-hover text-ink',
  ok: 'bg-ok-soft text-ok ring-1 ring-ok-line ring-inset',
  warn: 'bg-warn-soft text-warn ring-1 ring-warn-line ring-inset',
  danger: 'bg-danger-soft text-danger ring-1 ring-danger-line ring-inset',
} as const;

const Chip = ({
  icon: Icon,
  name,
  hint,
  tone = 'neutral',
  children,
}: {
  readonly icon?: LucideIcon;
  /** The value's name, shown before the value. */
  readonly name?: string;
  readonly hint?: string | undefined;
  readonly tone?: keyof typeof TONES;
  readonly children: ReactNode;
}) => (
  <li className={cx('flex min-w-0 items-center gap-1 rounded-full px-2 py-0.5 text-xs', TONES[tone])}>
    {Icon && <Icon aria-hidden="true" className="size-3 shrink-0" />}
    {name && <span className="text-muted">{name}</span>}
    {hint === undefined ? (
      <span className="min-w-0 wrap-anywhere">{children}</span>
    ) : (
      <Hint label={hint} className="min-w-0 text-left wrap-anywhere">
        {children}
      </Hint>
    )}
  </li>
);
