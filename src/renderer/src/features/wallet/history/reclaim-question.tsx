import { useRef } from 'react';
import type { HistoryEntry } from '../../../../../shared/api/wallet.ts';
import { wallet as texts } from '../../../strings/wallet.ts';
import { strings } from '../../../strings.ts';
import { Button } from '../../../ui/button.tsx';
import { Question } from '../../../ui/dialog.tsx';

const words = texts.reclaim;

interface ReclaimQuestionProps {
  /** The send that one is asked about; null when nothing is asked. */
  readonly entry: HistoryEntry | null;
  readonly onCancel: () => void;
  readonly onConfirm: (entry: HistoryEntry) => void;
  /** Where the focus goes afterwards. */
  readonly finalFocus: () => HTMLElement | null;
}

/** Asks before a sent token is made worthless. */
export const ReclaimQuestion = ({ entry, onCancel, onConfirm, finalFocus }: ReclaimQuestionProps) => {
  // While the dialog fades it still says what it asked.
  const last = useRef(entry);
  if (entry) last.current = entry;
  return (
    <Question
      open={entry !== null}
      onCancel={onCancel}
      title={words.title(last.current?.amount ?? 0)}
      description={words.description}
      finalFocus={finalFocus}
    >
      <Button onClick={onCancel}>{strings.common.cancel}</Button>
      <Button variant="primary" onClick={() => entry && onConfirm(entry)}>
        {words.confirm}
      </Button>
    </Question>
  );
};
