import { pricing as texts } from '../../strings/pricing.ts';
import { strings } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { Question } from '../../ui/dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import { wantedWords } from './edit-words.ts';
import type { EditConflict, Edits } from './use-edits.ts';

const words = texts.edit;

interface EditNoticesProps {
  readonly edits: Edits;
  /** Called when the button that was pressed goes with its notice. */
  readonly onGone: () => void;
}

/** What keeps an edit from being written: the file is another one, or a part of it would be lost. */
export const EditNotices = ({ edits, onGone }: EditNoticesProps) => (
  <>
    {edits.conflict && <Conflict conflict={edits.conflict} edits={edits} onGone={onGone} />}
    <Question
      open={edits.lossy !== null}
      onCancel={() => edits.lossy?.cancel()}
      title={words.lossTitle}
      description={
        <>
          {edits.lossy?.configError} {texts.import.configError}
        </>
      }
    >
      <Button onClick={() => edits.lossy?.cancel()}>{strings.common.cancel}</Button>
      <Button variant="danger" onClick={() => edits.lossy?.confirm()}>
        {words.lossConfirm}
      </Button>
    </Question>
  </>
);

const Conflict = ({ conflict, edits, onGone }: EditNoticesProps & { readonly conflict: EditConflict }) => {
  const { edit, misfit } = conflict;
  const leave = (answer: () => void) => () => {
    onGone();
    answer();
  };
  return (
    <Notice
      tone="warn"
      title={words.changedMeanwhile}
      actions={
        <>
          {!misfit && (
            <Button size="small" variant="primary" onClick={leave(edits.applyAgain)}>
              {words.applyAgain}
            </Button>
          )}
          <Button size="small" onClick={leave(edits.discard)}>
            {strings.common.discard}
          </Button>
        </>
      }
    >
      {words.changedHint(wantedWords(edit))} {misfit && words[misfit.why](misfit.name)}
    </Notice>
  );
};
