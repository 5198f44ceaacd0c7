import { needsSignIn } from '../../../../../shared/api/errors.ts';
import { SignInButton } from '../../../sign-in/sign-in-button.tsx';
import { pricing as words } from '../../../strings/pricing.ts';
import { strings } from '../../../strings.ts';
import { Button } from '../../../ui/button.tsx';
import { Question } from '../../../ui/dialog.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { describeEdit } from './describe-edit.ts';
import type { Edits, OpenEdit } from './use-edits.ts';

interface EditNoticesProps {
  readonly edits: Edits;
  /** Called when the pressed button disappears with its notice. */
  readonly onGone: () => void;
}

/** Says why edits weren't saved: the file changed, it can't be written, or a part of it would be lost. */
export const EditNotices = ({ edits, onGone }: EditNoticesProps) => (
  <>
    {edits.open.map((open) => (
      <OpenEditNotice key={open.id} open={open} edits={edits} onGone={onGone} />
    ))}
    <Question
      open={edits.lossy !== null}
      onCancel={() => edits.lossy?.cancel()}
      title={words.edit.lossTitle}
      description={
        <>
          {edits.lossy?.configError} {words.import.configError}
        </>
      }
    >
      <Button onClick={() => edits.lossy?.cancel()}>{strings.common.cancel}</Button>
      <Button variant="danger" onClick={() => edits.lossy?.confirm()}>
        {words.edit.lossConfirm}
      </Button>
    </Question>
  </>
);

const OpenEditNotice = ({ open, edits, onGone }: EditNoticesProps & { readonly open: OpenEdit }) => {
  const { id, edit, blockedBy, conflict } = open;
  const error = blockedBy.kind === 'failed' ? blockedBy.error : null;
  const leave = (answer: (id: number) => void) => () => {
    onGone();
    answer(id);
  };
  return (
    <Notice
      tone={error ? 'danger' : 'warn'}
      title={error ? words.edit.failed : words.edit.changedMeanwhile}
      actions={
        <>
          {needsSignIn(error) && <SignInButton />}
          {(error || !conflict) && (
            <Button size="small" variant="primary" onClick={leave(edits.again)}>
              {error ? strings.common.tryAgain : words.edit.applyAgain}
            </Button>
          )}
          <Button size="small" onClick={leave(edits.discard)}>
            {strings.common.discard}
          </Button>
        </>
      }
    >
      {error
        ? words.edit.failedHint(describeEdit(edit), error.message)
        : words.edit.changedHint(describeEdit(edit))}{' '}
      {!error && conflict && words.edit[conflict.conflict](conflict.name)}
    </Notice>
  );
};
