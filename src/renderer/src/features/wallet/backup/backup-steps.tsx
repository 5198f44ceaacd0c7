import { type FormEvent, useEffect, useRef, useState } from 'react';
import { common } from '../../../strings/common.ts';
import { wallet as words } from '../../../strings/wallet.ts';
import { Button } from '../../../ui/button.tsx';
import { Callout } from '../../../ui/callout.tsx';
import { DialogActions, Modal } from '../../../ui/dialog.tsx';
import { Failure } from '../../../ui/failures.tsx';
import { TextField } from '../../../ui/field.tsx';
import { pickPositions } from './mnemonic.ts';
import { useBackupWords, useConfirmedWords } from './use-backup-words.ts';
import { ShownWords } from './word-list.tsx';

interface ConfirmWordsProps {
  /** How many backup words the wallet has. */
  readonly count: number;
  readonly onBack: () => void;
  readonly onClose: () => void;
}

/** Asks for three of the words, so that the wallet counts as backed up. SECURITY: typed words stay in this component. */
const ConfirmWords = ({ count, onBack, onClose }: ConfirmWordsProps) => {
  const [positions] = useState(() => pickPositions(count, Math.random));
  const [typed, setTyped] = useState<Readonly<Record<number, string>>>({});
  const first = useRef<HTMLInputElement>(null);
  // The clicked button, which had focus, is gone.
  useEffect(() => first.current?.focus(), []);
  const { mutate, isPending, isSuccess, error, reset } = useConfirmedWords();
  const done = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isSuccess) done.current?.focus();
  }, [isSuccess]);
  const answers = positions.map((position) => ({ position, word: (typed[position] ?? '').trim() }));
  const isComplete = answers.every(({ word }) => word !== '');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isComplete && !isPending) mutate(answers);
  };
  if (isSuccess) {
    return (
      <>
        <div ref={done} tabIndex={-1} className="outline-none">
          <Callout tone="ok" title={words.confirmBackup.done} announce="status">
            <p>{words.confirmBackup.doneHint}</p>
          </Callout>
        </div>
        <DialogActions>
          <Button variant="primary" onClick={onClose}>
            {words.backup.done}
          </Button>
        </DialogActions>
      </>
    );
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <div>
        <h3 className="font-medium">{words.confirmBackup.title}</h3>
        <p className="text-pretty text-muted">{words.confirmBackup.hint}</p>
      </div>
      <div className="flex flex-col gap-3">
        {positions.map((position, index) => (
          <TextField
            key={position}
            {...(index === 0 ? { ref: first } : {})}
            label={words.confirmBackup.field(position)}
            value={typed[position] ?? ''}
            onValueChange={(word) => {
              if (error) reset();
              setTyped({ ...typed, [position]: word });
            }}
          />
        ))}
      </div>
      {error && <Failure title={words.confirmBackup.failed} message={error.message} />}
      <DialogActions>
        <Button onClick={onBack}>{words.confirmBackup.back}</Button>
        <Button type="submit" variant="primary" disabled={!isComplete || isPending}>
          {isPending ? words.confirmBackup.checking : words.confirmBackup.submit}
        </Button>
      </DialogActions>
    </form>
  );
};

interface BackupStepsProps {
  /** The label of the button that cancels before the words are shown. */
  readonly cancelLabel: string;
  readonly onClose: () => void;
}

/** Shows the backup words after a warning, then asks for three of them. */
export const BackupSteps = ({ cancelLabel, onClose }: BackupStepsProps) => {
  const { state, reveal, hide } = useBackupWords();
  /** How many words the backup has. Null while they aren't being confirmed. */
  const [count, setCount] = useState<number | null>(null);
  const place = useRef<HTMLDivElement>(null);
  if (count !== null) return <ConfirmWords count={count} onBack={() => setCount(null)} onClose={onClose} />;
  const onReveal = (): void => {
    // The words replace this button, so move focus to where they appear.
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
          <Failure title={words.backup.failed} message={state.error.message} />
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

/** Shows the backup words and checks that they were written down. Closing it hides them. */
export const BackupDialog = ({ onOpenChange }: { readonly onOpenChange: (open: boolean) => void }) => (
  <Modal
    showsOnly
    open
    onOpenChange={onOpenChange}
    title={words.backup.title}
    description={words.backup.description}
  >
    <BackupSteps cancelLabel={common.cancel} onClose={() => onOpenChange(false)} />
  </Modal>
);
