import { useId, useState } from 'react';
import { strings } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';

const words = strings.wallet.history;

/** The token of a send. SECURITY: it is money, so it is on the screen only on request. */
export const SentToken = ({ token, isSpent }: { readonly token: string; readonly isSpent: boolean }) => {
  const [isOpen, setIsOpen] = useState(false);
  const id = useId();
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <div className="flex items-center gap-1">
        <Button
          size="small"
          aria-expanded={isOpen}
          aria-controls={isOpen ? id : undefined}
          onClick={() => setIsOpen(!isOpen)}
        >
          {isOpen ? words.hideToken : words.showToken}
        </Button>
        <CopyButton label={words.copyToken} text={token} />
      </div>
      {isOpen && (
        <div id={id} className="flex min-w-0 flex-col gap-1">
          <textarea
            readOnly
            rows={4}
            aria-label={words.token}
            value={token}
            onFocus={(event) => event.currentTarget.select()}
            spellCheck={false}
            autoComplete="off"
            className="w-full resize-y rounded-md border border-line-strong bg-sunken px-2.5 py-2 font-mono text-sm break-all outline-offset-0"
          />
          {!isSpent && <p className="text-sm text-muted">{words.tokenWarning}</p>}
        </div>
      )}
    </div>
  );
};
