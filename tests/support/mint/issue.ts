import { randomBytes } from 'node:crypto';
import { Amount, createP2PKsecret, getDecodedToken, getEncodedToken, type Proof } from '@cashu/cashu-ts';
import { isSigned, type Keyset, type Point, parsePoint, pointOfSecret, proveDleq } from './keyset.ts';
import type { KeysetList } from './keyset-list.ts';
import type { ProofState } from './protocol.ts';
import type { MintStore } from './store.ts';

/** The options of a new token. */
export interface IssueOptions {
  /** `cashuA` (JSON) or `cashuB` (CBOR, short keyset ids). Default B. */
  version?: 'A' | 'B';
  memo?: string;
  /** Default `sat`. */
  unit?: string;
  /** The keysets to use in turn, inactive ones too. Default: the newest active one of the unit. */
  keysetIds?: string[];
  keysetId?: string;
  /** The number of proofs. Default: as few as possible. */
  proofCount?: number;
  /** The amounts of the proofs, powers of two. Default: by `proofCount`. */
  split?: number[];
  /** Lock to this public key (NUT-11), with these tags. */
  p2pk?: string;
  p2pkTags?: string[][];
  withoutDleq?: boolean;
  /** DLEQ proofs that don't fit. The signatures are good. */
  badDleq?: boolean;
  /** How many proofs (true: all) the mint never signed. They don't count as issued, and carry no DLEQ. */
  forged?: boolean | number;
  /** The mint to name in the token. Default: the mint's own URL. */
  mintUrl?: string;
}

/** Splits an amount into powers of two: as few as possible, or exactly `count`. */
export const splitAmount = (amount: number, count?: number): number[] => {
  const counts = new Map<number, number>();
  let have = 0;
  for (let power = 2 ** 31; power >= 1; power /= 2) {
    const times = power === 2 ** 31 ? Math.floor(amount / power) : Math.floor(amount / power) % 2;
    counts.set(power, times);
    have += times;
  }
  if (count !== undefined && (count < have || count > amount)) {
    throw new Error(`${amount} cannot be ${count} powers of two`);
  }
  for (let power = 2 ** 31; count !== undefined && have < count; power /= 2) {
    const halved = Math.min(counts.get(power) ?? 0, count - have);
    counts.set(power, (counts.get(power) ?? 0) - halved);
    counts.set(power / 2, (counts.get(power / 2) ?? 0) + 2 * halved);
    have += halved;
  }
  return [...counts].flatMap(([power, times]) => Array<number>(times).fill(power)).reverse();
};

const encodeA = (mint: string, unit: string, memo: string | undefined, proofs: Proof[]): string => {
  const plain = proofs.map((proof) => ({ ...proof, amount: proof.amount.toNumber() }));
  const token = { token: [{ mint, proofs: plain }], unit, ...(memo === undefined ? {} : { memo }) };
  return `cashuA${Buffer.from(JSON.stringify(token)).toString('base64url')}`;
};

const randomScalar = () => BigInt(`0x${randomBytes(8).toString('hex')}`) + 1n;

/** Creates tokens and reports their state, directly at the store. */
export const createIssuer = (store: MintStore, keysets: KeysetList, mintUrl: () => string) => {
  const makeProof = (
    keyset: Keyset,
    amount: number,
    secret: string,
    blinding: (keyset: Keyset, amount: number) => { r: bigint; shift: Point },
    { withoutDleq = false, badDleq = false }: IssueOptions,
  ): Proof => {
    const key = keyset.keys.get(amount);
    if (!key) throw new Error(`no key for ${amount}`);
    const point = pointOfSecret(secret).multiplyUnsafe(key.scalar);
    const proof = { id: keyset.id, amount: Amount.from(amount), secret, C: point.toHex(true) };
    if (withoutDleq) return proof;
    const { r, shift } = blinding(keyset, amount);
    const dleq = proveDleq(key, point.add(shift).toHex(false));
    const s = badDleq ? dleq.s.replace(/.$/, (last) => (last === '1' ? '2' : '1')) : dleq.s;
    return { ...proof, dleq: { ...dleq, s, r: r.toString(16).padStart(64, '0') } };
  };

  const forge = (keyset: Keyset, amount: number): Proof => ({
    id: keyset.id,
    amount: Amount.from(amount),
    secret: randomBytes(32).toString('hex'),
    C: pointOfSecret(randomBytes(32).toString('hex')).toHex(true),
  });

  const issue = (amount: number, options: IssueOptions = {}): string => {
    const {
      unit = 'sat',
      version = 'B',
      memo,
      keysetId,
      p2pk,
      forged = 0,
      mintUrl: mint = mintUrl(),
    } = options;
    const ids = options.keysetIds ?? [keysetId ?? keysets.newest(unit).id];
    const ofToken = ids.map((id) => keysets.any(id));
    const amounts = options.split ?? splitAmount(amount, options.proofCount);
    const sum = amounts.reduce((total, one) => total + one, 0);
    if (sum !== amount) throw new Error(`the split adds up to ${sum}, not to ${amount}`);
    const forgedCount = forged === true ? amounts.length : Number(forged);

    // One blinding factor for the whole token, so that each key needs one point instead of each proof.
    const r = randomScalar();
    const shifts = new Map<string, { r: bigint; shift: Point }>();
    const blinding = (keyset: Keyset, of: number) => {
      const name = `${keyset.id}/${of}`;
      const known = shifts.get(name);
      if (known) return known;
      const point = keyset.keys.get(of)?.point;
      if (!point) throw new Error(`no key for ${of}`);
      const made = { r, shift: point.multiplyUnsafe(r) };
      shifts.set(name, made);
      return made;
    };

    const proofs = amounts.map((one, at) => {
      const keyset = ofToken[at % ofToken.length];
      if (!keyset || keyset.unit !== unit) throw new Error(`not a keyset of unit ${unit}`);
      if (at < forgedCount) return forge(keyset, one);
      const secret = p2pk ? createP2PKsecret(p2pk, options.p2pkTags) : randomBytes(32).toString('hex');
      return makeProof(keyset, one, secret, blinding, options);
    });
    const issued = amounts.slice(forgedCount).reduce((total, one) => total + one, 0);
    store.commit({ unit, totals: { issued }, given: issued });
    if (version === 'A') return encodeA(mint, unit, memo, proofs);
    return getEncodedToken({ mint, unit, proofs, ...(memo === undefined ? {} : { memo }) });
  };

  const proofsOf = (token: string): Proof[] =>
    getDecodedToken(
      token,
      keysets.all().map(({ id }) => id),
    ).proofs;

  const ysOf = (token: string): string[] =>
    proofsOf(token).map(({ secret }) => pointOfSecret(secret).toHex(true));

  /** The proofs of tokens that this mint signed and that aren't spent. Pending ones aren't spent. */
  const unspentProofs = (tokens: string[]): { y: string; amount: number; unit: string }[] => {
    const found = new Map<string, { amount: number; unit: string }>();
    for (const { id, secret, C, amount } of tokens.flatMap(proofsOf)) {
      const value = amount.toNumber();
      const { keys, unit } = keysets.any(id);
      const key = keys.get(value);
      const point = pointOfSecret(secret);
      const y = point.toHex(true);
      const signature = parsePoint(C);
      if (!key || !signature || !isSigned(key, point, signature)) continue;
      if (store.state(y).state !== 'SPENT') found.set(y, { amount: value, unit });
    }
    return [...found].map(([y, proof]) => ({ y, ...proof }));
  };

  return {
    issue,
    yOf: (secret: string): string => pointOfSecret(secret).toHex(true),
    ysOf,
    /** The value of the tokens' unspent proofs. Each proof counts once. */
    unspent: (tokens: string[]): number =>
      unspentProofs(tokens).reduce((total, { amount }) => total + amount, 0),
    states: (token: string): ProofState[] => ysOf(token).map((y) => store.state(y).state),
    /** Spends the unspent proofs of tokens, as if someone else had redeemed and melted them. */
    spend: (tokens: string[]) => {
      for (const [unit, spend] of Map.groupBy(unspentProofs(tokens), (proof) => proof.unit)) {
        store.commit({
          unit,
          spend,
          totals: { melted: spend.reduce((total, { amount }) => total + amount, 0) },
        });
      }
    },
  };
};

export type Issuer = ReturnType<typeof createIssuer>;
