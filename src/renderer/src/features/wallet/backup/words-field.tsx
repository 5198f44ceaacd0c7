import { type ReactNode, useId } from 'react';
import { wallet as words } from '../../../strings/wallet.ts';
import { list } from '../../../strings/words.ts';
import { cx } from '../../../ui/cx.ts';
import type { MnemonicCheck } from './mnemonic.ts';
import type { TypedWords } from './use-restore.ts';

interface WordsFieldProps {
  readonly typed: TypedWords;
  readonly onType: (text: string) => void;
  readonly label?: ReactNode;
}

/** A field for backup words. It reports the words that aren't on the list. */
export const WordsField = ({
  typed: { text, check },
  onType,
  label = words.restore.field,
}: WordsFieldProps) => {
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
        // SECURITY: browsers store the text that they can autocomplete.
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
