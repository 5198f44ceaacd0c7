import { type FormEvent, useEffect, useRef } from 'react';
import { isMac } from '../../../commands/platform.ts';
import { useAction } from '../../../commands/requested-action.ts';
import { wallet as texts } from '../../../strings/wallet.ts';
import { Button } from '../../../ui/button.tsx';
import { Callout } from '../../../ui/callout.tsx';
import { cx } from '../../../ui/cx.ts';
import { Section } from '../../../ui/section.tsx';
import { useIsOperator } from '../use-operator.ts';
import { CheckResult, OtherPaymentResult } from './check-result.tsx';
import { QueueNotice } from './queue-notice.tsx';
import { PendingReceiveStatus, ReceiveOutcome } from './receive-outcome.tsx';
import { TokenField } from './token-field.tsx';
import { ChooseTokenFile, useTokenDrop } from './token-file.tsx';
import { useReceive } from './use-receive.ts';
import { useTokenQueue } from './use-token-queue.ts';

const words = texts.receive;

interface ReceiveSectionProps {
  readonly devMode: boolean;
  /** Without backup words, the wallet receives nothing. */
  readonly seedMissing: boolean;
  readonly onFixSeed: () => void;
}

/** Receives a token: paste it, see what it is, receive it, and see the result. */
export const ReceiveSection = ({ devMode, seedMissing, onFixSeed }: ReceiveSectionProps) => {
  const { state, check, other, canReceive, type, receive } = useReceive(seedMissing);
  const { text, sending, outcome, pendingReceives } = state;
  const waiting = useTokenQueue();
  const form = useRef<HTMLFormElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  useAction('receive-token', () => field.current?.focus());

  const seen = useRef(outcome);
  useEffect(() => {
    if (outcome === seen.current) return;
    seen.current = outcome;
    // Return the focus to the field for the next token, unless the person has moved on.
    const isHere = document.activeElement === document.body || form.current?.contains(document.activeElement);
    if (outcome?.kind === 'received' && isHere) field.current?.focus();
  }, [outcome]);

  const onText = (next: string): void => {
    if (waiting?.kind === 'problem') waiting.dismiss();
    type(next);
  };
  const onFile = (next: string): void => {
    onText(next);
    field.current?.focus();
  };
  const drop = useTokenDrop(onFile);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    receive();
  };
  return (
    <div {...drop.handlers} className={cx(drop.isOver && 'bg-selected')}>
      <Section heading={words.heading}>
        {devMode && <Callout tone="warn">{words.devMode}</Callout>}
        {seedMissing && <ReceivingIsOff onFixSeed={onFixSeed} />}
        <QueueNotice news={waiting} canTake={!sending} onTaken={() => field.current?.focus()} />
        <form ref={form} onSubmit={submit} className="flex min-w-0 flex-col gap-2">
          <TokenField ref={field} text={text} readOnly={sending} onTextChange={onText} onSubmit={receive} />
          <div className="flex flex-wrap items-center gap-2">
            <Button
              type="submit"
              variant="primary"
              disabled={!canReceive}
              aria-keyshortcuts="Control+Enter Meta+Enter"
            >
              {sending
                ? words.receiving
                : outcome?.kind === 'refused' && canReceive
                  ? words.tryAgain
                  : words.receive}
            </Button>
            <ChooseTokenFile onText={onFile} />
            <kbd className="font-sans text-sm text-muted">{isMac() ? words.shortcutMac : words.shortcut}</kbd>
          </div>
        </form>
        <OtherPaymentResult kind={other} />
        <CheckResult check={check} devMode={devMode} />
        <ReceiveOutcome outcome={outcome} />
        {pendingReceives.map((item) => (
          <PendingReceiveStatus key={item.operationId} receive={item} />
        ))}
      </Section>
    </div>
  );
};

const ReceivingIsOff = ({ onFixSeed }: Pick<ReceiveSectionProps, 'onFixSeed'>) => (
  <Callout tone="danger" title={texts.missingSeed.receiveTitle}>
    <p>{texts.missingSeed.receiveHint}</p>
    {useIsOperator() === false ? (
      <p>{texts.locked.hint}</p>
    ) : (
      <div>
        <Button size="small" onClick={onFixSeed}>
          {texts.missingSeed.fix}
        </Button>
      </div>
    )}
  </Callout>
);
