import { titleOf } from '../../../../shared/api/errors.ts';
import type { Balance } from '../../../../shared/api/wallet.ts';
import { wallet as words } from '../../strings/wallet.ts';
import { Button } from '../../ui/button.tsx';
import { Callout } from '../../ui/callout.tsx';
import { Failure } from '../../ui/failures.tsx';
import { useProofCheck } from './check-proofs.ts';

interface UnconfirmedSatsProps {
  readonly balance: Balance;
  /** True with the operator token, which a check needs. */
  readonly canCheck: boolean;
}

/** The sats that the mint hasn't confirmed, and a button to check them. The outcome stays visible after the last one is confirmed. */
export const UnconfirmedSats = ({ balance, canCheck }: UnconfirmedSatsProps) => {
  const { unconfirmed = 0 } = balance;
  const { isRunning, error, outcome, run } = useProofCheck(balance);
  if (unconfirmed === 0 && !isRunning && outcome === null) return null;
  return (
    <div className="flex min-w-0 flex-col">
      {unconfirmed > 0 && (
        <Callout
          tone="wait"
          title={words.unconfirmed.title(unconfirmed)}
          actions={
            canCheck && (
              <div className="mt-1">
                <Button size="small" data-row-action="check" disabled={isRunning} onClick={run}>
                  {isRunning ? words.unconfirmed.checking : words.unconfirmed.check}
                </Button>
              </div>
            )
          }
        >
          <p className="text-pretty">{words.unconfirmed.hint}</p>
        </Callout>
      )}
      {/* Rendered before the check, so that screen readers announce its outcome. */}
      <p role="status" className="text-pretty text-muted not-empty:not-first:mt-2">
        {outcome}
      </p>
      {error && unconfirmed > 0 && (
        <div className="mt-2">
          <Failure
            title={titleOf(error.code) ?? words.unconfirmed.checkFailed}
            code={error.code}
            message={error.message}
          />
        </div>
      )}
    </div>
  );
};
