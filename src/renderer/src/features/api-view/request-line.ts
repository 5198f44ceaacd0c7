import type { LoggedRequest } from '../../../../shared/api/requests.ts';
import { apiView as words } from '../../strings/api-view.ts';
import { formatDuration } from './format-answer.ts';

/** A request as a row shows it. */
interface RequestLine {
  /** To the second, in the local time zone. */
  readonly time: string;
  readonly caller: string;
  /** The route with the agent's id in it, or that there is none. */
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

/** Formats a request of the log. */
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
