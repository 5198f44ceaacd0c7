import { useState } from 'react';
import type { RootTrust as Trust } from '../../../../shared/api/trust.ts';
import { trust as words } from '../../strings/trust.ts';
import { TrustDialog } from '../../trust/trust-dialog.tsx';
import { useRootTrust, useWithdrawTrust } from '../../trust/use-root-trust.ts';
import { Button } from '../../ui/button.tsx';
import { Callout } from '../../ui/callout.tsx';
import { notify, notifyFailure } from '../../ui/toast.tsx';

const hintOf = ({ trusted, script }: Trust): string => {
  if (script) return trusted ? words.isTrustedHint(script.name) : words.isNewHint(script.name);
  return trusted ? words.isTrustedNoScript : words.isNewNoScript;
};

/** Says whether dot-mi runs the root's agents and setup script, and offers to change that. */
export const RootTrust = () => {
  const [isAsking, setIsAsking] = useState(false);
  const state = useRootTrust();
  const { mutate: withdraw, isPending } = useWithdrawTrust(
    () => notify(words.withdrawn),
    (error) => notifyFailure(words.failed, error),
  );
  if (state.status === 'error') return <p className="text-sm text-danger">{state.error.message}</p>;
  const trust = state.status === 'ready' ? state.trust : undefined;
  if (!trust) return null;
  const name = trust.script?.name;
  const isChanged = name !== undefined && trust.reason === 'script_changed';
  const untrustedTitle = isChanged ? words.isChanged(name) : words.isNew;
  const review = name === undefined ? words.reviewNoScript : words.review(name);
  return (
    <Callout tone={trust.trusted ? 'note' : 'warn'} title={trust.trusted ? words.isTrusted : untrustedTitle}>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <p className="min-w-60 flex-1 text-sm text-muted text-pretty">{hintOf(trust)}</p>
        {/* One button for both, so that the focus stays on it. */}
        <Button disabled={isPending} onClick={() => (trust.trusted ? withdraw() : setIsAsking(true))}>
          {trust.trusted ? words.withdraw : review}
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
