import { useEffect, useRef } from 'react';
import { titleOf } from '../../../../../shared/api/errors.ts';
import type { HistoryEntry, ReleasedOperation } from '../../../../../shared/api/wallet.ts';
import { wallet as words } from '../../../strings/wallet.ts';
import { strings } from '../../../strings.ts';
import { Button } from '../../../ui/button.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { DialogActions, Modal } from '../../../ui/dialog.tsx';
import { Refusal } from '../refusal.tsx';
import { TokenText } from './sent-token.tsx';
import { type Release, releasedToken, useRelease } from './use-release.ts';

interface ReleaseDialogProps {
  /** The operation to release. Null if there is only a token to show. */
  readonly entry: HistoryEntry | null;
  readonly onClose: () => void;
  /** The element that gets the focus afterwards. */
  readonly finalFocus: () => HTMLElement | null;
}

/** Explains what a release does, releases the operation, and shows its token. */
export const ReleaseDialog = ({ entry, onClose, finalFocus }: ReleaseDialogProps) => {
  const release = useRelease(entry?.id);
  const { released, isRunning, run } = release;
  if (!entry && !released) return null;
  const putAway = (): void => {
    releasedToken.set(null);
    onClose();
  };
  return (
    <Modal
      open
      // The token is nowhere else, so Escape doesn't close the dialog.
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
            <Button onClick={onClose}>{strings.common.cancel}</Button>
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
      {/* The proofs of a send or a swap are this wallet's own. */}
      <li className="text-pretty">
        {entry?.kind === 'send' || entry?.kind === 'swap'
          ? words.release.insidePoint
          : words.release.outsidePoint}
      </li>
      <li className="text-pretty">{words.release.checkPoint}</li>
    </ul>
    {error && (
      <Refusal
        title={titleOf(error.code) ?? words.release.failed}
        code={error.code}
        message={error.message}
        advice={words.release.advice[error.code]}
      />
    )}
  </>
);

/** The token of a released operation. SECURITY: it is money, and the person just asked for it. */
const Released = ({ released: { token, inWallet } }: { readonly released: ReleasedOperation }) => {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <>
      <TokenText ref={field} token={token} label={words.release.token} />
      <div className="flex items-start gap-2">
        <CopyButton label={words.release.copy} text={token} />
        <p className="min-w-0 pt-0.75 text-pretty">
          {inWallet ? words.release.inside : words.release.outside}
        </p>
      </div>
    </>
  );
};
