import { type FormEvent, type ReactNode, useEffect, useRef } from 'react';
import { wallet as words } from '../../../strings/wallet.ts';
import { strings } from '../../../strings.ts';
import { Button } from '../../../ui/button.tsx';
import { DialogActions } from '../../../ui/dialog.tsx';
import { RestoreStatus } from './restore-status.tsx';
import { useSearch, useTypedWords } from './use-restore.ts';
import { WordsField } from './words-field.tsx';

interface RestoreFormProps {
  /** Explains what happens to the words. */
  readonly children: ReactNode;
  readonly submitLabel: string;
  /** Another action, next to the buttons. */
  readonly otherWay?: ReactNode;
  readonly onClose: () => void;
}

/** Searches the mint for the sats of typed words, and shows progress. Closing it doesn't stop the search. */
export const RestoreForm = ({ children, submitLabel, otherWay, onClose }: RestoreFormProps) => {
  const typed = useTypedWords();
  const { state, progress, restore, clear } = useSearch('restore');
  const place = useRef<HTMLDivElement>(null);
  const isOver = state.status === 'running' || state.status === 'done';
  useEffect(() => {
    // The focused field is gone.
    if (isOver) place.current?.focus();
  }, [isOver]);
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    if (typed.mnemonic !== null && state.status !== 'running') restore(typed.mnemonic);
  };
  const onType = (text: string): void => {
    clear();
    typed.type(text);
  };
  return (
    <form onSubmit={onSubmit} className="flex flex-col gap-3">
      {!isOver && (
        <>
          {children}
          <WordsField typed={typed} onType={onType} />
        </>
      )}
      <div ref={place} tabIndex={-1} className="flex flex-col outline-none">
        <RestoreStatus state={state} progress={progress} />
      </div>
      <DialogActions>
        {isOver ? (
          <Button onClick={onClose}>
            {state.status === 'done' ? words.restore.done : strings.common.close}
          </Button>
        ) : (
          <>
            {otherWay}
            <Button onClick={onClose}>{strings.common.cancel}</Button>
            <Button type="submit" variant="primary" disabled={typed.mnemonic === null}>
              {state.status === 'failed' ? strings.common.tryAgain : submitLabel}
            </Button>
          </>
        )}
      </DialogActions>
    </form>
  );
};
