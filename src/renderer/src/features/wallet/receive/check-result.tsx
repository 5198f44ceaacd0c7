import type { ReactNode } from 'react';
import { ERRORS, titleOf } from '../../../../../shared/api/errors.ts';
import { REASON_CODES, type TokenValidation } from '../../../../../shared/api/wallet.ts';
import { shortMintUrl } from '../../../../../shared/mint-url.ts';
import { OTHER_PAYMENT_TEXTS, type OtherPayment } from '../../../../../shared/other-payment.ts';
import { wallet as words } from '../../../strings/wallet.ts';
import { Button } from '../../../ui/button.tsx';
import { Callout } from '../../../ui/callout.tsx';
import { scrollsByKey } from '../../../ui/scrolls-by-key.ts';
import { ReceivedBefore } from './receive-outcome.tsx';
import type { TokenCheck } from './use-receive.ts';

interface CheckResultProps {
  readonly check: TokenCheck;
  /** The mint of this wallet. */
  readonly ownMint: string;
  readonly devMode: boolean;
}

/** Describes a token and whether it can be received. Screen readers announce changes. */
export const TokenCheckResult = ({ check, ownMint, devMode }: CheckResultProps) => (
  <div role="status" className="flex min-w-0 flex-col empty:hidden">
    {check.status === 'checking' && <p className="appear-late text-muted">{words.receive.checking}</p>}
    {check.status === 'unknown' && (
      <Callout
        tone="warn"
        title={words.refusals[check.error.code] ?? titleOf(check.error.code) ?? words.receive.unknown.title}
      >
        <p>{check.error.message}</p>
        {check.mayReceive && <p>{words.receive.unknown.hint}</p>}
        <Code>{check.error.code}</Code>
        <CheckAgain onClick={check.checkAgain} />
      </Callout>
    )}
    {check.status === 'checked' && (
      <Checked
        validation={check.validation}
        ownMint={ownMint}
        devMode={devMode}
        checkAgain={check.checkAgain}
      />
    )}
  </div>
);

interface CheckedProps extends Pick<CheckResultProps, 'ownMint'> {
  readonly validation: TokenValidation;
  readonly devMode: boolean;
  readonly checkAgain: () => void;
}

const Checked = ({ validation, ownMint, devMode, checkAgain }: CheckedProps) => {
  const { valid, reason } = validation;
  if (valid) {
    const isUnverified = !devMode && validation.signaturesChecked === false;
    const title = devMode
      ? words.receive.unchecked
      : isUnverified
        ? words.receive.unverified
        : words.receive.valid;
    return (
      <Callout tone={devMode || isUnverified ? 'note' : 'ok'} title={title}>
        {devMode && <p>{words.receive.uncheckedHint}</p>}
        {isUnverified && <p>{words.receive.unverifiedHint}</p>}
        <Details validation={validation} />
      </Callout>
    );
  }
  const { operationId, receivedAt, receivedAmount } = validation;
  if (operationId !== undefined) {
    const code = REASON_CODES[reason === 'pending' ? 'pending' : 'spent'];
    return <ReceivedBefore own={{ operationId, receivedAt, receivedAmount }} code={code} />;
  }
  if (validation.looksLike) return <OtherPaymentCallout kind={validation.looksLike} />;
  const { title, advice } = ERRORS[REASON_CODES[reason ?? 'malformed']];
  return (
    <Callout tone={reason === 'pending' ? 'warn' : 'danger'} title={title}>
      {reason === 'wrong_mint' ? (
        <p className="wrap-anywhere">{words.receive.wrongMint(...mintsToTell(validation.mint, ownMint))}</p>
      ) : (
        <p>{advice}</p>
      )}
      {reason !== 'malformed' && <Details validation={validation} />}
      <Code>{reason}</Code>
      {reason === 'pending' && <CheckAgain onClick={checkAgain} />}
    </Callout>
  );
};

/**
 * Returns the names of two mints, short unless only their schemes differ. The first is empty for a token from several
 * mints.
 */
const mintsToTell = (theirs: string, ours: string): [string, string] => {
  const short: [string, string] = [shortMintUrl(theirs), shortMintUrl(ours)];
  return short[0] === short[1] ? [theirs, ours] : short;
};

/** Shown if the pasted text requests sats and isn't a token. */
export const OtherPaymentResult = ({ kind }: { readonly kind: OtherPayment | undefined }) => (
  <div role="status" className="flex min-w-0 flex-col empty:hidden">
    {kind && <OtherPaymentCallout kind={kind} />}
  </div>
);

const OtherPaymentCallout = ({ kind }: { readonly kind: OtherPayment }) => (
  <Callout tone="warn" title={OTHER_PAYMENT_TEXTS[kind].title}>
    <p>{OTHER_PAYMENT_TEXTS[kind].message}</p>
  </Callout>
);

const Details = ({ validation }: { readonly validation: TokenValidation }) => {
  const { amount, fee, mint, memo, proofs, unit = 'sat', valid } = validation;
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-0.5">
      <Detail term={words.receive.details.amount}>
        <span className="font-medium tabular-nums">{words.amount(amount, unit)}</span>
      </Detail>
      {fee !== undefined && fee > 0 && (
        <Detail term={words.receive.details.fee}>
          <span className="tabular-nums">{words.sats(fee)}</span>
        </Detail>
      )}
      {valid && fee !== undefined && fee > 0 && fee < amount && (
        <Detail term={words.receive.details.credited}>
          <span className="tabular-nums">{words.sats(amount - fee)}</span>
        </Detail>
      )}
      {mint && (
        <Detail term={words.receive.details.mint}>
          <bdi ref={scrollsByKey} className="block max-h-15 overflow-y-auto break-all">
            {mint}
          </bdi>
        </Detail>
      )}
      {memo && (
        <Detail term={words.receive.details.memo}>
          <bdi ref={scrollsByKey} className="block max-h-20 overflow-y-auto break-words">
            {memo}
          </bdi>
        </Detail>
      )}
      {proofs !== undefined && <Detail term={words.receive.details.proofs}>{proofs}</Detail>}
    </dl>
  );
};

const Detail = ({ term, children }: { readonly term: string; readonly children: ReactNode }) => (
  <>
    <dt className="text-muted">{term}</dt>
    <dd className="min-w-0">{children}</dd>
  </>
);

const CheckAgain = ({ onClick }: { readonly onClick: () => void }) => (
  <div>
    <Button size="small" onClick={onClick}>
      {words.receive.checkAgain}
    </Button>
  </div>
);

const Code = ({ children }: { readonly children: ReactNode }) => (
  <code className="text-xs break-all text-muted">{children}</code>
);
