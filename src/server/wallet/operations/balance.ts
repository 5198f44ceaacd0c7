import type { Balance } from '../../../shared/api/wallet.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Keyset, Keysets } from '../mint/mint.ts';
import type { WalletStore } from '../store/wallet-store.ts';
import { dustOf, isExpired } from './selection.ts';

/** The wallet's balance, as the API returns it. */
export interface BalanceView {
  /** Creates a new object only after a change, so that the same frozen object is serialized once. */
  read(): Balance;
  /** Call after a change that affects the balance. */
  changed(): void;
  /** Call after the mint listed its keysets. */
  listed(keysets: Keysets): void;
}

interface BalanceParts {
  store: WalletStore;
  clock: Clock;
  mintUrl: string;
  devMode: boolean;
  hasSeed(): boolean;
  /** When the words were last confirmed, as an ISO date. */
  backedUpAt(): string | undefined;
  /** When the mint last confirmed all free proofs, in milliseconds since 1970. */
  checkedAt(): number | undefined;
  otherMints(): NonNullable<Balance['otherMints']>;
}

export const createBalanceView = ({
  store,
  clock,
  mintUrl,
  devMode,
  hasSeed,
  backedUpAt,
  checkedAt,
  otherMints,
}: BalanceParts): BalanceView => {
  let current: Balance | undefined;
  /** When the next keyset expires, in milliseconds since 1970. The current balance is wrong after that. */
  let trueUntil = Number.POSITIVE_INFINITY;
  /** Undefined until the mint has listed its keysets. */
  let listedIds: ReadonlySet<string> | undefined;
  const keysets = new Map<string, Keyset>(store.keysets.all().map((keyset) => [keyset.id, keyset]));

  const make = (): Balance => {
    const sums = store.postings.byKeyset('free');
    const now = clock.now();
    const sumWhere = (holds: (id: string) => boolean) =>
      sums.reduce((total, { keysetId, sats }) => total + (holds(keysetId) ? sats : 0), 0);
    const isGone = (id: string) => isExpired(keysets.get(id) ?? {}, now);
    const expired = sumWhere(isGone);
    const unlisted = listedIds ? sumWhere((id) => !listedIds?.has(id) && !isGone(id)) : 0;
    const dust = sums.reduce((total, { keysetId }) => {
      const keyset = keysets.get(keysetId);
      const most = !keyset || isGone(keysetId) ? 0 : dustOf(keyset);
      return most > 0 ? total + store.proofs.freeUpTo(keysetId, most) : total;
    }, 0);
    const expiries = sums.flatMap(({ keysetId }) => keysets.get(keysetId)?.finalExpiry ?? []);
    trueUntil = Math.min(...expiries.map((at) => at * 1000).filter((at) => at > now));
    const others = otherMints();
    const confirmedAt = backedUpAt();
    const unconfirmed = store.postings.sum('unconfirmed');
    const checked = checkedAt();
    const held = store.charges.owed();
    return Object.freeze({
      balance: store.postings.sum('free') - expired,
      pending: store.postings.sum('incoming'),
      mint: mintUrl,
      unit: 'sat',
      devMode,
      seed: hasSeed() ? 'present' : 'missing',
      ...(confirmedAt === undefined ? {} : { backedUpAt: confirmedAt }),
      ...(checked === undefined ? {} : { checkedAt: new Date(checked).toISOString() }),
      ...(unconfirmed > 0 ? { unconfirmed } : {}),
      ...(held > 0 ? { held } : {}),
      ...(expired > 0 ? { expired } : {}),
      ...(others.length > 0 ? { otherMints: others } : {}),
      ...(unlisted > 0 ? { unlisted } : {}),
      ...(dust > 0 ? { dust } : {}),
    });
  };

  return {
    read() {
      if (clock.now() >= trueUntil) current = undefined;
      current ??= make();
      return current;
    },
    changed() {
      current = undefined;
    },
    listed({ all }) {
      const ids = new Set(all.map(({ id }) => id));
      const isNew = ({ id, inputFeePpk }: Keyset) =>
        !listedIds?.has(id) || keysets.get(id)?.inputFeePpk !== inputFeePpk;
      if (ids.size !== listedIds?.size || all.some(isNew)) current = undefined;
      listedIds = ids;
      for (const keyset of all) keysets.set(keyset.id, keyset);
    },
  };
};
