import { type FormEvent, useEffect, useRef } from 'react';
import { wallet as words } from '../../../strings/wallet.ts';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/field.tsx';
import { Sheet } from '../../../ui/sheet.tsx';
import { SendOutcome } from './send-outcome.tsx';
import { isBusy as isBusyStage, sendStore } from './send-store.ts';
import { useSend } from './use-send.ts';

interface SendSheetProps {
  readonly balance: number;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

/** Sends sats: an amount becomes a token, to share as text or as a QR code. */
export const SendSheet = ({ balance, open, onOpenChange }: SendSheetProps) => (
  <Sheet
    open={open}
    onOpenChange={onOpenChange}
    title={words.send.heading}
    description={words.send.description}
  >
    <SendForm balance={balance} />
  </Sheet>
);

const SendForm = ({ balance }: Pick<SendSheetProps, 'balance'>) => {
  const { state, input, pendingReason, send, acceptFee, checkAgain } = useSend(balance);
  const { amount, memo, stage } = state;
  const form = useRef<HTMLFormElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const isBusy = isBusyStage(stage);

  const wasSent = useRef(stage.kind === 'sent');
  useEffect(() => {
    const isPutAway = wasSent.current && stage.kind === 'idle' && document.activeElement === document.body;
    // The pressed button is gone.
    if (isPutAway) field.current?.focus();
    wasSent.current = stage.kind === 'sent';
  }, [stage]);

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    send();
  };
  const wrong = input.status === 'wrong' ? input : undefined;
  return (
    <div className="flex min-w-0 flex-col gap-4 px-5 py-4">
      <form ref={form} onSubmit={submit} className="flex min-w-0 flex-col gap-3">
        <div className="flex flex-wrap gap-3">
          <div className="w-36 grow">
            <TextField
              ref={field}
              label={words.send.amount}
              value={amount}
              onValueChange={(next) => sendStore.type({ amount: next })}
              inputMode="numeric"
              readOnly={isBusy}
              error={
                wrong?.amount &&
                (wrong.amount === 'tooMuch'
                  ? words.send.invalid.tooMuch(balance)
                  : words.send.invalid.notWhole)
              }
            />
          </div>
          <div className="w-36 grow-2">
            <TextField
              label={words.send.memo}
              hint={words.send.memoHint}
              value={memo}
              onValueChange={(next) => sendStore.type({ memo: next })}
              readOnly={isBusy}
              error={wrong?.memo && words.send.invalid.memoTooLong}
            />
          </div>
        </div>
        <div>
          <Button type="submit" variant="primary" disabled={isBusy || input.status !== 'ok'}>
            {isBusy && stage.kind !== 'unsure'
              ? words.send.sending
              : stage.kind === 'refused'
                ? words.send.tryAgain
                : words.send.send}
          </Button>
        </div>
      </form>
      <SendOutcome
        stage={stage}
        pendingReason={pendingReason}
        onCheckAgain={checkAgain}
        onAcceptFee={acceptFee}
        opener={form}
      />
    </div>
  );
};
