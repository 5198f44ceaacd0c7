import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link } from 'wouter';
import { titleOf } from '../../../../../shared/api/errors.ts';
import { operationQuery } from '../../../api/wallet-queries.ts';
import { paths } from '../../../routes.ts';
import { testSats } from '../../../strings/test-sats.ts';
import { wallet as words } from '../../../strings/wallet.ts';
import { Button } from '../../../ui/button.tsx';
import { Callout } from '../../../ui/callout.tsx';
import { Failure } from '../../../ui/failures.tsx';
import { clockTime } from '../../../ui/time-ago.tsx';
import { showHistoryEntry } from '../history/use-history.ts';
import { useIsOperator } from '../use-wallet.ts';
import {
  type BatchResult,
  type Outcome,
  type OwnReceive,
  type PendingReceive,
  receiveStore,
} from './receive-store.ts';

/** Watches an operation until it ends, with a fetch for each event. Returns why it's pending. */
const usePendingReceive = ({ operationId, end }: PendingReceive): string | undefined => {
  const { data, error } = useQuery({ ...operationQuery(operationId), enabled: end === null });
  useEffect(() => {
    if (error?.code === 'operation_not_found') receiveStore.ended(operationId, error);
    if (data?.state === 'completed') receiveStore.ended(operationId, { amount: data.amount, fee: undefined });
    if (data?.state === 'failed') {
      const { code = 'internal', error = words.receive.failedUnknown } = data.error ?? {};
      receiveStore.ended(operationId, { code, message: error });
    }
  }, [data, error, operationId]);
  return data?.state === 'pending' ? data.error?.error : undefined;
};

/** The result of the last receive. */
export const ReceiveOutcome = ({ outcome }: { readonly outcome: Outcome | null }) => (
  <>
    {/* Always rendered, so that screen readers announce its changes. */}
    <div role="status" className="flex min-w-0 flex-col empty:hidden">
      {outcome?.kind === 'received' && <Received outcome={outcome} />}
    </div>
    {outcome?.kind === 'refused' && <Refused outcome={outcome} />}
  </>
);

/** The results for several tokens, each with the token's beginning and end. */
export const BatchResults = ({ results }: { readonly results: readonly BatchResult[] }) =>
  results.length > 0 && (
    <ol aria-label={words.receive.results} className="flex min-w-0 flex-col gap-3">
      {results.map(({ token, outcome }, index) => (
        <li key={token} className="flex min-w-0 flex-col gap-1">
          <h3 className="text-sm text-muted">
            {words.receive.nth(index + 1)} <code className="break-all">{shortToken(token)}</code>
          </h3>
          {outcome ? <ReceiveOutcome outcome={outcome} /> : <p>{words.receive.pendingTitle}</p>}
        </li>
      ))}
    </ol>
  );

const shortToken = (token: string): string =>
  token.length <= 24 ? token : `${token.slice(0, 10)}…${token.slice(-8)}`;

/** A receive that the wallet is still checking, and its result once there is one. */
export const PendingReceiveStatus = ({ receive }: { readonly receive: PendingReceive }) => {
  const { end, operationId } = receive;
  const sofar = usePendingReceive(receive);
  if (end?.kind === 'refused') return <Refused outcome={end} />;
  return (
    <div role="status" className="flex min-w-0 flex-col">
      {end ? (
        <Received outcome={end} />
      ) : (
        <Callout tone="wait" title={words.receive.pendingTitle}>
          <p>{words.receive.pendingHint}</p>
          {sofar && <p className="text-muted">{sofar}</p>}
          <p className="text-sm text-muted">
            {words.receive.operation} <code className="break-all">{operationId}</code>
          </p>
        </Callout>
      )}
    </div>
  );
};

const Received = ({ outcome }: { readonly outcome: Extract<Outcome, { kind: 'received' }> }) => (
  <Callout tone="ok" title={words.receive.done(outcome.amount, outcome.fee)}>
    {outcome.receivedAt !== undefined && (
      <p>{words.receive.doneBefore(clockTime(Date.parse(outcome.receivedAt), Date.now()))}</p>
    )}
    {outcome.agent !== undefined && (
      <p>
        {words.receive.doneFor(outcome.agent)}{' '}
        <Link href={paths.agent(outcome.agent, { kind: 'activity' })} className="text-accent underline">
          {testSats.showEarned}
        </Link>
      </p>
    )}
    {outcome.simulated && <p>{words.receive.doneSimulated}</p>}
  </Callout>
);

const Refused = ({ outcome }: { readonly outcome: Extract<Outcome, { kind: 'refused' }> }) => {
  const { code, message, own } = outcome;
  if (own) return <ReceivedBefore own={own} code={code} announce="alert" />;
  const { refusals, refusedFallback, advice } = words;
  const title = refusals[code] ?? titleOf(code) ?? refusedFallback;
  return <Failure title={title} code={code} message={message} advice={advice[code]} />;
};

interface ReceivedBeforeProps {
  readonly own: OwnReceive;
  readonly code: string;
  /** Omitted if the region around it announces changes. */
  readonly announce?: 'alert';
}

/** Says that the token is already in this wallet, so that nobody asks for another one. */
export const ReceivedBefore = ({ own, code, announce }: ReceivedBeforeProps) => {
  const isOperator = useIsOperator();
  const { operationId, receivedAt, receivedAmount } = own;
  const title =
    code === 'token_in_progress'
      ? words.receive.ownReceiving
      : receivedAt === undefined
        ? words.receive.ownReceivedBefore
        : words.receive.ownReceived(receivedAmount, clockTime(Date.parse(receivedAt), Date.now()));
  return (
    <Callout
      tone="note"
      title={title}
      {...(announce ? { announce } : {})}
      actions={
        isOperator && (
          <div>
            <Button size="small" onClick={() => showHistoryEntry(operationId)}>
              {words.receive.showEntry}
            </Button>
          </div>
        )
      }
    >
      <code className="text-xs break-all text-muted">{code}</code>
    </Callout>
  );
};
