import type { Balance } from '../../../../shared/api/wallet.ts';
import { wallet as texts } from '../../strings/wallet.ts';
import { Badge } from '../../ui/badge.tsx';
import { Callout } from '../../ui/callout.tsx';
import { cx } from '../../ui/cx.ts';
import { Section } from '../../ui/section.tsx';
import { hostOf } from './mint-url.ts';

const words = texts.balance;

/** More characters than this, such as those of 210 thousand BTC, don't fit the column in the largest type. */
const MOST_LARGE = 15;

/** The balance, and the pending sats. */
export const BalanceSection = ({ balance }: { readonly balance: Balance }) => {
  const sats = words.sats(balance.balance);
  return (
    <Section heading={words.heading} aside={balance.devMode && <Badge tone="warn">{words.simulated}</Badge>}>
      <div className="flex flex-wrap items-baseline gap-x-3">
        <p
          className={cx(
            'min-w-0 font-semibold break-words tabular-nums',
            sats.length > MOST_LARGE ? 'text-xl' : 'text-2xl',
          )}
        >
          {sats} <span className="text-lg font-normal text-muted">{words.unit}</span>
        </p>
        {balance.pending > 0 && (
          <p className="text-warn tabular-nums" title={words.pendingHint}>
            {words.pending(balance.pending)}
          </p>
        )}
      </div>
      {balance.expired !== undefined && balance.expired > 0 && (
        <Callout tone="warn" title={words.expired(balance.expired)}>
          <p>{words.expiredHint}</p>
        </Callout>
      )}
      {balance.unlisted !== undefined && balance.unlisted > 0 && (
        <Callout tone="warn">{words.unlisted(balance.unlisted)}</Callout>
      )}
      {balance.otherMints !== undefined && balance.otherMints.length > 0 && (
        <OtherMints mints={balance.otherMints} />
      )}
    </Section>
  );
};

/** The sats that the wallet still holds at earlier mints. */
const OtherMints = ({ mints }: { readonly mints: NonNullable<Balance['otherMints']> }) => (
  <Callout tone="note" title={words.otherMints}>
    <p>{words.otherMintsHint}</p>
    <dl className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 gap-y-0.5">
      {mints.map(({ mint, balance, pending }) => (
        <div key={mint} className="contents">
          <dt className="break-all text-muted" title={mint}>
            <bdi>{hostOf(mint)}</bdi>
          </dt>
          <dd className="text-right tabular-nums">
            {texts.sats(balance)}
            {pending > 0 && <span className="block text-sm text-warn">{words.otherPending(pending)}</span>}
          </dd>
        </div>
      ))}
    </dl>
  </Callout>
);
