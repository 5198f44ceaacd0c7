import { wallet as texts } from '../../strings/wallet.ts';
import { Callout } from '../../ui/callout.tsx';
import type { Followed, Outcome } from './token-desk.ts';
import { useFollowed } from './use-followed.ts';

const words = texts.receive;

interface ReceiveOutcomeProps {
  readonly outcome: Outcome | null;
  readonly devMode: boolean;
}

/** How the last receive went; read out when it changes. */
export const ReceiveOutcome = ({ outcome, devMode }: ReceiveOutcomeProps) => (
  <>
    {/* Always there, so that what appears in it is read out. */}
    <div role="status" className="flex min-w-0 flex-col empty:hidden">
      {outcome?.kind === 'received' && <Received outcome={outcome} devMode={devMode} />}
    </div>
    {outcome?.kind === 'refused' && <Refused outcome={outcome} />}
  </>
);

interface FollowedReceiveProps {
  readonly followed: Followed;
  readonly devMode: boolean;
}

/** A receive that the wallet still finds out about, and then how it ended. */
export const FollowedReceive = ({ followed, devMode }: FollowedReceiveProps) => {
  const { end, operationId } = followed;
  const sofar = useFollowed(followed);
  if (end?.kind === 'refused') return <Refused outcome={end} />;
  return (
    <div role="status" className="flex min-w-0 flex-col">
      {end ? (
        <Received outcome={end} devMode={devMode} />
      ) : (
        <Callout tone="wait" title={words.pendingTitle}>
          <p>{words.pendingHint}</p>
          {sofar && <p className="text-muted">{sofar}</p>}
          <p className="text-sm text-muted">
            {words.operation} <code className="break-all">{operationId}</code>
          </p>
        </Callout>
      )}
    </div>
  );
};

const Received = ({
  outcome,
  devMode,
}: {
  readonly outcome: Extract<Outcome, { kind: 'received' }>;
  readonly devMode: boolean;
}) => (
  <Callout tone="ok" title={words.done(outcome.amount, outcome.fee)}>
    {devMode && <p>{words.doneSimulated}</p>}
  </Callout>
);

// A receive is refused for what a check finds, under codes of its own.
const REASON_OF = {
  malformed_token: 'malformed',
  wrong_mint: 'wrong_mint',
  wrong_unit: 'wrong_unit',
  token_spent: 'spent',
  token_in_progress: 'pending',
  token_locked: 'locked',
  invalid_signature: 'invalid_signature',
  unknown_keyset: 'unknown_keyset',
} as const;

const isReasoned = (code: string): code is keyof typeof REASON_OF => Object.hasOwn(REASON_OF, code);

const Refused = ({ outcome }: { readonly outcome: Extract<Outcome, { kind: 'refused' }> }) => {
  const { code, message } = outcome;
  const { reasons, refusals, refusedFallback, advice } = texts;
  const title = isReasoned(code) ? reasons[REASON_OF[code]].title : (refusals[code] ?? refusedFallback);
  return (
    <Callout tone="danger" title={title} announce="alert">
      <p>{message}</p>
      {advice[code] && <p>{advice[code]}</p>}
      <code className="text-xs break-all text-muted">{code}</code>
    </Callout>
  );
};
