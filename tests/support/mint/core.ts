import { Amount, getSecretKind, isHTLCSpendAuthorised, isP2PKSpendAuthorised } from '@cashu/cashu-ts';
import { isSigned, type Keyset, parsePoint, pointOfSecret, signPoint } from './keyset.ts';
import type { KeysetList } from './keyset-list.ts';
import { type Limits, requireShort } from './limits.ts';
import {
  CODES,
  MintError,
  type ProofState,
  readList,
  readObject,
  readOutput,
  readPoint,
  readProof,
  type WireOutput,
  type WireProof,
  type WireSignature,
} from './protocol.ts';
import type { Change, MintStore } from './store.ts';

/** Inputs that are known, signed and unlocked. */
export interface CheckedInputs {
  unit: string;
  sum: number;
  /** Input fee (NUT-02). */
  fee: number;
  ys: string[];
  spend: NonNullable<Change['spend']>;
}

const sumOf = (items: { amount: number }[]): number => items.reduce((sum, { amount }) => sum + amount, 0);

const requireDistinct = (values: string[], code: number, what: string) => {
  if (new Set(values).size !== values.length) throw new MintError(code, `Duplicate ${what} provided`);
};

const isUnlocked = (proof: WireProof): boolean => {
  let kind: string;
  try {
    kind = getSecretKind(proof.secret);
  } catch {
    return true;
  }
  if (kind !== 'P2PK' && kind !== 'HTLC') return true;
  const forCheck = { ...proof, amount: Amount.from(proof.amount) };
  try {
    // Without the message of SIG_ALL, both refuse such proofs. This mint supports only SIG_INPUTS.
    return kind === 'P2PK' ? isP2PKSpendAuthorised(forCheck) : isHTLCSpendAuthorised(forCheck);
  } catch {
    return false;
  }
};

/**
 * The mint without its transport: NUT-03, 07, 09 and the shared parts of minting and melting. Everything is
 * synchronous.
 *
 * It checks in the order of cdk: signatures of inputs, outputs and their sum, spent inputs, outputs that are
 * already signed. Nutshell checks spent inputs before any outputs.
 */
export const createCore = (store: MintStore, keysets: KeysetList, limits: Limits, now: () => number) => {
  const signingKey = (keyset: Keyset, amount: number) => {
    const key = keyset.keys.get(amount);
    if (!key) throw new MintError(CODES.proofInvalid, `No key for amount ${amount} in keyset ${keyset.id}`);
    return key;
  };

  const checkProof = (proof: WireProof, keyset: Keyset): string => {
    const y = pointOfSecret(proof.secret);
    const signature = parsePoint(proof.C);
    if (!signature || !isSigned(signingKey(keyset, proof.amount), y, signature)) {
      throw new MintError(CODES.proofInvalid, 'Proof could not be verified');
    }
    if (!isUnlocked(proof)) throw new MintError(CODES.proofInvalid, 'Witness is missing or invalid');
    return y.toHex(true);
  };

  const requireUnspent = (ys: string[]) => {
    const states = ys.map((y) => store.state(y).state);
    if (states.includes('SPENT')) throw new MintError(CODES.alreadySpent, 'Token is already spent');
    if (states.includes('PENDING')) throw new MintError(CODES.pending, 'proofs are pending');
  };

  /** Checks the shape, keysets and sums of inputs, which costs no point multiplication. */
  const readInputs = (value: unknown) => {
    const inputs = readList(value, 'inputs').map(readProof);
    if (inputs.length === 0) throw new MintError(CODES.notBalanced, 'No inputs provided');
    requireDistinct(
      inputs.map(({ secret }) => secret),
      CODES.duplicateInputs,
      'inputs',
    );
    const ofInputs = inputs.map(({ id }) => keysets.usable(id));
    const [first] = ofInputs;
    if (!first || ofInputs.some(({ unit }) => unit !== first.unit)) {
      throw new MintError(CODES.severalUnits, 'Inputs are of several units');
    }
    const ppk = ofInputs.reduce((sum, { inputFeePpk }) => sum + inputFeePpk, 0);
    return { inputs, ofInputs, unit: first.unit, sum: sumOf(inputs), fee: Math.ceil(ppk / 1000) };
  };

  /** Verifies the signatures and witnesses of the inputs from `readInputs`. */
  const verifySignatures = ({ inputs, ofInputs, ...read }: ReturnType<typeof readInputs>): CheckedInputs => {
    const ys = inputs.map((proof, at) => checkProof(proof, ofInputs[at] ?? keysets.usable(proof.id)));
    const spend = inputs.map(({ amount, witness }, at) => ({ y: ys[at] ?? '', amount, witness }));
    return { ...read, ys, spend };
  };

  /** Checks that outputs are of a keyset that signs, in this unit. Blank ones (NUT-08) have no amount. */
  const readOutputs = (value: unknown, unit: string, blank = false): WireOutput[] => {
    const outputs = readList(value, 'outputs').map(readOutput);
    requireDistinct(
      outputs.map(({ B_ }) => B_),
      CODES.duplicateOutputs,
      'outputs',
    );
    for (const { id, amount } of outputs) {
      const keyset = keysets.signing(id);
      if (keyset.unit !== unit) throw new MintError(CODES.otherUnit, 'Outputs are of another unit');
      if (!blank) signingKey(keyset, amount);
    }
    return outputs;
  };

  const requireUnsigned = (outputs: WireOutput[]) => {
    if (outputs.some(({ B_ }) => store.isOutputSigned(B_))) {
      throw new MintError(CODES.outputsSigned, 'Blinded message of output already signed');
    }
    if (outputs.some(({ B_ }) => store.isOutputPending(B_))) {
      throw new MintError(CODES.outputsPending, 'Outputs are pending');
    }
  };

  const sign = (outputs: WireOutput[]) =>
    outputs.map(({ amount, id, B_ }) => {
      const blinded = parsePoint(B_);
      if (!blinded) throw new MintError(CODES.proofInvalid, 'Blinded message is not a point');
      const { point, dleq } = signPoint(signingKey(keysets.signing(id), amount), blinded);
      return { b: B_, signature: { amount, id, C_: point, dleq } satisfies WireSignature };
    });

  const swap = (body: unknown, answerKey?: string): string => {
    const request = readObject(body);
    requireShort(limits, request, ['inputs', 'outputs']);
    const { inputs, outputs } = request;
    const read = verifySignatures(readInputs(inputs));
    const wanted = readOutputs(outputs, read.unit);
    if (wanted.length === 0 || read.sum - read.fee !== sumOf(wanted)) {
      const sums = `${read.sum} in, ${read.fee} fee, ${sumOf(wanted)} out`;
      throw new MintError(CODES.notBalanced, `Transaction is not balanced: ${sums}`);
    }
    const { spend, fee, unit, ys } = read;
    requireUnspent(ys);
    requireUnsigned(wanted);
    const signed = sign(wanted);
    const text = JSON.stringify({ signatures: signed.map(({ signature }) => signature) });
    const answer = answerKey === undefined ? {} : { answer: { key: answerKey, body: text } };
    store.commit({ unit, spend, sign: signed, signedAt: now(), totals: { fees: fee }, ...answer });
    return text;
  };

  const checkState = (body: unknown) => {
    const request = readObject(body);
    requireShort(limits, request, ['Ys']);
    const ys = readList(request.Ys, 'Ys');
    return {
      states: ys.map((value) => {
        const y = readPoint(value, 'Y');
        return { Y: y, ...store.state(y) } satisfies { Y: string; state: ProofState; witness: string | null };
      }),
    };
  };

  const restore = (body: unknown) => {
    const request = readObject(body);
    requireShort(limits, request, ['restore']);
    const asked = readList(request.outputs, 'outputs').map(readOutput);
    const found = asked.flatMap((output) => {
      const signature = store.signature(output.B_);
      return signature ? [{ output: { ...output, amount: signature.amount }, signature }] : [];
    });
    return {
      outputs: found.map(({ output }) => output),
      signatures: found.map(({ signature }) => signature),
    };
  };

  return {
    swap,
    checkState,
    restore,
    readInputs,
    verifySignatures,
    requireUnspent,
    readOutputs,
    requireUnsigned,
    sign,
    sumOf,
  };
};

export type Core = ReturnType<typeof createCore>;
