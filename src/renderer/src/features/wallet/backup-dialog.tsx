import { useEffect, useRef } from 'react';
import { strings } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { Callout } from '../../ui/callout.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { DialogActions, Modal } from '../../ui/dialog.tsx';
import { useBackupWords } from './use-backup-words.ts';

const words = strings.wallet.backup;

/** Shows the backup words, after a warning; closing it hides them again. */
export const BackupDialog = ({ onOpenChange }: { readonly onOpenChange: (open: boolean) => void }) => {
  const { state, reveal } = useBackupWords();
  return (
    <Modal open onOpenChange={onOpenChange} title={words.title} description={words.description}>
      {state.status === 'shown' ? (
        <Words list={state.words} onDone={() => onOpenChange(false)} />
      ) : (
        <>
          <Callout tone="warn">{words.before}</Callout>
          {state.status === 'hidden' && state.error && (
            <Callout tone="danger" title={words.failed} announce="alert">
              <p>{state.error.message}</p>
            </Callout>
          )}
          <DialogActions>
            <Button onClick={() => onOpenChange(false)}>{strings.common.cancel}</Button>
            <Button variant="primary" disabled={state.status === 'reading'} onClick={reveal}>
              {state.status === 'reading' ? words.revealing : words.reveal}
            </Button>
          </DialogActions>
        </>
      )}
    </Modal>
  );
};

const Words = ({ list, onDone }: { readonly list: readonly string[]; readonly onDone: () => void }) => {
  const place = useRef<HTMLOListElement>(null);
  // The button that was pressed is gone.
  useEffect(() => place.current?.focus(), []);
  return (
    <>
      <ol
        ref={place}
        tabIndex={-1}
        aria-label={words.words}
        className="grid grid-cols-[repeat(auto-fill,minmax(7.5rem,1fr))] gap-x-3 gap-y-1.5 rounded-md border border-line bg-sunken p-3 font-mono outline-none"
      >
        {list.map((word, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a word may stand twice, and the list never changes
          <li key={index} className="flex gap-2">
            <span aria-hidden="true" className="w-6 text-right text-muted select-none">
              {index + 1}
            </span>
            {word}
          </li>
        ))}
      </ol>
      <div className="flex items-start gap-2 text-sm text-muted">
        <CopyButton label={words.copy} text={list.join(' ')} />
        <p className="min-w-0 pt-0.75 text-pretty">{words.copyWarning}</p>
      </div>
      <DialogActions>
        <Button onClick={onDone}>{words.done}</Button>
      </DialogActions>
    </>
  );
};
