import { ChevronRight, CircleCheck, TriangleAlert } from 'lucide-react';
import { Link } from 'wouter';
import type { Attention } from '../../attention/find-attention.ts';
import { paths } from '../../routes.ts';
import { budgets as budgetWords } from '../../strings/budgets.ts';
import { overview as words } from '../../strings/overview.ts';

/** Agents beyond these share one line, so that the list stays short. */
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
    case 'mint':
      return words.attention.mint(item.mint);
    default:
      return words.attention[item.kind];
  }
};

const keyOf = (item: Attention): string => {
  if (item.kind === 'agent') return `agent ${item.agent.id}`;
  return item.kind === 'budget' ? `budget ${item.agent}` : item.kind;
};

const pathOf = (item: Attention): string => {
  if (item.kind === 'agent') return paths.agent(item.agent.id);
  return item.kind === 'budget' ? paths.agent(item.agent) : paths[item.view];
};

/** What a person should look at, each with the way there. */
export const AttentionSection = ({ items }: { readonly items: readonly Attention[] }) => {
  const agents = items.filter(({ kind }) => kind === 'agent');
  const shown = items.filter((item) => item.kind !== 'agent' || agents.indexOf(item) < MOST_AGENTS);
  return (
    <section
      aria-labelledby="overview-attention"
      className="min-w-0 rounded-xl border border-line bg-raised px-4 py-3"
    >
      <h2 id="overview-attention" className="mb-1 font-semibold">
        {words.attention.heading}
      </h2>
      {items.length === 0 ? (
        <p className="flex items-center gap-2 py-1 text-muted">
          <CircleCheck aria-hidden="true" className="size-4 shrink-0 text-ok" />
          {words.attention.none}
        </p>
      ) : (
        <ul className="flex flex-col">
          {shown.map((item) => (
            <Item key={keyOf(item)} text={textOf(item)} path={pathOf(item)} />
          ))}
          {agents.length > MOST_AGENTS && (
            <Item
              text={words.attention.moreAgents(agents.length - MOST_AGENTS)}
              path={`${paths.agents}?filter=problems`}
            />
          )}
        </ul>
      )}
    </section>
  );
};

const Item = ({ text, path }: { readonly text: string; readonly path: string }) => (
  <li>
    <Link
      href={path}
      className="group -mx-2 flex min-h-8 min-w-0 items-center gap-2.5 rounded-md px-2 py-1 hover:bg-hover"
    >
      <TriangleAlert aria-hidden="true" className="size-4 shrink-0 text-warn" />
      <span className="min-w-0 flex-1 break-words">{text}</span>
      <ChevronRight aria-hidden="true" className="size-4 shrink-0 text-muted group-hover:text-ink" />
    </Link>
  </li>
);
