import { useInfiniteQuery } from '@tanstack/react-query';
import { type FormEvent, type RefObject, useEffect, useRef } from 'react';
import { titleOf } from '../../../../../shared/api/errors.ts';
import type { HistoryEntry, SentToken as Sent } from '../../../../../shared/api/wallet.ts';
import { historyQuery } from '../../../api/wallet-queries.ts';
import { wallet as words } from '../../../strings/wallet.ts';
import { Button } from '../../../ui/button.tsx';
import { Callout } from '../../../ui/callout.tsx';
import { Failure } from '../../../ui/failures.tsx';
import { TextField } from '../../../ui/field.tsx';
import { Sheet } from '../../../ui/sheet.tsx';
import { clockTime } from '../../../ui/time-ago.tsx';
import { fateOf } from '../history/history-entry.ts';
import { FreshToken } from '../history/sent-token.tsx';
import { isBusy as isBusyStage, type SendRefusal, type SendStage, sendStore } from './send-store.ts';
import { useSend } from './use-send.ts';

/** An operation's history entry, if it's on a loaded page. */
const useHistoryEntry = (id: string): HistoryEntry | undefined => {
  const { data } = useInfiniteQuery(historyQuery());
  for (const page of data?.pages ?? []) {
    const entry = page.entries.find((each) => each.id === id);
    if (entry) return entry;
  }
  return undefined;
};

interface SendOutcomeProps {
  readonly stage: SendStage;
  readonly pendingReason: string | undefined;
  readonly onCheckAgain: () => void;
  readonly onAcceptFee: () => void;
  /** The element that loses focus to the token. */
  readonly opener: RefObject<HTMLElement | null>;
}

/** Shows the last send's token, the reason there's none, or that the send is still pending. */
const SendOutcome = ({ stage, pendingReason, onCheckAgain, onAcceptFee, opener }: SendOutcomeProps) => (
  <>
    {/* Always rendered, so that screen readers announce its changes. */}
    <div role="status" className="flex min-w-0 flex-col empty:hidden">
      {stage.kind === 'pending' && (
        <Callout tone="wait" title={words.send.pendingTitle}>
          <p>{words.send.pendingHint}</p>
          {pendingReason && <p className="text-muted">{pendingReason}</p>}
          <p className="text-sm text-muted">
            {words.receive.operation} <code className="break-all">{stage.operationId}</code>
          </p>
        </Callout>
      )}
      {stage.kind === 'unsure' && (
        <Callout tone="wait" title={words.send.unsureTitle}>
          <p>{words.send.unsureHint}</p>
          {pendingReason && <p className="text-muted">{pendingReason}</p>}
        </Callout>
      )}
    </div>
    {stage.kind === 'unsure' && (
      <div>
        <Button size="small" onClick={onCheckAgain}>
          {words.receive.checkAgain}
        </Button>
      </div>
    )}
    {stage.kind === 'refused' && <Refused refusal={stage} onAcceptFee={onAcceptFee} />}
    {stage.kind === 'sent' && <Token key={stage.sent.operationId} sent={stage.sent} opener={opener} />}
  </>
);

interface RefusedProps {
  readonly refusal: SendRefusal;
  readonly onAcceptFee: () => void;
}

const Refused = ({ refusal: { code, message, fee }, onAcceptFee }: RefusedProps) => (
  <Failure
    title={words.send.refusals[code] ?? titleOf(code) ?? words.send.refusedFallback}
    code={code}
    message={fee ? words.send.feeTooHigh(fee.sats, fee.intent.amount) : message}
    advice={words.send.advice[code]}
  >
    {fee && (
      <div>
        <Button size="small" onClick={onAcceptFee}>
          {words.send.acceptFee(fee.sats)}
        </Button>
      </div>
    )}
  </Failure>
);

const Token = ({ sent, opener }: { readonly sent: Sent; readonly opener: RefObject<HTMLElement | null> }) => {
  const entry = useHistoryEntry(sent.operationId);
  const fate = (entry && fateOf(entry)) ?? 'unspent';
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Focus the token, unless the person has moved on.
    const { activeElement } = document;
    if (activeElement !== document.body && !opener.current?.contains(activeElement)) return;
    place.current?.focus();
    place.current?.scrollIntoView({ block: 'nearest' });
  }, [opener]);
  return (
    <div ref={place} tabIndex={-1} className="flex flex-col rounded-md">
      <Callout
        tone={fate === 'reclaimed' ? 'note' : 'ok'}
        title={
          sent.replayed && sent.createdAt
            ? words.send.doneLate(clockTime(Date.parse(sent.createdAt), Date.now()), sent.amount, sent.fee)
            : words.send.done(sent.amount, sent.fee)
        }
        announce="status"
        actions={
          fate === 'unspent' ? (
            <FreshToken token={sent.token}>
              <Button onClick={sendStore.clear}>{words.send.another}</Button>
            </FreshToken>
          ) : (
            <Button onClick={sendStore.clear}>{words.send.another}</Button>
          )
        }
      >
        {/* The page never reuses an Idempotency-Key after showing its token, so only the history can show it again. */}
        {sent.replayed && <p>{words.send.doneLateHint}</p>}
        <p>{fate === 'unspent' ? words.send.doneHint : words.send[fate]}</p>
        {fate === 'unspent' && sent.simulated && <p>{words.send.doneTestHint}</p>}
      </Callout>
    </div>
  );
};

interface SendSheetProps {
  readonly balance: number;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

/** Sends sats by creating a token, to share as text or as a QR code. */
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
    // The clicked button no longer exists, so focus would be lost.
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
