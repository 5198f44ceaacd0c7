import { useRef } from 'react';
import type { BackupWords } from '../../../../shared/api/wallet.ts';
import { wallet as texts } from '../../strings/wallet.ts';
import { strings } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { Callout } from '../../ui/callout.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { DialogActions, Modal } from '../../ui/dialog.tsx';
import { useBackupWords } from './use-backup-words.ts';

const words = texts.backup;

/** Shows the backup words, after a warning; closing it hides them again. */
export const BackupDialog = ({ onOpenChange }: { readonly onOpenChange: (open: boolean) => void }) => {
  const { state, reveal } = useBackupWords();
  const place = useRef<HTMLDivElement>(null);
  const onReveal = (): void => {
    // The button goes when the words come; the focus is to be where they appear by then.
    place.current?.focus();
    reveal();
  };
  return (
    <Modal showsOnly open onOpenChange={onOpenChange} title={words.title} description={words.description}>
      <div ref={place} tabIndex={-1} aria-live="polite" className="flex flex-col gap-4 outline-none">
        {state.status === 'shown' ? (
          <Words list={state.words} protection={state.protection} />
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

interface WordsProps {
  readonly list: readonly string[];
  readonly protection: BackupWords['protection'];
}

const Words = ({ list, protection }: WordsProps) => (
  <>
    <ol
      aria-label={words.words}
      className="grid grid-cols-[repeat(auto-fill,minmax(7rem,1fr))] gap-x-3 gap-y-1.5 rounded-md border border-line bg-sunken p-3 font-mono"
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
    <p className="text-sm text-pretty text-muted">{words.protection[protection]}</p>
  </>
);
