import { z } from 'zod';
import { bareToken } from '../../../shared/bare-token.ts';
import { contentLength } from '../../../shared/token-length.ts';
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

/** Decodes the binary format of a version 4 token (NUT-00), as cashu-ts does. */
type DecodeBinary = (bytes: Uint8Array) => {
  mint: string;
  unit: string;
  memo?: string;
  proofs: Record<string, unknown>[];
};

const hex32 = z.string().regex(/^[0-9a-f]{64}$/i);
const tokenProof = z.object({
  // Hex in either version, or the older format of 12 base64 characters.
  id: z.string().regex(/^(?:[0-9a-f]{16,66}|[A-Za-z0-9+/]{12})$/),
  amount: z.int().positive(),
  // Mints refuse secrets longer than 512 or 1024 characters.
  secret: z.string().min(1).max(4096),
  C: z.string().regex(/^0[23][0-9a-f]{64}$/i),
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
  unit: z.string().min(1).max(32),
  memo: z.string().optional(),
  proofs: z.array(tokenProof).min(1),
});

const tokenA = z.object({
  token: z.array(z.object({ mint: z.string(), proofs: z.array(z.record(z.string(), z.unknown())) })).min(1),
  unit: z.string().optional(),
  memo: z.string().optional(),
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
    unit: unit ?? 'sat',
    memo,
    proofs: token.flatMap((entry) => entry.proofs.map((proof) => withoutNulls(witnessText(proof)))),
  };
};

const decodeB = (payload: string, decodeBinary: DecodeBinary): unknown => {
  // SECURITY: the decoder ignores what follows, such as a second token, whose sats would be lost unnoticed.
  if (contentLength('B', payload) !== payload.replace(/=+$/, '').length) throw new TokenError('malformed');
  const raw = decodeBinary(Buffer.concat([Buffer.from('crawB'), Buffer.from(payload, 'base64url')]));
  return { ...raw, proofs: raw.proofs.map(withoutNulls) };
};

/**
 * Decodes a version 3 or 4 token (NUT-00) and checks each field.
 *
 * Throws {@link TokenError} `malformed`, even for a duplicate proof, or `wrong_mint` for several mints.
 */
export const decodeToken = (text: string, decodeBinary: DecodeBinary): DecodedToken => {
  try {
    const token = bareToken(text);
    const payload = token.slice(6);
    // base64url with or without padding. Some wallets use the standard base64 alphabet.
    if (!/^[A-Za-z0-9_+/-]+={0,2}$/.test(payload)) throw new TokenError('malformed');
    const version = token.slice(0, 6);
    const raw =
      version === 'cashuA'
        ? decodeA(payload)
        : version === 'cashuB'
          ? decodeB(payload, decodeBinary)
          : undefined;
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
