import { useState } from 'react';
import type { RootTrust as Trust } from '../../../../shared/api/trust.ts';
import { trust as trustWords } from '../../strings/trust.ts';
import { TrustDialog } from '../../trust/trust-dialog.tsx';
import { useRootTrust, useWithdrawTrust } from '../../trust/use-root-trust.ts';
import { Button } from '../../ui/button.tsx';
import { Callout } from '../../ui/callout.tsx';
import { notify, notifyFailure } from '../../ui/toast.tsx';

const hintOf = ({ trusted, script }: Trust): string => {
  if (script) return trusted ? trustWords.isTrustedHint(script.name) : trustWords.isNewHint(script.name);
  return trusted ? trustWords.isTrustedNoScript : trustWords.isNewNoScript;
};

/** Says whether dot-mi runs the root's agents and setup script, and offers to change that. */
export const RootTrust = () => {
  const [isAsking, setIsAsking] = useState(false);
  const state = useRootTrust();
  const { mutate: withdraw, isPending } = useWithdrawTrust(
    () => notify(trustWords.withdrawn),
    (error) => notifyFailure(trustWords.failed, error),
  );
  if (state.status === 'error') return <p className="text-sm text-danger">{state.error.message}</p>;
  const trust = state.status === 'ready' ? state.trust : undefined;
  if (!trust) return null;
  const name = trust.script?.name;
  const isChanged = name !== undefined && trust.reason === 'script_changed';
  const untrustedTitle = isChanged ? trustWords.isChanged(name) : trustWords.isNew;
  const review = name === undefined ? trustWords.reviewNoScript : trustWords.review(name);
  return (
    <Callout
      tone={trust.trusted ? 'note' : 'warn'}
      title={trust.trusted ? trustWords.isTrusted : untrustedTitle}
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <p className="min-w-60 flex-1 text-sm text-muted text-pretty">{hintOf(trust)}</p>
        {/* One button for both, so that the focus stays on it. */}
        <Button disabled={isPending} onClick={() => (trust.trusted ? withdraw() : setIsAsking(true))}>
          {trust.trusted ? trustWords.withdraw : review}
        </Button>
      </div>
      <TrustDialog
        open={isAsking}
        acceptLabel={trustWords.trustOnly}
        onRefuse={() => setIsAsking(false)}
        onTrusted={() => {
          setIsAsking(false);
          notify(trustWords.nowTrusted);
        }}
      />
    </Callout>
  );
};
