/** A refusal of the mint, as sent over the wire: HTTP 400 with `{ code, detail }` (NUT-00, "Errors"). */
export class MintError extends Error {
  readonly code: number;
  readonly status: number;
  /** The answer as JSON. */
  readonly body: object;

  constructor(code: number, detail: string, status = 400, body: object = { code, detail }) {
    super(detail);
    this.name = 'MintError';
    this.code = code;
    this.status = status;
    this.body = body;
  }
}

/** The codes of NUT `error_codes.md` (July 2026) that this mint uses. */
export const CODES = {
  proofInvalid: 10001,
  alreadySpent: 11001,
  pending: 11002,
  outputsSigned: 11003,
  outputsPending: 11004,
  notBalanced: 11005,
  amountOutOfRange: 11006,
  duplicateInputs: 11007,
  duplicateOutputs: 11008,
  severalUnits: 11009,
  otherUnit: 11010,
  amountless: 11011,
  unitUnknown: 11013,
  tooManyInputs: 11014,
  tooManyOutputs: 11015,
  keysetUnknown: 12001,
  keysetInactive: 12002,
  keysetExpired: 12003,
  alreadyIssued: 20002,
  alreadyPaid: 20006,
} as const;

/** A proof as a client sends it (NUT-00). */
export interface WireProof {
  amount: number;
  id: string;
  secret: string;
  C: string;
  witness?: string;
}

/** A blinded message (NUT-00). */
export interface WireOutput {
  amount: number;
  id: string;
  B_: string;
}

/** A blind signature with its DLEQ proof (NUT-00, NUT-12). */
export interface WireSignature {
  amount: number;
  id: string;
  C_: string;
  dleq?: { e: string; s: string };
}

/** The state of a proof (NUT-07). */
export type ProofState = 'UNSPENT' | 'PENDING' | 'SPENT';

const POINT = /^0[23][0-9a-f]{64}$/;
/** The same as in Nutshell. */
const MAX_SECRET_LENGTH = 1024;

const malformed = (what: string): MintError => new MintError(0, `malformed request: ${what}`, 422);

/** Reads a body as an object. Refuses anything else. */
export const readObject = (value: unknown, what = 'body'): Record<string, unknown> => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed(what);
  return value as Record<string, unknown>;
};

/** Reads a list. `requireShort` checks its length. */
export const readList = (value: unknown, what: string): unknown[] => {
  if (!Array.isArray(value)) throw malformed(what);
  return value;
};

export const readText = (value: unknown, what: string): string => {
  if (typeof value !== 'string' || value === '') throw malformed(what);
  return value;
};

/** Reads a compressed point in lowercase hexadecimal. Later use shows whether it is on the curve. */
export const readPoint = (value: unknown, what: string): string => {
  if (typeof value !== 'string' || !POINT.test(value)) throw malformed(what);
  return value;
};

export const readAmount = (value: unknown): number => {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw malformed('amount');
  return value;
};

export const readProof = (value: unknown): WireProof => {
  const { amount, id, secret, C, witness } = readObject(value, 'input');
  if (witness !== undefined && witness !== null && typeof witness !== 'string') throw malformed('witness');
  const text = readText(secret, 'secret');
  if (text.length > MAX_SECRET_LENGTH) throw new MintError(CODES.proofInvalid, 'secret too long');
  return {
    amount: readAmount(amount),
    id: readText(id, 'id'),
    secret: text,
    C: readPoint(C, 'C'),
    ...(typeof witness === 'string' ? { witness } : {}),
  };
};

export const readOutput = (value: unknown): WireOutput => {
  const { amount, id, B_ } = readObject(value, 'output');
  return { amount: readAmount(amount), id: readText(id, 'id'), B_: readPoint(B_, 'B_') };
};
