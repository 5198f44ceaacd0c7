import { Square } from 'lucide-react';
import type { Service } from '../../../../shared/api/services.ts';
import { sell as words } from '../../strings/sell.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { cx } from '../../ui/cx.ts';
import { Problem } from '../../ui/failures.tsx';
import { Section } from '../../ui/section.tsx';
import { clockTime, TimeAgo } from '../../ui/time-ago.tsx';
import { OwnPurchase } from './own-purchase.tsx';
import { SoldChanges } from './sold-changes.tsx';
import { useStop } from './use-sell.ts';

const DOTS = {
  starting: 'bg-line-strong',
  running: 'bg-ok',
  stopped: 'bg-line-strong',
  closed: 'bg-danger',
} as const;

/** Returns the curl command for a request that costs nothing. */
const curlOf = (url: string): string =>
  `curl -i ${url} -H 'Content-Type: application/json' -d '{"prompt":"Hello"}'`;

/** An open or closed service: its state, its address, and how to try it. */
export const ServicePanel = ({ service }: { readonly service: Service }) => {
  const { agent, state, problem, closedSince, retryAt, url } = service;
  const stop = useStop(agent);
  const isRunning = state === 'running' || state === 'starting';
  const curl = curlOf(url);
  return (
    <Section
      heading={isRunning ? words.service.heading : words.service.closedHeading}
      aside={
        <div className="ml-auto flex flex-wrap items-center gap-3">
          <p role="status" className={cx('flex items-center gap-1.5', state === 'closed' && 'text-danger')}>
            <span aria-hidden="true" className={cx('size-2 shrink-0 rounded-full', DOTS[state])} />
            {words.service.states[state]}
          </p>
          <Button disabled={stop.isPending} onClick={() => stop.mutate()}>
            <Square aria-hidden="true" className="size-3.5" />
            {stop.isPending ? words.stopping : words.stop}
          </Button>
        </div>
      }
    >
      <SoldChanges service={service} />
      {problem !== undefined && <Problem>{problem}</Problem>}
      {closedSince !== undefined && (
        <p className="text-sm text-pretty text-muted">
          <TimeAgo at={closedSince} text={words.service.closedSince} />{' '}
          {retryAt === undefined
            ? words.service.sellAgain
            : words.service.retryAt(clockTime(Date.parse(retryAt), Date.now()))}
        </p>
      )}
      {isRunning && (
        <>
          <dl className="flex flex-col gap-2">
            <div>
              <dt className="text-sm text-muted">{words.service.address}</dt>
              <dd className="flex items-center gap-1">
                <code className="min-w-0 font-mono wrap-anywhere select-all">{url}</code>
                <CopyButton label={words.service.copyAddress} text={url} />
              </dd>
            </div>
            <div>
              <dt className="text-sm text-muted">{words.service.curl}</dt>
              <dd className="flex items-center gap-1">
                <code className="min-w-0 rounded bg-sunken px-2 py-1 font-mono text-sm wrap-anywhere select-all">
                  {curl}
                </code>
                <CopyButton label={words.service.copyCurl} text={curl} />
              </dd>
            </div>
          </dl>
          <p className="text-sm text-pretty text-muted">
            {words.service.curlHint} {words.service.onlyHere}
          </p>
          {state === 'running' && <OwnPurchase agent={agent} />}
        </>
      )}
    </Section>
  );
};
