import { type FormEvent, type ReactNode, useEffect, useId, useRef } from 'react';
import { common } from '../../../strings/common.ts';
import { wallet as words } from '../../../strings/wallet.ts';
import { list } from '../../../strings/words.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { cx } from '../../../ui/cx.ts';
import { DialogActions, Modal } from '../../../ui/dialog.tsx';
import type { MnemonicCheck } from './mnemonic.ts';
import { RestoreStatus } from './restore-status.tsx';
import { restoreStore } from './restore-store.ts';
import { type TypedWords, useSearch, useTypedWords } from './use-restore.ts';

interface WordsFieldProps {
  readonly typed: TypedWords;
  readonly onType: (text: string) => void;
  readonly label?: ReactNode;
}

/** A field for backup words. It reports words that aren't on the list. */
const WordsField = ({ typed: { text, check }, onType, label = words.restore.field }: WordsFieldProps) => {
  const id = useId();
  const isWrong = check.unknown.length > 0;
  return (
    <>
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      <textarea
        id={id}
        rows={4}
        value={text}
        placeholder={words.restore.placeholder}
        aria-describedby={`${id}-check`}
        aria-invalid={isWrong}
        onChange={(event) => onType(event.target.value)}
        spellCheck={false}
        autoCapitalize="off"
        autoCorrect="off"
        // SECURITY: browsers store text that they can autocomplete.
        autoComplete="off"
        className={cx(
          'w-full resize-y rounded-md border bg-canvas px-2.5 py-2 font-mono text-sm outline-offset-0',
          isWrong ? 'border-danger' : 'border-line-strong',
        )}
      />
      <CheckLine id={`${id}-check`} check={check} />
    </>
  );
};

const CheckLine = ({ id, check }: { readonly id: string; readonly check: MnemonicCheck }) => (
  <p
    id={id}
    role="status"
    className={cx('-mt-1 text-sm break-words', check.unknown.length > 0 ? 'text-danger' : 'text-muted')}
  >
    {words.restore.count(check.count)}.{' '}
    {check.unknown.length > 0
      ? words.restore.unknown(
          list.format(check.unknown.map(({ position, word }) => words.restore.unknownWord(position, word))),
        )
      : !check.hasLength && words.restore.lengths}
  </p>
);

interface RestoreFormProps {
  /** Explains what happens to the words. */
  readonly children: ReactNode;
  readonly submitLabel: string;
  /** Another action, shown next to the buttons. */
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
    // The field that had focus is gone.
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
          <Button onClick={onClose}>{state.status === 'done' ? words.restore.done : common.close}</Button>
        ) : (
          <>
            {otherWay}
            <Button onClick={onClose}>{common.cancel}</Button>
            <Button type="submit" variant="primary" disabled={typed.mnemonic === null}>
              {state.status === 'failed' ? common.tryAgain : submitLabel}
            </Button>
          </>
        )}
      </DialogActions>
    </form>
  );
};

interface RestoreDialogProps {
  /** True if the wallet is empty, so that it would use the words from now on. */
  readonly isEmpty: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

/** Restores sats with backup words. */
export const RestoreDialog = ({ isEmpty, onOpenChange }: RestoreDialogProps) => {
  const close = (): void => {
    restoreStore.clear();
    onOpenChange(false);
  };
  return (
    <Modal
      open
      onOpenChange={(open) => open || close()}
      title={words.restore.title}
      description={words.restore.description}
    >
      <RestoreForm submitLabel={words.restore.submit} onClose={close}>
        <dl className="flex flex-col gap-2">
          {(['empty', 'filled'] as const).map((name) => (
            <div key={name}>
              <dt className="flex flex-wrap items-center gap-x-2 font-medium">
                {words.restore.cases[name].title}
                {isEmpty === (name === 'empty') && <Badge>{words.restore.thisWallet}</Badge>}
              </dt>
              <dd className="text-pretty text-muted">{words.restore.cases[name].hint}</dd>
            </div>
          ))}
        </dl>
      </RestoreForm>
    </Modal>
  );
};
