import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { wallet as words } from '../../../strings/wallet.ts';
import { Button } from '../../../ui/button.tsx';
import { DialogActions, Modal } from '../../../ui/dialog.tsx';
import { Failure } from '../../../ui/failures.tsx';
import { RestoreForm } from './restore-form.tsx';
import { restoreStore } from './restore-store.ts';
import { useNewWords, type WordsState } from './use-backup-words.ts';
import { ShownWords } from './word-list.tsx';

interface SeedDialogProps {
  readonly onOpenChange: (open: boolean) => void;
  /** The element that gets focus afterwards. */
  readonly finalFocus: () => HTMLElement | null;
}

/** Asks for the wallet's missing backup words. The person types the old ones, or accepts new ones. */
export const SeedDialog = ({ onOpenChange, finalFocus }: SeedDialogProps) => {
  const [usesNew, setUsesNew] = useState(false);
  const { state, reveal } = useNewWords();
  const close = (): void => {
    restoreStore.clear();
    onOpenChange(false);
  };
  const wasMade = useRef(false);
  useEffect(() => {
    // The words disappeared because the page was hidden. From now on, the person finds them under Backup.
    if (wasMade.current && state.status === 'hidden') onOpenChange(false);
    wasMade.current = state.status === 'shown';
  }, [state.status, onOpenChange]);
  const search = useSyncExternalStore(restoreStore.subscribe, restoreStore.get);
  const stage = usesNew
    ? state.status === 'shown'
      ? 'accepted'
      : 'new'
    : search.status === 'done'
      ? 'restored'
      : 'missing';
  const { title, description } = words.missingSeed.stages[stage];
  return (
    <Modal
      open
      onOpenChange={(open) => open || close()}
      title={title}
      description={description}
      finalFocus={finalFocus}
    >
      {usesNew ? (
        <NewWords state={state} onAccept={reveal} onBack={() => setUsesNew(false)} onClose={close} />
      ) : (
        <RestoreForm
          submitLabel={words.missingSeed.submit}
          otherWay={<Button onClick={() => setUsesNew(true)}>{words.missingSeed.noWords}</Button>}
          onClose={close}
        >
          <h3 className="font-medium">{words.missingSeed.enterHeading}</h3>
        </RestoreForm>
      )}
    </Modal>
  );
};

interface NewWordsProps {
  readonly state: WordsState;
  readonly onAccept: () => void;
  readonly onBack: () => void;
  readonly onClose: () => void;
}

const NewWords = ({ state, onAccept, onBack, onClose }: NewWordsProps) => {
  const place = useRef<HTMLDivElement>(null);
  // The clicked button is gone, both now and when the words appear.
  useEffect(() => place.current?.focus(), []);
  const accept = (): void => {
    place.current?.focus();
    onAccept();
  };
  return (
    <>
      <div ref={place} tabIndex={-1} aria-live="polite" className="flex flex-col gap-4 outline-none">
        {state.status === 'shown' ? (
          <ShownWords seed={state.seed} />
        ) : (
          <ul className="flex list-disc flex-col gap-1 pl-5">
            {words.missingSeed.newPoints.map((point) => (
              <li key={point} className="text-pretty">
                {point}
              </li>
            ))}
          </ul>
        )}
        {state.status === 'hidden' && state.error && (
          <Failure
            title={words.missingSeed.acceptFailed}
            code={state.error.code}
            message={state.error.message}
          />
        )}
      </div>
      <DialogActions>
        {state.status === 'shown' ? (
          <Button onClick={onClose}>{words.backup.done}</Button>
        ) : (
          <>
            <Button onClick={onBack}>{words.missingSeed.back}</Button>
            <Button variant="danger" disabled={state.status === 'reading'} onClick={accept}>
              {state.status === 'reading' ? words.missingSeed.accepting : words.missingSeed.accept}
            </Button>
          </>
        )}
      </DialogActions>
    </>
  );
};
