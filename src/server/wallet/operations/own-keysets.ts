import type { MintStatus } from '../../../shared/api/wallet.ts';
import { type Keysets, type Mint, MintError } from '../mint/mint.ts';
import type { WalletStore } from '../store/wallet-store.ts';

/** A mint whose keysets another one lists as its own. */
export type ForeignKeysets = NonNullable<MintStatus['foreignKeysets']>[number];

interface OwnKeysetsParts {
  mint: Mint;
  store: Pick<WalletStore, 'keysets'>;
  /** Resolves once mints that come first have claimed their keysets. Called before new ones are claimed. */
  beforeClaim?(): Promise<unknown>;
  /** Called with the keysets that the wallet uses. */
  onListed(keysets: Keysets): void;
}

/** A mint that the wallet uses only for keysets that belong to it. */
interface OwnKeysets {
  mint: Mint;
  foreignKeysets(): ForeignKeysets[];
}

/** The error for a mint that lists only another mint's keysets. */
const otherAddressError = (url: string): MintError =>
  new MintError(
    'invalid',
    `This mint lists only the keysets of ${url}, which the wallet already uses. The operator can change the address of that mint on the Wallet page.`,
  );

/**
 * Wraps a mint. Claims and stores its keysets when it reports them, and leaves out those of other mints.
 *
 * SECURITY: a keyset belongs to the first mint that listed it, because secrets depend on the keyset but not on the mint
 * (NUT-13). A mint that the wallet used before could be the first to list a new keyset of the mint that it uses now, so
 * the latter is asked first.
 */
export const createOwnKeysets = ({ mint, store, beforeClaim, onListed }: OwnKeysetsParts): OwnKeysets => {
  let foreign: ForeignKeysets[] = [];

  const findForeign = ({ all, foreign: ids = [] }: Keysets): ForeignKeysets[] => {
    const counts = new Map<string, number>();
    for (const url of ids.map(store.keysets.ownerOf))
      if (url !== undefined) counts.set(url, (counts.get(url) ?? 0) + 1);
    const isAll = all.length === 0 && counts.size === 1;
    return [...counts].map(([url, keysets]) => ({ mint: url, keysets, all: isAll }));
  };

  /** Returns false after the mint had to forget foreign keysets, so that the caller asks it again. */
  const accept = async (keysets: Keysets): Promise<boolean> => {
    const ids = keysets.all.map(({ id }) => id);
    if (beforeClaim && store.keysets.isAnyNew(ids)) await beforeClaim();
    const taken = store.keysets.claim(ids);
    const learned = keysets.learned.filter(({ id }) => !taken.includes(id));
    if (learned.length > 0) store.keysets.store(learned);
    if (taken.length > 0) {
      await mint.disown(taken);
      return false;
    }
    foreign = findForeign(keysets);
    onListed(keysets);
    return true;
  };

  const keysets: Mint['keysets'] = async (refresh) => {
    const listed = await mint.keysets(refresh);
    return (await accept(listed)) ? listed : keysets(false);
  };

  const inspect: Mint['inspect'] = async (...parameters) => {
    const inspected = await mint.inspect(...parameters);
    if ('keysets' in inspected) return (await accept(inspected.keysets)) ? inspected : inspect(...parameters);
    const [other] = foreign;
    if (inspected.refusal === 'unknown_keyset' && other?.all) throw otherAddressError(other.mint);
    return inspected;
  };

  return { mint: { ...mint, keysets, inspect }, foreignKeysets: () => foreign };
};
