import { useEffect, useId, useState } from 'react';
import { needsSignIn } from '../../../shared/api/errors.ts';
import { type RootTrust, SHOWN_SCRIPT_BYTES } from '../../../shared/api/root.ts';
import type { ApiError } from '../api/client.ts';
import { useSession } from '../api/page-session.ts';
import { SignInForm } from '../shell/sign-in.tsx';
import { common } from '../strings/common.ts';
import { trust as words } from '../strings/trust.ts';
import { Button } from '../ui/button.tsx';
import { Callout } from '../ui/callout.tsx';
import { DialogActions, Modal } from '../ui/dialog.tsx';
import { Failure } from '../ui/failures.tsx';
import { Loading } from '../ui/loading.tsx';
import { PathText } from '../ui/path-text.tsx';
import { ScrollBlock } from '../ui/scroll-block.tsx';
import { visibleText } from '../visible-text.ts';
import { useTrustQuestion } from './use-root-trust.ts';

type Script = NonNullable<RootTrust['script']>;

interface TrustDialogProps {
  readonly open: boolean;
  /** The label of the button that trusts the root. */
  readonly acceptLabel: string;
  readonly onRefuse: () => void;
  readonly onTrusted: () => void;
}

/** Asks whether to trust the root and its setup script, and shows the script. */
export const TrustDialog = ({ open, acceptLabel, onRefuse, onTrusted }: TrustDialogProps) => {
  const session = useSession();
  const { look, yes } = useTrustQuestion(onTrusted);
  const { mutate: lookNow, reset: forget } = look;
  const { reset: forgetAnswer } = yes;
  // biome-ignore lint/correctness/useExhaustiveDependencies: signing in changes what can be read
  useEffect(() => {
    if (!open) return;
    forget();
    forgetAnswer();
    lookNow();
  }, [open, session, forget, forgetAnswer, lookNow]);

  const script = look.data?.script ?? null;
  const error = look.error ?? (yes.error?.code === 'script_changed' ? null : yes.error);
  return (
    <Modal
      open={open}
      onOpenChange={(next) => next || yes.isPending || onRefuse()}
      title={words.title}
      description={descriptionOf(look.data)}
    >
      <div className="flex min-w-0 flex-col gap-3">
        {look.data && (
          <p className="rounded-md bg-sunken px-2.5 py-2 font-mono text-sm">
            <span className="sr-only">{words.folder}: </span>
            <PathText path={look.data.root} />
          </p>
        )}
        {look.data?.reason === 'script_changed' && script && (
          <Callout tone="warn" title={words.changedTitle(script.name)}>
            <p>{words.changed}</p>
          </Callout>
        )}
        {yes.error?.code === 'script_changed' && script && (
          <Failure message={words.changedMeanwhile(script.name)} />
        )}
        {script && <ScriptText key={script.sha256} script={script} />}
        {look.data && !script && <Callout tone="note">{words.noScript}</Callout>}
        {look.isPending && !look.data && <Loading />}
        {error && <Refused error={error} />}
      </div>
      <DialogActions>
        <Button disabled={yes.isPending} onClick={onRefuse}>
          {words.refuse}
        </Button>
        {look.error && !needsSignIn(look.error) && (
          <Button onClick={() => lookNow()}>{common.tryAgain}</Button>
        )}
        {look.data && (
          <Button
            variant="primary"
            disabled={yes.isPending || look.isPending}
            onClick={() => yes.mutate(script?.sha256 ?? null)}
          >
            {yes.isPending ? words.trusting : acceptLabel}
          </Button>
        )}
      </DialogActions>
    </Modal>
  );
};

const descriptionOf = (looked: RootTrust | undefined): string => {
  if (!looked) return words.descriptionUnread;
  return looked.script ? words.description(looked.script.name) : words.descriptionNoScript;
};

const Refused = ({ error }: { readonly error: ApiError }) =>
  needsSignIn(error) ? (
    <Callout tone="note" title={words.needsTokenTitle} announce="alert">
      <p>{words.needsToken}</p>
      <SignInForm />
    </Callout>
  ) : (
    <Failure message={error.message} />
  );

const ScriptText = ({ script }: { readonly script: Script }) => {
  const [isShown, setIsShown] = useState(false);
  const id = useId();
  if (script.text === null) return <Callout tone="warn">{words.notText}</Callout>;
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Button
          size="small"
          aria-expanded={isShown}
          aria-controls={id}
          onClick={() => setIsShown((before) => !before)}
        >
          {isShown ? words.hide(script.name) : words.show(script.name)}
        </Button>
        <span className="text-sm text-muted wrap-anywhere">{words.facts(script.size, script.sha256)}</span>
      </div>
      <ScrollBlock
        id={id}
        hidden={!isShown}
        label={words.text(script.name)}
        className="max-h-60 rounded border border-line bg-canvas"
      >
        {/* Wrap long lines, so that nothing can hide beyond the right edge. */}
        <pre className="font-mono text-sm whitespace-pre-wrap wrap-anywhere">
          {isShown && visibleText(script.text)}
        </pre>
      </ScrollBlock>
      {isShown && script.truncated && (
        <p className="text-sm text-muted">{words.truncated(SHOWN_SCRIPT_BYTES)}</p>
      )}
    </div>
  );
};
