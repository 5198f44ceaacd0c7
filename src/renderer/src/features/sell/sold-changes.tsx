import { useQuery } from '@tanstack/react-query';
import { RefreshCw } from 'lucide-react';
import type { Service } from '../../../../shared/api/services.ts';
import { soldChangesQuery } from '../../api/service-queries.ts';
import { sell as words } from '../../strings/sell.ts';
import { Button } from '../../ui/button.tsx';
import { Callout } from '../../ui/callout.tsx';
import { LineDifference } from '../../ui/line-difference.tsx';
import { termsOf, toTerms } from './sale-terms.ts';
import { SellProblem } from './sell-problem.tsx';
import { ToolsQuestion } from './tools-question.tsx';
import { type Answer, risksOf, useStart } from './use-sell.ts';

/** What changed in an agent since it was put up for sale, with a button that sells it as it is now. */
export const SoldChanges = ({ service }: { readonly service: Service }) => {
  const { agent, accepts } = service;
  const { data } = useQuery(soldChangesQuery(agent));
  const update = useStart(agent, undefined);
  if (!data || data.changes.length === 0) return null;
  const typed = termsOf(service);
  const terms = toTerms(typed);
  const begin = (answer: Answer) => {
    if (terms) update.mutate({ terms, typed, answer });
  };
  const risks = risksOf(update.error);
  return (
    <Callout
      tone="warn"
      title={words.changes.title(agent)}
      actions={
        <div className="flex flex-wrap gap-2 pt-1">
          <Button disabled={update.isPending || !terms} onClick={() => begin({ accepts })}>
            <RefreshCw aria-hidden="true" className="size-3.5" />
            {update.isPending ? words.starting : words.changes.update}
          </Button>
        </div>
      }
    >
      <p>{words.changes.hint}</p>
      <ul className="flex flex-col gap-1">
        {data.changes.map(({ path, change, before, after }) => (
          <li key={path}>
            {before === null && after === null ? (
              <p>
                {words.changes.kinds[change]} <span className="font-mono wrap-anywhere">{path}</span>
              </p>
            ) : (
              <details>
                <summary className="cursor-pointer">
                  {words.changes.kinds[change]} <span className="font-mono wrap-anywhere">{path}</span>
                </summary>
                <LineDifference
                  label={words.changes.difference(path)}
                  before={before ?? ''}
                  after={after ?? ''}
                />
              </details>
            )}
          </li>
        ))}
      </ul>
      {risks && (
        <ToolsQuestion
          key={JSON.stringify(risks)}
          agent={agent}
          {...risks}
          isPending={update.isPending}
          error={null}
          onCancel={update.reset}
          onAnswer={begin}
        />
      )}
      {update.error && !risks && <SellProblem agent={agent} error={update.error} title={words.startFailed} />}
    </Callout>
  );
};
