import {
  type ClipboardEvent,
  type FormEvent,
  type KeyboardEvent,
  type Ref,
  type RefObject,
  useEffect,
  useId,
  useRef,
} from 'react';
import { LABEL_MAX } from '../../../../../shared/api/wallet.ts';
import { shortMintUrl } from '../../../../../shared/mint-url.ts';
import { isMac } from '../../../shell/shortcuts.ts';
import { wallet as words } from '../../../strings/wallet.ts';
import { Button } from '../../../ui/button.tsx';
import { Callout } from '../../../ui/callout.tsx';
import { cx } from '../../../ui/cx.ts';
import { Failure } from '../../../ui/failures.tsx';
import { TextField } from '../../../ui/field.tsx';
import { ChooseFile } from '../../../ui/file-field.tsx';
import { Sheet } from '../../../ui/sheet.tsx';
import { AgentSelect } from '../agent-select.tsx';
import { useIsOperator } from '../use-wallet.ts';
import { OtherPaymentResult, TokenCheckResult } from './check-result.tsx';
import { BatchResults, PendingReceiveStatus, ReceiveOutcome } from './receive-outcome.tsx';
import { receiveStore } from './receive-store.ts';
import { readToken } from './token-file.ts';
import { useReceive } from './use-receive.ts';
import type { QueueNews } from './use-token-queue.ts';

interface QueueNoticeProps {
  readonly news: QueueNews | null;
  /** False while another token is being received. */
  readonly canTake: boolean;
  readonly onTaken: () => void;
}

/** Says why a `cashu:` link was refused, or offers the next token in the queue. */
const QueueNotice = ({ news, canTake, onTaken }: QueueNoticeProps) => {
  if (!news) return null;
  if (news.kind === 'problem') {
    const { title, hint } = words.receive.link[news.problem];
    return <Failure title={title} message={hint} />;
  }
  const take = (): void => {
    news.take();
    onTaken();
  };
  return (
    <Callout
      tone="note"
      title={words.receive.waiting.title}
      announce="alert"
      actions={
        <div>
          <Button size="small" disabled={!canTake} onClick={take}>
            {words.receive.waiting.take}
          </Button>
        </div>
      }
    >
      <p>{canTake ? words.receive.waiting.hint : words.receive.waiting.notYet}</p>
    </Callout>
  );
};

interface TokenFieldProps {
  readonly text: string;
  readonly readOnly: boolean;
  readonly onTextChange: (text: string) => void;
  /** Called on Ctrl+Enter or Cmd+Enter. */
  readonly onSubmit: () => void;
  readonly ref: Ref<HTMLTextAreaElement>;
}

/** A field for a token as text. */
const TokenField = ({ text, readOnly, onTextChange, onSubmit, ref }: TokenFieldProps) => {
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
        // SECURITY: a token is money, and browsers store text that they can autocomplete.
        autoComplete="off"
        className={cx(
          'max-h-60 min-h-20 w-full resize-y rounded-md border border-line-strong bg-canvas px-2.5 py-2 font-mono',
          'text-sm outline-offset-0 not-placeholder-shown:break-all placeholder:font-sans read-only:bg-sunken',
        )}
      />
    </>
  );
};

interface ReceiveFormProps {
  readonly ownMint: string;
  readonly devMode: boolean;
  /** True if the backup words are missing, so that the wallet can't receive. */
  readonly seedMissing: boolean;
  readonly onFixSeed: () => void;
  /** The next token in the queue, or why a link was refused. */
  readonly waiting: QueueNews | null;
  /** True while a file is dragged over the page. */
  readonly isDropTarget: boolean;
}

interface ReceiveSheetProps extends ReceiveFormProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

/** Receives a token: paste it, see its details, receive it, and see the result. */
export const ReceiveSheet = ({ open, onOpenChange, ...form }: ReceiveSheetProps) => {
  const field = useRef<HTMLTextAreaElement>(null);
  return (
    <Sheet open={open} onOpenChange={onOpenChange} title={words.receive.heading} initialFocus={field}>
      <ReceiveForm {...form} field={field} />
    </Sheet>
  );
};

const ReceiveForm = ({
  ownMint,
  devMode,
  seedMissing,
  onFixSeed,
  waiting,
  isDropTarget,
  field,
}: ReceiveFormProps & { readonly field: RefObject<HTMLTextAreaElement | null> }) => {
  const { state, check, other, tokens, canReceive, type, receive } = useReceive(seedMissing);
  const { text, attribution, sending, outcome, pendingReceives, results } = state;
  const form = useRef<HTMLFormElement>(null);

  const seen = useRef(outcome);
  useEffect(() => {
    if (outcome === seen.current) return;
    seen.current = outcome;
    // Return focus to the field for the next token, unless the person has moved on.
    const isHere = document.activeElement === document.body || form.current?.contains(document.activeElement);
    if (outcome?.kind === 'received' && isHere) field.current?.focus();
  }, [outcome, field]);

  const onText = (next: string): void => {
    if (waiting?.kind === 'problem') waiting.dismiss();
    type(next);
  };
  const onFile = (next: string): void => {
    onText(next);
    field.current?.focus();
  };
  const onAttributionKey = (event: KeyboardEvent): void => {
    const isInText = event.target instanceof HTMLInputElement;
    if (event.key !== 'Enter' || !(isInText || event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    receive();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    receive();
  };
  return (
    <div className={cx('flex min-h-full min-w-0 flex-col gap-3 px-5 py-4', isDropTarget && 'bg-selected')}>
      {seedMissing && <ReceivingIsOff onFixSeed={onFixSeed} />}
      <QueueNotice news={waiting} canTake={!sending} onTaken={() => field.current?.focus()} />
      <form ref={form} onSubmit={submit} className="flex min-w-0 flex-col gap-2">
        <TokenField ref={field} text={text} readOnly={sending} onTextChange={onText} onSubmit={receive} />
        <p className="text-sm wrap-anywhere text-muted">
          {devMode ? words.receive.anyMint : words.receive.ourMint(shortMintUrl(ownMint))}
        </p>
        {/* Handles Enter in these fields, because the browser doesn't submit the form while the check is running. */}
        {/* biome-ignore lint/a11y/noStaticElementInteractions: for the keys of its fields */}
        <div className="mb-1 grid grid-cols-2 gap-3" onKeyDown={onAttributionKey}>
          <AgentSelect
            agent={attribution.agent}
            disabled={sending}
            onAgentChange={(agent) => receiveStore.attribute({ agent })}
          />
          <TextField
            label={words.assign.label}
            value={attribution.label}
            readOnly={sending}
            maxLength={LABEL_MAX}
            onValueChange={(label) => receiveStore.attribute({ label })}
          />
        </div>
        <div className="flex flex-wrap items-center gap-2">
          <Button
            type="submit"
            variant="primary"
            disabled={!canReceive}
            aria-keyshortcuts="Control+Enter Meta+Enter"
          >
            {sending
              ? words.receive.receiving
              : outcome?.kind === 'refused' && canReceive
                ? words.receive.tryAgain
                : tokens.length > 1
                  ? words.receive.receiveAll(tokens.length)
                  : words.receive.receive}
          </Button>
          <ChooseFile label={words.receive.chooseFile} onFile={(file) => void readToken(file, onFile)} />
          <kbd className="font-sans text-sm text-muted">
            {isMac() ? words.receive.shortcutMac : words.receive.shortcut}
          </kbd>
        </div>
      </form>
      <OtherPaymentResult kind={other} />
      <TokenCheckResult check={check} ownMint={ownMint} devMode={devMode} />
      <ReceiveOutcome outcome={outcome} />
      <BatchResults results={results} />
      {pendingReceives.map((item) => (
        <PendingReceiveStatus key={item.operationId} receive={item} />
      ))}
    </div>
  );
};

const ReceivingIsOff = ({ onFixSeed }: Pick<ReceiveFormProps, 'onFixSeed'>) => (
  <Callout tone="danger" title={words.missingSeed.receiveTitle}>
    <p>{words.missingSeed.receiveHint}</p>
    {useIsOperator() === false ? (
      <p>{words.locked.hint}</p>
    ) : (
      <div>
        <Button size="small" onClick={onFixSeed}>
          {words.missingSeed.fix}
        </Button>
      </div>
    )}
  </Callout>
);
