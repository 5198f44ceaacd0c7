import { useEffect, useRef, useState } from 'react';
import { titleOf } from '../../../../../shared/api/errors.ts';
import { type HistoryEntry, LABEL_MAX } from '../../../../../shared/api/wallet.ts';
import { common } from '../../../strings/common.ts';
import { wallet as words } from '../../../strings/wallet.ts';
import { Button } from '../../../ui/button.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { DialogActions, FormDialog, Modal } from '../../../ui/dialog.tsx';
import { Failure } from '../../../ui/failures.tsx';
import { TextField } from '../../../ui/field.tsx';
import { AgentSelect } from '../agent-select.tsx';
import { usesOwnProofs } from './history-entry.ts';
import { type ReleasedToken, releasedToken } from './released-token.ts';
import { TokenText } from './sent-token.tsx';
import { useAssign } from './use-history.ts';
import { type Release, useRelease } from './use-release.ts';

interface AssignDialogProps {
  readonly entry: HistoryEntry;
  readonly onClose: () => void;
  /** The element that gets focus afterwards. */
  readonly finalFocus: () => HTMLElement | null;
}

/** Sets the agent that an operation was for, and its label. */
export const AssignDialog = ({ entry, onClose, finalFocus }: AssignDialogProps) => {
  const [agent, setAgent] = useState(entry.agent ?? '');
  const [label, setLabel] = useState(entry.label ?? '');
  const { mutate, isPending, error } = useAssign(entry, onClose);
  const isUnchanged = agent === (entry.agent ?? '') && label.trim() === (entry.label ?? '');
  return (
    <FormDialog
      open
      onOpenChange={(open) => open || onClose()}
      title={words.assign.title}
      description={words.assign.description(entry.amount)}
      finalFocus={finalFocus}
      submitLabel={words.assign.save}
      canSubmit={!isUnchanged}
      isPending={isPending}
      onSubmit={() => mutate({ agent: agent || null, label: label.trim() || null })}
    >
      <AgentSelect agent={agent} onAgentChange={setAgent} />
      <TextField label={words.assign.label} value={label} onValueChange={setLabel} maxLength={LABEL_MAX} />
      {error && <Failure title={words.assign.failed} message={error.message} />}
    </FormDialog>
  );
};

interface ReleaseDialogProps {
  /** The operation to release. Null if there's only a token to show. */
  readonly entry: HistoryEntry | null;
  readonly onClose: () => void;
  /** The element that gets focus afterwards. */
  readonly finalFocus: () => HTMLElement | null;
}

/** Explains a release, releases the operation, and shows its token if its proofs came from outside the wallet. */
export const ReleaseDialog = ({ entry, onClose, finalFocus }: ReleaseDialogProps) => {
  const release = useRelease(entry?.id, onClose);
  const { released, isRunning, run } = release;
  if (!entry && !released) return null;
  const putAway = (): void => {
    releasedToken.set(null);
    onClose();
  };
  return (
    <Modal
      open
      // The token exists nowhere else, so Escape doesn't close the dialog.
      onOpenChange={(open) => open || released || onClose()}
      title={released ? words.release.doneTitle(released.amount) : words.release.title(entry?.amount ?? 0)}
      description={released ? words.release.doneDescription : words.release.description}
      finalFocus={finalFocus}
    >
      {released ? <Released released={released} /> : <Explanation entry={entry} error={release.error} />}
      <DialogActions>
        {released ? (
          <Button onClick={putAway}>{words.backup.done}</Button>
        ) : (
          <>
            <Button onClick={onClose}>{common.cancel}</Button>
            <Button variant="primary" disabled={isRunning} onClick={run}>
              {isRunning ? words.release.releasing : words.release.confirm}
            </Button>
          </>
        )}
      </DialogActions>
    </Modal>
  );
};

interface ExplanationProps {
  readonly entry: HistoryEntry | null;
  readonly error: Release['error'];
}

const Explanation = ({ entry, error }: ExplanationProps) => (
  <>
    <ul className="flex list-disc flex-col gap-1 pl-5">
      <li className="text-pretty">
        {entry && usesOwnProofs(entry) ? words.release.insidePoint : words.release.outsidePoint}
      </li>
      <li className="text-pretty">
        {entry?.kind === 'send' ? words.release.sendCheckPoint : words.release.checkPoint}
      </li>
    </ul>
    {error && (
      <Failure
        title={titleOf(error.code) ?? words.release.failed}
        code={error.code}
        message={error.message}
        advice={words.release.advice[error.code]}
      />
    )}
  </>
);

/** A released operation's token. SECURITY: it's money, and the person just requested it. */
const Released = ({ released: { token } }: { readonly released: ReleasedToken }) => {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <>
      <TokenText ref={field} token={token} label={words.release.token} />
      <div className="flex items-start gap-2">
        <CopyButton label={words.release.copy} text={token} />
        <p className="min-w-0 pt-0.75 text-pretty">{words.release.outside}</p>
      </div>
    </>
  );
};
