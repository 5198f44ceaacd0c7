import { type ClipboardEvent, type KeyboardEvent, type Ref, useId } from 'react';
import { wallet as words } from '../../../strings/wallet.ts';
import { cx } from '../../../ui/cx.ts';

interface TokenFieldProps {
  readonly text: string;
  readonly readOnly: boolean;
  readonly onTextChange: (text: string) => void;
  /** Ctrl+Enter, or Cmd+Enter. */
  readonly onSubmit: () => void;
  readonly ref: Ref<HTMLTextAreaElement>;
}

/** A field for a token as text. */
export const TokenField = ({ text, readOnly, onTextChange, onSubmit, ref }: TokenFieldProps) => {
  const id = useId();
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    onSubmit();
  };
  // A read-only field would ignore the pasted text.
  const onPaste = (event: ClipboardEvent): void => {
    if (readOnly) onTextChange(event.clipboardData.getData('text'));
  };
  return (
    <>
      <label htmlFor={id} className="sr-only">
        {words.receive.field}
      </label>
      <textarea
        ref={ref}
        id={id}
        rows={4}
        value={text}
        readOnly={readOnly}
        placeholder={words.receive.placeholder}
        onChange={(event) => onTextChange(event.target.value)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
        spellCheck={false}
        autoCapitalize="off"
        autoCorrect="off"
        // SECURITY: a token is money, and browsers store the text that they can autocomplete.
        autoComplete="off"
        className={cx(
          'max-h-60 min-h-20 w-full resize-y rounded-md border border-line-strong bg-canvas px-2.5 py-2 font-mono',
          'text-sm outline-offset-0 not-placeholder-shown:break-all placeholder:font-sans read-only:bg-sunken',
        )}
      />
    </>
  );
};
