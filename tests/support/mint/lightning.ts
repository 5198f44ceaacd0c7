import { createHash, randomBytes } from 'node:crypto';
import type { Core } from './core.ts';
import { type Limits, requireShort } from './limits.ts';
import {
  CODES,
  MintError,
  readAmount,
  readObject,
  readText,
  type WireOutput,
  type WireSignature,
} from './protocol.ts';
import type { MintStore, QuoteRow } from './store.ts';

const EXPIRY_SECONDS = 3600;
const BECH32 = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
/** The multipliers of BOLT 11, in sats, without picosats, which would need more care than a fake needs. */
const SATS_PER = { '': 100_000_000, m: 100_000, u: 100, n: 0.1 };
const INVOICE = /^lnbc(\d+)([mun]?)1[a-z0-9]+$/;

/** An invoice for `sats` with only the amount of a real one (BOLT 11, human-readable part). */
export const makeInvoice = (sats: number): string =>
  `lnbc${sats * 10}n1${Array.from(randomBytes(52), (byte) => BECH32[byte % 32]).join('')}`;

const readInvoice = (request: string): number => {
  const found = INVOICE.exec(request);
  if (!found) throw new MintError(CODES.amountless, 'Amountless invoice is not supported');
  return Math.ceil(Number(found[1]) * SATS_PER[found[2] as keyof typeof SATS_PER]);
};

const powersOf = (amount: number): number[] =>
  Array.from({ length: 32 }, (_, power) => 2 ** power).filter(
    (value) => Math.floor(amount / value) % 2 === 1,
  );

/** Minting and melting (NUT-04, NUT-05, NUT-08, NUT-23) over a Lightning that pays all at once, for free. */
export const createLightning = (
  store: MintStore,
  core: Core,
  limits: Limits,
  units: () => string[],
  now: () => number,
) => {
  const makeQuote = (kind: QuoteRow['kind'], unit: unknown, amount: number, request: string): QuoteRow => {
    if (typeof unit !== 'string' || !units().includes(unit)) {
      throw new MintError(CODES.unitUnknown, 'Unit in request is not supported');
    }
    if (amount < Math.max(limits.minAmount, 1) || amount > limits.maxAmount) {
      throw new MintError(CODES.amountOutOfRange, `Amount ${amount} is outside of the limits`);
    }
    const state = kind === 'mint' ? 'PAID' : 'UNPAID';
    const feeReserve = kind === 'mint' ? 0 : Math.ceil(amount / 100);
    const id = randomBytes(16).toString('hex');
    const row = { id, kind, unit, amount, fee_reserve: feeReserve, request, state, change: null };
    store.addQuote(row);
    return row;
  };

  const findQuote = (id: unknown, kind: QuoteRow['kind']): QuoteRow => {
    const quote = store.quote(readText(id, 'quote'), kind);
    if (!quote) throw new MintError(0, 'Quote not found');
    return quote;
  };

  const toWire = (quote: QuoteRow) => {
    const { id, request, amount, unit, state, kind } = quote;
    const common = { quote: id, request, amount, unit, state, expiry: Math.floor(now()) + EXPIRY_SECONDS };
    if (kind === 'mint') return common;
    const preimage = state === 'PAID' ? createHash('sha256').update(id).digest('hex') : null;
    const change = quote.change === null ? {} : { change: JSON.parse(quote.change) as WireSignature[] };
    return { ...common, fee_reserve: quote.fee_reserve, payment_preimage: preimage, ...change };
  };

  const mint = (body: unknown, answerKey?: string): string => {
    const request = readObject(body);
    requireShort(limits, request, ['outputs']);
    const { quote: id, outputs } = request;
    const quote = findQuote(id, 'mint');
    if (quote.state === 'ISSUED') throw new MintError(CODES.alreadyIssued, 'Quote has already been issued');
    const wanted = core.readOutputs(outputs, quote.unit);
    if (core.sumOf(wanted) !== quote.amount) {
      throw new MintError(CODES.notBalanced, 'Outputs do not add up to the amount of the quote');
    }
    core.requireUnsigned(wanted);
    const sign = core.sign(wanted);
    const text = JSON.stringify({ signatures: sign.map(({ signature }) => signature) });
    store.commit({
      unit: quote.unit,
      sign,
      signedAt: now(),
      totals: { issued: quote.amount },
      quote: { id: quote.id, state: 'ISSUED' },
      ...(answerKey === undefined ? {} : { answer: { key: answerKey, body: text } }),
    });
    return text;
  };

  const melt = (body: unknown, answerKey?: string): string => {
    const request = readObject(body);
    requireShort(limits, request, ['inputs', 'outputs']);
    const { quote: id, inputs, outputs } = request;
    const quote = findQuote(id, 'melt');
    if (quote.state === 'PAID' || store.isPaid(quote.request)) {
      throw new MintError(CODES.alreadyPaid, 'Invoice already paid');
    }
    const read = core.verifySignatures(core.readInputs(inputs));
    if (read.unit !== quote.unit) throw new MintError(CODES.otherUnit, 'Inputs are of another unit');
    if (read.sum - read.fee < quote.amount + quote.fee_reserve) {
      throw new MintError(CODES.notBalanced, 'Inputs do not cover the amount and its fees');
    }
    const blanks = core.readOutputs(outputs ?? [], quote.unit, true);
    const { spend, fee, sum, unit, ys } = read;
    core.requireUnspent(ys);
    core.requireUnsigned(blanks);
    const powers = powersOf(sum - fee - quote.amount);
    const filled: WireOutput[] = blanks.flatMap((blank, at) => {
      const amount = powers.at(-1 - at);
      return amount === undefined ? [] : [{ ...blank, amount }];
    });
    const sign = core.sign(filled);
    const change = sign.map(({ signature }) => signature);
    const paid = { ...quote, state: 'PAID', change: change.length > 0 ? JSON.stringify(change) : null };
    const text = JSON.stringify(toWire(paid));
    store.commit({
      unit,
      spend,
      sign,
      signedAt: now(),
      totals: { fees: fee, melted: sum - fee - core.sumOf(filled) },
      quote: { id: quote.id, state: 'PAID', ...(change.length > 0 ? { change } : {}) },
      ...(answerKey === undefined ? {} : { answer: { key: answerKey, body: text } }),
    });
    return text;
  };

  return {
    mint,
    melt,
    makeMintQuote: (body: unknown) => {
      const { amount, unit } = readObject(body);
      const asked = readAmount(amount);
      return toWire(makeQuote('mint', unit, asked, makeInvoice(asked)));
    },
    makeMeltQuote: (body: unknown) => {
      const { request, unit } = readObject(body);
      const invoice = readText(request, 'request').toLowerCase();
      return toWire(makeQuote('melt', unit, readInvoice(invoice), invoice));
    },
    mintQuote: (id: string) => toWire(findQuote(id, 'mint')),
    meltQuote: (id: string) => toWire(findQuote(id, 'melt')),
  };
};

export type Lightning = ReturnType<typeof createLightning>;
