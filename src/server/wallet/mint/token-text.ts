import { z } from 'zod';
import { bareToken } from '../../../shared/bare-token.ts';
import { readCbor } from '../../../shared/cbor.ts';
import { isJsonObject } from '../../../shared/json-object.ts';
import { TokenError } from './mint.ts';

/** A proof in a token. Its keyset id may be short (NUT-02, version 2). */
export interface TokenProof {
  id: string;
  amount: number;
  secret: string;
  C: string;
  dleq?: { e: string; s: string; r: string } | undefined;
  witness?: string | undefined;
}

/** A decoded token. */
export interface DecodedToken {
  mint: string;
  unit: string;
  memo?: string;
  proofs: TokenProof[];
}

const hex32 = z.string().regex(/^[0-9a-f]{64}$/i);
const amount = z.int().positive();
const tokenProof = z.object({
  // Hex in either version, or the older format of 12 base64 characters.
  id: z
    .string()
    .regex(/^(?:[0-9a-f]{16,128}|[a-z0-9+/]{12})$/i)
    .transform((id) => (id.length === 12 ? id : id.toLowerCase())),
  // Some wallets write amounts as text.
  amount: z.union([
    amount,
    z
      .string()
      .regex(/^\d{1,16}$/)
      .transform(Number)
      .pipe(amount),
  ]),
  // Mints refuse secrets longer than 512 or 1024 characters. SECURITY: half of a surrogate pair has no bytes in UTF-8, so
  // several such texts would be one secret.
  secret: z
    .string()
    .min(1)
    .max(4096)
    .refine((secret) => !/\p{Surrogate}/u.test(secret)),
  // Mints refuse upper case.
  C: z
    .string()
    .regex(/^0[23][0-9a-f]{64}$/i)
    .transform((point) => point.toLowerCase()),
  dleq: z
    .object({
      e: hex32,
      s: hex32,
      r: z
        .string()
        .regex(/^[0-9a-f]{0,64}$/i)
        .optional(),
    })
    // If the blinding factor is missing, only the wallet that it was made for can check the DLEQ proof (NUT-12).
    .transform(({ e, s, r }) => (r !== undefined && /[1-9a-f]/i.test(r) ? { e, s, r } : undefined))
    .optional(),
  witness: z.string().max(16_384).optional(),
});
const decodedToken = z.object({
  mint: z.string().min(1).max(2048),
  unit: z
    .string()
    .min(1)
    .max(32)
    .nullish()
    .transform((unit) => unit ?? 'sat'),
  memo: z.string().nullish(),
  proofs: z.array(tokenProof).min(1),
});

const fields = z.record(z.string(), z.unknown());
const tokenA = z.object({
  token: z.array(z.object({ mint: z.string(), proofs: z.array(fields) })).min(1),
  unit: z.unknown().optional(),
  memo: z.unknown().optional(),
});
const tokenB = z.object({
  m: z.unknown().optional(),
  u: z.unknown().optional(),
  d: z.unknown().optional(),
  t: z.array(z.object({ i: z.unknown().optional(), p: z.array(fields) })),
});

/** Converts a version 3 witness, which may be an object, to the string that mints expect. */
const witnessText = (proof: Record<string, unknown>) =>
  typeof proof.witness === 'object' && proof.witness !== null
    ? { ...proof, witness: JSON.stringify(proof.witness) }
    : proof;

const withoutNulls = (proof: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(proof).filter(([, value]) => value !== null && value !== ''));

const decodeA = (payload: string): unknown => {
  const { token, unit, memo } = tokenA.parse(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')));
  const mints = new Set(token.map((entry) => normalizeMintUrl(entry.mint)));
  if (mints.size > 1) throw new TokenError('wrong_mint', 'several mints');
  return {
    mint: token[0]?.mint,
    unit,
    memo,
    proofs: token.flatMap((entry) => entry.proofs.map((proof) => withoutNulls(witnessText(proof)))),
  };
};

/** Converts a version 4 token's bytes to hex. Leaves anything else unchanged. */
const hexOf = (value: unknown) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value);

const hexFields = (value: unknown) =>
  isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, hexOf(each)]))
    : value;

const decodeB = (payload: string): unknown => {
  const { value, length } = readCbor(Buffer.from(payload, 'base64url'));
  // SECURITY: what follows could be a second token, whose sats would be lost unnoticed.
  if (Math.ceil((length * 4) / 3) !== payload.replace(/=+$/, '').length) throw new TokenError('malformed');
  const { m: mint, u: unit, d: memo, t } = tokenB.parse(value);
  return {
    mint,
    unit,
    memo,
    proofs: t.flatMap(({ i, p }) =>
      p.map(({ a, s, c, d, w }) =>
        withoutNulls(
          witnessText({ id: hexOf(i), amount: a, secret: s, C: hexOf(c), dleq: hexFields(d), witness: w }),
        ),
      ),
    ),
  };
};

/**
 * Returns whether the wallet knows how to check and use a token's keysets (NUT-02): versions 1 and 2, and the older base64
 * ids.
 */
export const hasKnownVersions = ({ proofs }: DecodedToken): boolean =>
  proofs.every(({ id }) => id.length === 12 || /^0[01]/.test(id));

/**
 * Returns the proofs of a payment payload as a version 3 token. A wallet sends this JSON for a payment request (NUT-18).
 * Undefined for other text.
 */
const payloadToken = (text: string): string | undefined => {
  if (!/^\s*\{.*\}\s*$/s.test(text)) return undefined;
  try {
    const { mint, proofs, unit, memo } = JSON.parse(text);
    if (typeof mint !== 'string' || !Array.isArray(proofs)) return undefined;
    const bytes = new TextEncoder().encode(JSON.stringify({ token: [{ mint, proofs }], unit, memo }));
    const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
    return `cashuA${base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')}`;
  } catch {
    return undefined;
  }
};

/** Returns the token in pasted text, without what chats, links and other wallets add. Text without a token counts as one. */
export const pastedToken = (text: string): string => payloadToken(text) ?? bareToken(text);

/**
 * Decodes a version 3 or 4 token (NUT-00) and checks each field.
 *
 * Throws {@link TokenError} `malformed`, even for a duplicate proof, or `wrong_mint` for several mints.
 */
export const decodeToken = (text: string): DecodedToken => {
  try {
    const token = pastedToken(text);
    const payload = token.slice(6);
    // base64url with or without padding. Some wallets use the standard base64 alphabet.
    if (!/^[A-Za-z0-9_+/-]+={0,2}$/.test(payload)) throw new TokenError('malformed');
    const version = token.slice(0, 6);
    const raw = version === 'cashuA' ? decodeA(payload) : version === 'cashuB' ? decodeB(payload) : undefined;
    const { memo, ...rest } = decodedToken.parse(raw);
    const amount = rest.proofs.reduce((sum, proof) => sum + proof.amount, 0);
    const secrets = new Set(rest.proofs.map(({ secret }) => secret));
    if (!Number.isSafeInteger(amount) || secrets.size < rest.proofs.length) throw new TokenError('malformed');
    return memo ? { ...rest, memo } : rest;
  } catch (error) {
    throw error instanceof TokenError ? error : new TokenError('malformed');
  }
};

/**
 * Normalizes a mint's URL. Ignores the case of scheme and host, the default port and trailing slashes. Returns text
 * that isn't a URL unchanged.
 */
export const normalizeMintUrl = (url: string): string =>
  URL.canParse(url) ? new URL(url).href.replace(/\/+$/, '') : url;
