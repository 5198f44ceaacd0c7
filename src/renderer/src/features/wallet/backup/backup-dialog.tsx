import { useRef } from 'react';
import { wallet as texts } from '../../../strings/wallet.ts';
import { strings } from '../../../strings.ts';
import { Button } from '../../../ui/button.tsx';
import { Callout } from '../../../ui/callout.tsx';
import { DialogActions, Modal } from '../../../ui/dialog.tsx';
import { useBackupWords } from './use-backup-words.ts';
import { ShownWords } from './word-list.tsx';

const words = texts.backup;

/** Shows the backup words after a warning. Closing it hides them again. */
export const BackupDialog = ({ onOpenChange }: { readonly onOpenChange: (open: boolean) => void }) => {
  const { state, reveal } = useBackupWords();
  const place = useRef<HTMLDivElement>(null);
  const onReveal = (): void => {
    // The words replace this button, so the focus moves to where they appear.
    place.current?.focus();
    reveal();
  };
  return (
    <Modal showsOnly open onOpenChange={onOpenChange} title={words.title} description={words.description}>
      <div ref={place} tabIndex={-1} aria-live="polite" className="flex flex-col gap-4 outline-none">
        {state.status === 'shown' ? (
          <ShownWords seed={state.seed} />
        ) : (
          <Callout tone="warn">{words.before}</Callout>
        )}
        {state.status === 'hidden' && state.error && (
          <Callout tone="danger" title={words.failed} announce="alert">
            <p>{state.error.message}</p>
          </Callout>
        )}
      </div>
      <DialogActions>
        <Button onClick={() => onOpenChange(false)}>
          {state.status === 'shown' ? words.done : strings.common.cancel}
        </Button>
        {state.status !== 'shown' && (
          <Button variant="primary" disabled={state.status === 'reading'} onClick={onReveal}>
            {state.status === 'reading' ? words.revealing : words.reveal}
          </Button>
        )}
      </DialogActions>
    </Modal>
  );
};
