import { useRef, useState } from 'react';
import { wallet as words } from '../../../strings/wallet.ts';
import { Button } from '../../../ui/button.tsx';
import { Callout } from '../../../ui/callout.tsx';
import { DialogActions } from '../../../ui/dialog.tsx';
import { ConfirmWords } from './confirm-words.tsx';
import { useBackupWords } from './use-backup-words.ts';
import { ShownWords } from './word-list.tsx';

interface BackupStepsProps {
  /** The button that ends it before the words are shown. */
  readonly cancelLabel: string;
  readonly onClose: () => void;
}

/** Shows the backup words after a warning, then asks for three of them. */
export const BackupSteps = ({ cancelLabel, onClose }: BackupStepsProps) => {
  const { state, reveal, hide } = useBackupWords();
  /** How many words there are to confirm. Null while they aren't being confirmed. */
  const [count, setCount] = useState<number | null>(null);
  const place = useRef<HTMLDivElement>(null);
  if (count !== null) return <ConfirmWords count={count} onBack={() => setCount(null)} onClose={onClose} />;
  const onReveal = (): void => {
    // The words replace this button, so the focus moves to where they appear.
    place.current?.focus();
    reveal();
  };
  const onWritten = (): void => {
    if (state.status === 'shown') setCount(state.seed.mnemonic.split(' ').length);
    hide();
  };
  return (
    <>
      <div ref={place} tabIndex={-1} aria-live="polite" className="flex flex-col gap-4 outline-none">
        {state.status === 'shown' ? (
          <ShownWords seed={state.seed} />
        ) : (
          <Callout tone="warn">{words.backup.before}</Callout>
        )}
        {state.status === 'hidden' && state.error && (
          <Callout tone="danger" title={words.backup.failed} announce="alert">
            <p>{state.error.message}</p>
          </Callout>
        )}
      </div>
      <DialogActions>
        <Button onClick={onClose}>{state.status === 'shown' ? words.backup.done : cancelLabel}</Button>
        {state.status === 'shown' ? (
          <Button variant="primary" onClick={onWritten}>
            {words.confirmBackup.written}
          </Button>
        ) : (
          <Button variant="primary" disabled={state.status === 'reading'} onClick={onReveal}>
            {state.status === 'reading' ? words.backup.revealing : words.backup.reveal}
          </Button>
        )}
      </DialogActions>
    </>
  );
};
