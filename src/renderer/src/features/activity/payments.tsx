// Reads more than the rest of the view, and needs a page that is signed in.
import { needsSignIn } from '../../../../shared/api/errors.ts';
import { activity as words } from '../../strings/activity.ts';
import { number } from '../../strings/words.ts';
import { ErrorState } from '../../ui/error-state.tsx';
import { TimeAgo } from '../../ui/time-ago.tsx';
import { usePayments } from './use-activity.ts';

/** The newest payments for an agent. */
export const Payments = ({ agent }: { readonly agent: string }) => {
  const read = usePayments(agent);
  if (read.status === 'loading') return null;
  if (read.status === 'error')
    return needsSignIn(read.error) ? (
      <p className="text-muted">{words.paymentsLocked}</p>
    ) : (
      <ErrorState error={read.error} onRetry={read.retry} />
    );
  if (read.data.length === 0) return <p className="text-muted">{words.noPayments}</p>;
  return (
    <ul className="divide-y divide-line">
      {read.data.map(({ id, amount, createdAt, label }) => (
        <li key={id} data-details-row className="flex items-baseline gap-3 py-1">
          <span className="font-medium whitespace-nowrap tabular-nums">
            {words.sats(number.format(amount ?? 0))}
          </span>
          <bdi className="min-w-0 flex-1 truncate text-muted" data-details="">
            {label}
          </bdi>
          <span className="shrink-0 text-sm text-muted">
            <TimeAgo at={createdAt} showsRow />
          </span>
        </li>
      ))}
    </ul>
  );
};
