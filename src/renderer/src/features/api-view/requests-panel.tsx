import { Field } from '@base-ui/react/field';
import { useQuery } from '@tanstack/react-query';
import { ScrollText } from 'lucide-react';
import { memo, useId, useState } from 'react';
import type { LoggedRequest } from '../../../../shared/api/requests.ts';
import { agentIdsQuery } from '../../api/queries.ts';
import { apiView as words } from '../../strings/api-view.ts';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Hint } from '../../ui/hint.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Switch } from '../../ui/switch.tsx';
import { formatDuration } from './format-response.ts';
import { type LogFilter, useRequestLog } from './use-request-log.ts';

/** A logged request, formatted for a row. */
interface RequestLine {
  /** To the second, in the local time zone. */
  readonly time: string;
  readonly caller: string;
  /** The route with the agent's id filled in, or a note that there is no such route. */
  readonly route: string;
  readonly status: string;
  readonly isError: boolean;
  readonly duration: string;
}

const timeOfDay = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

const callerOf = ({ kind, label, agent }: LoggedRequest['caller']): string => {
  if (kind !== 'key') return words.log.callers[kind];
  return label ?? (agent === null ? words.log.callers.key : words.log.ofAgent(agent));
};

/** Formats a request from the log. */
export const requestLine = ({
  at,
  caller,
  route,
  agent,
  status,
  code,
  durationMs,
}: LoggedRequest): RequestLine => ({
  time: timeOfDay.format(new Date(at)),
  caller: callerOf(caller),
  route: (agent === null ? route : route?.replace(':id', () => agent)) ?? words.log.noRoute,
  status: status === null ? words.log.left : code === null ? String(status) : `${status} ${code}`,
  isError: status === null || status >= 400,
  duration: formatDuration(durationMs),
});

const PAGE_ROWS = 100;

/** Shows the latest requests to the API, live. */
export const RequestsPanel = () => {
  const [filter, setFilter] = useState<LogFilter>({ agent: undefined, errors: false, page: false });
  const read = useRequestLog(filter);
  const [paused, setPaused] = useState<readonly LoggedRequest[] | null>(null);
  const change = (changed: Partial<LogFilter>): void => {
    setPaused(null);
    setFilter({ ...filter, ...changed });
  };
  if (read.status === 'error') return <ErrorState error={read.error} onRetry={read.retry} />;
  const requests = paused ?? (read.status === 'ready' ? read.data : []);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex flex-wrap items-center gap-x-5 gap-y-2 border-b border-line px-6 py-2">
        <AgentFilter value={filter.agent} onChange={(agent) => change({ agent })} />
        <Toggle label={words.log.errors} checked={filter.errors} onChange={(errors) => change({ errors })} />
        <Toggle label={words.log.page} checked={filter.page} onChange={(page) => change({ page })} />
        <Hint label={words.log.privacy} className="ml-auto text-sm text-muted tabular-nums">
          {words.log.count(requests.length)}
        </Hint>
        <Button
          size="small"
          aria-pressed={paused !== null}
          onClick={() => setPaused(paused ? null : requests)}
        >
          {paused ? words.log.resume : words.log.pause}
        </Button>
      </div>
      {read.status === 'loading' ? (
        <Loading />
      ) : requests.length === 0 ? (
        <None isFiltered={filter.agent !== undefined || filter.errors} />
      ) : (
        <Rows key={JSON.stringify(filter)} requests={requests} />
      )}
    </div>
  );
};

interface AgentFilterProps {
  readonly value: string | undefined;
  readonly onChange: (agent: string | undefined) => void;
}

const AgentFilter = ({ value, onChange }: AgentFilterProps) => {
  const id = useId();
  const { data: agents = [] } = useQuery(agentIdsQuery());
  return (
    <span className="flex min-w-0 items-center gap-2">
      <label htmlFor={id} className="text-muted">
        {words.log.agent}
      </label>
      <select
        id={id}
        value={value ?? ''}
        onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
        className="h-7 max-w-56 min-w-0 rounded-md border border-line-strong bg-canvas px-1.5"
      >
        <option value="">{words.log.anyAgent}</option>
        {agents.map((agent) => (
          <option key={agent}>{agent}</option>
        ))}
      </select>
    </span>
  );
};

interface ToggleProps {
  readonly label: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}

const Toggle = ({ label, checked, onChange }: ToggleProps) => (
  <Field.Root className="flex items-center gap-2">
    <Switch checked={checked} onCheckedChange={onChange} />
    <Field.Label>{label}</Field.Label>
  </Field.Root>
);

const None = ({ isFiltered }: { readonly isFiltered: boolean }) => (
  <div className="min-h-0 flex-1">
    <EmptyState
      icon={ScrollText}
      title={isFiltered ? words.log.noMatch : words.log.none}
      hint={!isFiltered && words.log.noneHint}
    />
  </div>
);

const Rows = ({ requests }: { readonly requests: readonly LoggedRequest[] }) => {
  const [shown, setShown] = useState(PAGE_ROWS);
  const hidden = requests.length - shown;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: with the keyboard, Safari scrolls only the focused element
    <section aria-label={words.log.label} tabIndex={0} className="min-h-0 flex-1 overflow-y-auto">
      <table className="w-full table-fixed border-collapse">
        <thead className="sticky top-0 bg-canvas text-left text-sm text-muted">
          <tr className="border-b border-line">
            <th className={cx(CELL, 'w-30 pl-6 max-icons:w-28')}>{words.log.columns.time}</th>
            <th className={cx(CELL, 'w-36 max-icons:w-28')}>{words.log.columns.caller}</th>
            <th className={CELL}>{words.log.columns.request}</th>
            <th className={cx(CELL, 'w-52 max-icons:w-46')}>{words.log.columns.status}</th>
            <th className={cx(CELL, 'w-28 pr-6 text-right max-single:hidden')}>
              {words.log.columns.duration}
            </th>
          </tr>
        </thead>
        <tbody>
          {requests.slice(0, shown).map((request) => (
            <Row key={request.id} request={request} />
          ))}
        </tbody>
      </table>
      {hidden > 0 && (
        <div className="flex justify-center py-3">
          <Button onClick={() => setShown(shown + PAGE_ROWS)}>
            {words.log.more(Math.min(hidden, PAGE_ROWS))}
          </Button>
        </div>
      )}
    </section>
  );
};

const CELL = 'px-2 py-1 align-top font-normal';

const Row = memo(({ request }: { readonly request: LoggedRequest }) => {
  const { time, caller, route, status, isError, duration } = requestLine(request);
  return (
    <tr className="border-b border-line/60">
      <td className={cx(CELL, 'pl-6 text-muted tabular-nums')}>
        <time dateTime={request.at}>{time}</time>
      </td>
      <td className={cx(CELL, 'break-words')}>{caller}</td>
      <td className={cx(CELL, 'font-mono text-sm break-all')}>
        <span className="font-semibold">{request.method}</span> {route}
      </td>
      <td className={cx(CELL, 'break-words tabular-nums', isError ? 'text-danger' : 'text-ok')}>{status}</td>
      <td className={cx(CELL, 'pr-6 text-right text-muted tabular-nums max-single:hidden')}>{duration}</td>
    </tr>
  );
});
