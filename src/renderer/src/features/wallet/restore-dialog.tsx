import { type FormEvent, useId } from 'react';
import { wallet as texts } from '../../strings/wallet.ts';
import { strings } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { Callout } from '../../ui/callout.tsx';
import { cx } from '../../ui/cx.ts';
import { DialogActions, Modal } from '../../ui/dialog.tsx';
import { notify } from '../../ui/toast.tsx';
import type { MnemonicCheck } from './mnemonic.ts';
import { useRestore } from './use-restore.ts';

const words = texts.restore;
const list = new Intl.ListFormat('en', { type: 'conjunction' });

interface RestoreDialogProps {
  /** What is in the wallet now; only an empty one can be restored. */
  readonly balance: number;
  readonly onOpenChange: (open: boolean) => void;
}

/** Brings a wallet back from its words. */
export const RestoreDialog = ({ balance, onOpenChange }: RestoreDialogProps) => {
  const { text, type, check, submit, isRunning, error } = useRestore(({ amount }) => {
    notify(amount > 0 ? words.done(amount) : words.doneNone);
    onOpenChange(false);
  });
  const id = useId();
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    submit();
  };
  return (
    <Modal
      open
      onOpenChange={(open) => {
        if (!isRunning) onOpenChange(open);
      }}
      title={words.title}
      description={words.description}
    >
      <form onSubmit={onSubmit} className="flex flex-col gap-3">
        {balance > 0 && <Callout tone="warn">{words.notEmpty(balance)}</Callout>}
        <label htmlFor={id} className="font-medium">
          {words.field}
        </label>
        <textarea
          id={id}
          rows={4}
          value={text}
          readOnly={isRunning}
          placeholder={words.placeholder}
          aria-describedby={`${id}-check`}
          aria-invalid={check.unknown.length > 0}
          onChange={(event) => type(event.target.value)}
          spellCheck={false}
          autoCapitalize="off"
          autoCorrect="off"
          // SECURITY: browsers keep what they may complete.
          autoComplete="off"
          className={cx(
            'w-full resize-y rounded-md border bg-canvas px-2.5 py-2 font-mono text-sm outline-offset-0 read-only:bg-sunken',
            check.unknown.length > 0 ? 'border-danger' : 'border-line-strong',
          )}
        />
        <CheckLine id={`${id}-check`} check={check} />
        {isRunning && <Callout tone="wait">{words.submittingHint}</Callout>}
        {error && (
          <Callout tone="danger" title={words.titles[error.code] ?? words.failed} announce="alert">
            <p>{error.message}</p>
          </Callout>
        )}
        <DialogActions>
          <Button disabled={isRunning} onClick={() => onOpenChange(false)}>
            {strings.common.cancel}
          </Button>
          <Button
            type="submit"
            variant="primary"
            disabled={isRunning || !check.hasLength || check.unknown.length > 0}
          >
            {isRunning ? words.submitting : words.submit}
          </Button>
        </DialogActions>
      </form>
    </Modal>
  );
};

const CheckLine = ({ id, check }: { readonly id: string; readonly check: MnemonicCheck }) => (
  <p
    id={id}
    role="status"
    className={cx('-mt-1 text-sm break-words', check.unknown.length > 0 ? 'text-danger' : 'text-muted')}
  >
    {words.count(check.count)}.{' '}
    {check.unknown.length > 0
      ? words.unknown(
          list.format(check.unknown.map(({ position, word }) => words.unknownWord(position, word))),
        )
      : !check.hasLength && words.lengths}
  </p>
);
