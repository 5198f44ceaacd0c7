import { type FormEvent, useEffect, useRef, useState } from 'react';
import { wallet as words } from '../../../strings/wallet.ts';
import { Button } from '../../../ui/button.tsx';
import { Callout } from '../../../ui/callout.tsx';
import { DialogActions } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { pickPositions } from './mnemonic.ts';
import { useConfirmedWords } from './use-backup-words.ts';

interface ConfirmWordsProps {
  /** How many words the wallet has. */
  readonly count: number;
  readonly onBack: () => void;
  readonly onClose: () => void;
}

/** Asks for three of the words, so that the wallet counts as backed up. SECURITY: typed words stay here. */
export const ConfirmWords = ({ count, onBack, onClose }: ConfirmWordsProps) => {
  const [positions] = useState(() => pickPositions(count, Math.random));
  const [typed, setTyped] = useState<Readonly<Record<number, string>>>({});
  const first = useRef<HTMLInputElement>(null);
  // The button that was pressed is gone.
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
      {error && (
        <Callout tone="danger" title={words.confirmBackup.failed} announce="alert">
          <p>{error.message}</p>
        </Callout>
      )}
      <DialogActions>
        <Button onClick={onBack}>{words.confirmBackup.back}</Button>
        <Button type="submit" variant="primary" disabled={!isComplete || isPending}>
          {isPending ? words.confirmBackup.checking : words.confirmBackup.submit}
        </Button>
      </DialogActions>
    </form>
  );
};
