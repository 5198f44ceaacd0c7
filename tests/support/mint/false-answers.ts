import type { Fault } from './faults.ts';
import { parsePoint, signPoint } from './keyset.ts';
import type { KeysetList } from './keyset-list.ts';
import type { ProofState, WireOutput, WireSignature } from './protocol.ts';

interface SignedAnswer {
  signatures?: WireSignature[];
  outputs?: WireOutput[];
  change?: WireSignature[];
}

const otherDigit = (hex: string): string => hex.slice(0, -1) + (hex.endsWith('1') ? '2' : '1');

/** Signs with the key of another amount than the mint did. */
const signFalsely = (
  keysets: KeysetList,
  { id, amount }: WireSignature,
  blinded: string,
  forAmount: number,
) => {
  const { keys } = keysets.any(id);
  const other = keys.get(amount === 1 ? 2 : amount / 2);
  const point = parsePoint(blinded);
  if (!other || !point) throw new Error(`cannot sign falsely for ${amount}`);
  const { point: C_, dleq } = signPoint(other, point);
  return { amount: forAmount, id, C_, dleq };
};

const falsify = (
  keysets: KeysetList,
  fault: Fault,
  signature: WireSignature,
  blinded: string | undefined,
): WireSignature => {
  const { dleq, ...plain } = signature;
  if (fault.kind === 'no-dleq') return plain;
  if (fault.kind === 'dleq') return dleq ? { ...plain, dleq: { ...dleq, s: otherDigit(dleq.s) } } : plain;
  if (blinded === undefined) return signature;
  const { amount } = signature;
  if (fault.kind === 'amounts')
    return signFalsely(keysets, signature, blinded, amount === 1 ? 2 : amount / 2);
  if (fault.kind === 'signatures') {
    const { dleq: ofOther, ...rest } = signFalsely(keysets, signature, blinded, amount);
    return fault.dleq ? { ...rest, dleq: ofOther } : rest;
  }
  return signature;
};

/** The parts of the mint that false answers need. */
export interface FalseAnswerDeps {
  keysets: KeysetList;
  random: () => number;
  /** Seconds since the mint signed an output, by its clock. */
  ageOf: (b: string) => number;
  /** Notes that the mint lies about a proof. Returns false if it did so before. */
  addLie: (y: string) => boolean;
}

/** Claims that some unspent proofs are spent, each only once by default. */
const saySpent = (
  { random, addLie }: FalseAnswerDeps,
  { share, again = false }: Extract<Fault, { kind: 'says-spent' }>,
  text: string,
): string => {
  const answer = JSON.parse(text) as { states: { Y: string; state: ProofState }[] };
  const states = answer.states.map((one) => {
    const isChosen = one.state === 'UNSPENT' && random() < share;
    return isChosen && (addLie(one.Y) || again) ? { ...one, state: 'SPENT' } : one;
  });
  return JSON.stringify({ ...answer, states });
};

/** Falsifies an answer as a fault asks. `request` is the request's body. */
export const falsifyAnswer = (
  deps: FalseAnswerDeps,
  fault: Fault,
  text: string,
  request: unknown,
): string => {
  if (fault.kind === 'says-spent') return saySpent(deps, fault, text);
  const { keysets, random, ageOf } = deps;
  const answer = JSON.parse(text) as SignedAnswer;
  if (fault.kind === 'signs-all') {
    const { amount } = fault;
    const asked = (request as { outputs: WireOutput[] }).outputs.map((output) => ({ ...output, amount }));
    return JSON.stringify({
      outputs: asked,
      signatures: asked.map(({ id, B_ }) => {
        const key = keysets.any(id).keys.get(amount);
        const blinded = parsePoint(B_);
        if (!key || !blinded) throw new Error(`cannot sign for ${amount}`);
        const { point: C_, dleq } = signPoint(key, blinded);
        return { amount, id, C_, dleq };
      }),
    });
  }
  const outputs = answer.outputs ?? (request as { outputs?: WireOutput[] }).outputs ?? [];
  if (fault.kind === 'partial' || fault.kind === 'lag') {
    const chosen = outputs.map(({ B_ }, at) => {
      if (fault.kind === 'lag') return ageOf(B_) >= fault.seconds;
      return fault.keep === 'random' ? random() < 0.5 : at < fault.keep;
    });
    const isKept = (_: unknown, at: number) => chosen[at];
    return JSON.stringify({
      ...answer,
      ...(answer.signatures && { signatures: answer.signatures.filter(isKept) }),
      ...(answer.outputs && { outputs: answer.outputs.filter(isKept) }),
    });
  }
  const change = (list: WireSignature[]) =>
    list.map((signature, at) => falsify(keysets, fault, signature, outputs[at]?.B_));
  return JSON.stringify({
    ...answer,
    ...(answer.signatures && { signatures: change(answer.signatures) }),
    ...(answer.change && { change: change(answer.change) }),
  });
};
