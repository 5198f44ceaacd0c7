import type { KeysetKeys, Keysets, Output, Proof, ProofState } from '../../../src/server/wallet/mint/mint.ts';
import { MintError } from '../../../src/server/wallet/mint/mint.ts';
import {
  DECISION_TIMES,
  type Earlier,
  type Evidence,
  failedResponse,
  type Response,
  type SwapExchange,
} from '../../../src/server/wallet/operations/decide.ts';

/** Everything that the wallet can know about a swap, in classes with the names of the table in swap.txt. */

export const NOW_MS = Date.parse('2026-03-01T12:00:00Z');
const FEE = 1;
/** What the wallet lets the mint take of its own proofs. */
const FEE_MAX = 2;
const SENT = 32;

const proof = (y: string, amount: number): Proof => ({ id: 'k1', amount, secret: y, C: y, y });
const output = (amount: number): Output => ({
  blindedMessage: { amount: String(amount), B_: `b${amount}`, id: 'k1' },
  blindingFactor: '',
  secret: `s${amount}`,
});

const INPUTS = [proof('a', 32), proof('b', 16), proof('c', 8)];
const KEPT_OF_SWAP = [32, 16, 4, 2, 1].map(output);
const KEPT_OF_SEND = [16, 4, 2, 1].map(output);

const refusal = (mintCode: number | undefined, more: Partial<MintError['details']> = {}) =>
  failedResponse(
    new MintError('refused', 'No.', {
      status: 400,
      ...(mintCode === undefined ? {} : { mintCode }),
      ...more,
    }),
  );

const ANSWERS: Readonly<Record<string, Response>> = {
  done: { kind: 'done', result: { keep: [], send: [] } },
  unreachable: failedResponse(new MintError('unreachable', 'The mint is away.')),
  unprepared: failedResponse(
    new MintError('limited', 'The mint is limiting requests.', { retryAfterMs: 60_000, isUnsent: true }),
  ),
  limited: failedResponse(
    new MintError('limited', 'The mint is limiting requests.', { retryAfterMs: 60_000 }),
  ),
  unanswered: failedResponse(new MintError('unanswered', 'The mint returned HTTP 500.')),
  invalid: failedResponse(new MintError('invalid', 'The mint sent something else.')),
  proofs: refusal(10_001),
  outputs: refusal(11_003),
  stale: refusal(11_002),
  size: refusal(undefined, { limit: { what: 'inputs', most: undefined } }),
  'size-coded': refusal(11_014, { limit: { what: 'inputs', most: 2 } }),
  other: refusal(undefined),
  general: refusal(11_000),
  'other-coded': refusal(11_005),
};

const PROOFS: Readonly<Record<string, { isOwn: boolean; isSend: boolean; isRandom?: boolean }>> = {
  swap: { isOwn: true, isSend: false },
  send: { isOwn: true, isSend: true },
  token: { isOwn: false, isSend: false },
  'token-send': { isOwn: false, isSend: true },
  'token-random': { isOwn: false, isSend: false, isRandom: true },
};

const STATES: Readonly<Record<string, readonly ProofState[]>> = {
  unspent: ['UNSPENT', 'UNSPENT', 'UNSPENT'],
  pending: ['UNSPENT', 'PENDING', 'UNSPENT'],
  'some-spent': ['SPENT', 'UNSPENT', 'UNSPENT'],
  mixed: ['SPENT', 'PENDING', 'UNSPENT'],
  'all-spent': ['SPENT', 'SPENT', 'SPENT'],
};

const AGAIN = ['unspent', 'pending', 'some-spent'];

const SIGNED: Readonly<Record<string, (amounts: readonly number[]) => (Proof | null)[]>> = {
  none: (amounts) => amounts.map(() => null),
  some: (amounts) => amounts.map((amount, index) => (index === 0 ? proof('signed', amount) : null)),
  'wrong-amounts': (amounts) => amounts.map((amount) => proof('signed', 2 * amount)),
  all: (amounts) => amounts.map((amount) => proof('signed', amount)),
};

const keyset = (id: string, active: boolean, inputFeePpk: number): KeysetKeys => ({
  id,
  active,
  inputFeePpk,
  keys: {},
});
const listed = (all: KeysetKeys[], id: string | undefined): Keysets => ({
  all,
  output: id === undefined ? undefined : { id, amounts: [32, 16, 8, 4, 2, 1] },
  learned: [],
});

const KEYSETS: Readonly<Record<string, Keysets>> = {
  current: listed([keyset('k1', true, 100)], 'k1'),
  rotated: listed([keyset('k1', false, 100), keyset('k2', true, 900)], 'k2'),
  dearer: listed([keyset('k1', true, 1000)], 'k1'),
  beyond: listed([keyset('k1', true, 20_000)], 'k1'),
  unlisted: listed([keyset('k2', true, 100)], 'k2'),
  inactive: listed([keyset('k1', false, 100)], undefined),
};

const CREATED_AT: Readonly<Record<string, number>> = {
  young: NOW_MS - DECISION_TIMES.partKeptMs + 1,
  old: NOW_MS - DECISION_TIMES.partKeptMs,
};

/** Since when the swap looks finished. */
const SINCE: Readonly<Record<string, number | undefined>> = {
  never: undefined,
  lately: NOW_MS - DECISION_TIMES.confirmAfterMs + 1,
  seconds: NOW_MS - DECISION_TIMES.confirmAfterMs,
  more: NOW_MS - DECISION_TIMES.giveUpPendingAfterMs,
  long: NOW_MS - DECISION_TIMES.confirmSilentAfterMs,
};

const EARLIER: Readonly<Record<string, Earlier>> = { '': 'none', '-': 'refused', '+': 'unanswered' };

/** The classes of each column of the table. An answer with - or + comes after an earlier request. */
export const COLUMNS = {
  answer: Object.keys(ANSWERS).flatMap((name) => Object.keys(EARLIER).map((sign) => `${name}${sign}`)),
  proofs: Object.keys(PROOFS),
  inputs: Object.keys(STATES),
  signed: Object.keys(SIGNED),
  again: AGAIN,
  keysets: Object.keys(KEYSETS),
  age: Object.keys(CREATED_AT),
} as const;

export type Column = keyof typeof COLUMNS;

/** One class of each column, and since when the swap looks finished. */
export type SwapCase = Record<Column, string> & { since: string };

/** Every combination of the classes. */
export function* allCases(): Generator<SwapCase> {
  for (const answer of COLUMNS.answer)
    for (const proofs of COLUMNS.proofs)
      for (const inputs of COLUMNS.inputs)
        for (const signed of COLUMNS.signed)
          for (const again of COLUMNS.again)
            for (const keysets of COLUMNS.keysets)
              for (const age of COLUMNS.age)
                for (const since of Object.keys(SINCE))
                  yield { answer, proofs, inputs, signed, again, keysets, age, since };
}

const known = <T>(classes: Readonly<Record<string, T>>, name: string): T => {
  if (!(name in classes)) throw new Error(`no class ${name}`);
  // A class may be undefined itself.
  return classes[name] as T;
};

/** The swap of a combination. */
export const exchangeOf = ({ answer, proofs, age, since }: SwapCase): SwapExchange => {
  const { isOwn, isSend, isRandom = false } = known(PROOFS, proofs);
  const keep = isSend ? KEPT_OF_SEND : KEPT_OF_SWAP;
  return {
    endpoint: 'swap',
    keysetId: 'k1',
    inputs: INPUTS,
    keep,
    ...(isRandom ? {} : { counters: { start: 0, count: keep.length } }),
    send: isSend ? [output(SENT)] : [],
    fee: FEE,
    ...(isOwn ? { feeMax: FEE_MAX } : {}),
    isOwn,
    earlier: known(EARLIER, /[+-]?$/.exec(answer)?.[0] ?? ''),
    createdAt: known(CREATED_AT, age),
    looksFinishedSince: known(SINCE, since),
  };
};

/** All evidence of a combination, also what a decision doesn't ask for. */
export const evidenceOf = (each: SwapCase): Required<Omit<Evidence, 'unread'>> => {
  const { keep, send } = exchangeOf(each);
  const amounts = [...keep, ...send].map(({ blindedMessage }) => Number(blindedMessage.amount));
  return {
    now: NOW_MS,
    response: known(ANSWERS, each.answer.replace(/[+-]$/, '')),
    inputs: known(STATES, each.inputs),
    signed: known(SIGNED, each.signed)(amounts),
    inputsAgain: known(STATES, each.again),
    keysets: known(KEYSETS, each.keysets),
  };
};
