import { type ReactNode, type Ref, useId, useState } from 'react';
import { wallet as words } from '../../../strings/wallet.ts';
import { Button } from '../../../ui/button.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { lazyView } from '../../../ui/lazy-view.tsx';

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

// Loaded lazily, because it's rarely used and needs a QR encoder and a hash.
const TokenQr = lazyView(async () => (await import('../qr/token-qr.tsx')).TokenQr);

interface SentTokenProps {
  readonly token: string;
  readonly isSpent: boolean;
  /** Other actions on the token. */
  readonly children?: ReactNode;
}

/** An earlier send's token. SECURITY: it's money, so it's shown only on request. */
export const EarlierToken = ({ token, isSpent, children }: SentTokenProps) => {
  const [isTextOpen, setIsTextOpen] = useState(false);
  const [isQrOpen, setIsQrOpen] = useState(false);
  const id = useId();
  const showsQr = isQrOpen && !isSpent;
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <div className="flex flex-wrap items-center gap-1.5">
        <Button
          size="small"
          aria-expanded={isTextOpen}
          aria-controls={isTextOpen ? id : undefined}
          onClick={() => setIsTextOpen(!isTextOpen)}
        >
          {isTextOpen ? words.token.hide : words.token.show}
        </Button>
        {!isSpent && (
          <Button size="small" aria-expanded={isQrOpen} onClick={() => setIsQrOpen(!isQrOpen)}>
            {isQrOpen ? words.token.hideQr : words.token.showQr}
          </Button>
        )}
        {children}
        <CopyButton label={words.token.copy} text={token} />
      </div>
      {isTextOpen && <TokenText id={id} token={token} />}
      {showsQr && <TokenQr token={token} />}
      {(isTextOpen || showsQr) && !isSpent && <p className="text-sm text-muted">{words.token.warning}</p>}
    </div>
  );
};

/** A new send's token: to copy, or to scan. */
export const FreshToken = ({ token, children }: Pick<SentTokenProps, 'token' | 'children'>) => {
  const [isTextOpen, setIsTextOpen] = useState(false);
  const id = useId();
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <CopyButton primary label={words.token.copy} text={token} />
        <Button
          aria-expanded={isTextOpen}
          aria-controls={isTextOpen ? id : undefined}
          onClick={() => setIsTextOpen(!isTextOpen)}
        >
          {isTextOpen ? words.token.hide : words.token.show}
        </Button>
        {children}
      </div>
      {isTextOpen && <TokenText id={id} token={token} />}
      <TokenQr token={token} />
      <p className="text-sm text-muted">{words.token.warning}</p>
    </div>
  );
};
