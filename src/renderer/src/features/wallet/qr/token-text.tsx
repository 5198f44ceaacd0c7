import type { Ref } from 'react';
import { wallet as words } from '../../../strings/wallet.ts';

interface TokenTextProps {
  readonly token: string;
  readonly label?: string;
  readonly id?: string;
  readonly ref?: Ref<HTMLTextAreaElement>;
}

/** A token to read and copy. Focusing it selects all of it. */
export const TokenText = ({ token, label = words.token.label, id, ref }: TokenTextProps) => (
  <textarea
    ref={ref}
    id={id}
    readOnly
    rows={4}
    aria-label={label}
    value={token}
    onFocus={(event) => event.currentTarget.select()}
    spellCheck={false}
    autoComplete="off"
    className="w-full resize-y rounded-md border border-line-strong bg-sunken px-2.5 py-2 font-mono text-sm break-all outline-offset-0"
  />
);
