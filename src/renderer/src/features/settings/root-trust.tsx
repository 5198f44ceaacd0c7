import { useState } from 'react';
import { trust as words } from '../../strings/trust.ts';
import { TrustDialog } from '../../trust/trust-dialog.tsx';
import { useRootTrust, useWithdrawTrust } from '../../trust/use-root-trust.ts';
import { Button } from '../../ui/button.tsx';
import { Callout } from '../../ui/callout.tsx';
import { notify, notifyFailure } from '../../ui/toast.tsx';

/** Says whether dot-mi runs the root's setup script, and offers to change that. */
export const RootTrust = () => {
  const [isAsking, setIsAsking] = useState(false);
  const state = useRootTrust();
  const { mutate: withdraw, isPending } = useWithdrawTrust(
    () => notify(words.withdrawn),
    (error) => notifyFailure(words.failed, error),
  );
  if (state.status === 'error') return <p className="text-sm text-danger">{state.error.message}</p>;
  const trust = state.status === 'ready' ? state.trust : undefined;
  if (!trust?.script) return null;
  const { name } = trust.script;
  const untrustedTitle = trust.reason === 'script_changed' ? words.isChanged(name) : words.isNew;
  return (
    <Callout tone={trust.trusted ? 'note' : 'warn'} title={trust.trusted ? words.isTrusted : untrustedTitle}>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <p className="min-w-60 flex-1 text-sm text-muted text-pretty">
          {trust.trusted ? words.isTrustedHint(name) : words.isNewHint(name)}
        </p>
        {/* One button for both, so that the focus stays on it. */}
        <Button disabled={isPending} onClick={() => (trust.trusted ? withdraw() : setIsAsking(true))}>
          {trust.trusted ? words.withdraw : words.review(name)}
        </Button>
      </div>
      <TrustDialog
        open={isAsking}
        acceptLabel={words.trustOnly}
        onRefuse={() => setIsAsking(false)}
        onTrusted={() => {
          setIsAsking(false);
          notify(words.nowTrusted);
        }}
      />
    </Callout>
  );
};
