import type { InvalidReason, TokenValidation } from '../../shared/api/wallet.ts';
import { originOf, severalTokensMessage } from './operations/problems.ts';
import { type OpenedReading, readToken } from './operations/read-token.ts';
import type { WalletContext } from './operations/receive.ts';
import type { Taken } from './store/operation.ts';

/** The parts of a validation that its message contains. */
type Described = Omit<TokenValidation, 'valid' | 'message'>;

const ASK_FOR_ANOTHER = 'Please send another token.';

/** SECURITY: a token's author chooses this text, so a message repeats only what can't mislead. */
const shownUnit = (unit = ''): string => (/^[\w-]{1,16}$/.test(unit) ? unit : 'another unit');

/** Sentences that say why a sender's token is refused, and what to do. Every sentence is suitable for the sender. */
const REFUSALS: Readonly<Record<InvalidReason, (token: Described) => string>> = {
  malformed: () =>
    'This is not a complete Cashu token. Please copy it again, from its beginning (cashuA or cashuB) to its end.',
  not_a_token: ({ looksLike }) =>
    looksLike
      ? `This is a ${looksLike === 'lightning_invoice' ? 'Lightning invoice' : 'Cashu payment request'}, which asks for a payment. Please send a Cashu token, which starts with cashuA or cashuB.`
      : 'This is not a Cashu token. Please send one that starts with cashuA or cashuB.',
  wrong_mint: ({ mint, acceptedMints = [] }) =>
    `${originOf(mint)}. Please send one from ${acceptedMints.join(' or ')}.`,
  wrong_unit: ({ unit }) => `This token is in ${shownUnit(unit)}. Please send one in sats.`,
  spent: ({ operationId, receivedAt, receivedAmount }) =>
    operationId === undefined
      ? `This token was already spent. ${ASK_FOR_ANOTHER}`
      : `This token was already received: ${receivedAmount} sat${receivedAt ? ` on ${receivedAt.slice(0, 10)} at ${receivedAt.slice(11, 19)} UTC` : ''}. It can’t pay for anything else. ${ASK_FOR_ANOTHER}`,
  pending: ({ operationId }) =>
    operationId === undefined
      ? 'The mint is still processing this token. Please wait a minute, then check it again.'
      : 'This token is being received right now. Please wait a minute, then check it again.',
  locked: () => 'This token is locked to another key. Please send one without a lock.',
  invalid_signature: () => `This token is invalid or forged. ${ASK_FOR_ANOTHER}`,
  unsupported: () =>
    `This token has a keyset of a newer version, which dot-mi doesn’t support. ${ASK_FOR_ANOTHER}`,
  unknown_keyset: () => `The mint doesn’t know the keys of this token. ${ASK_FOR_ANOTHER}`,
  too_large: ({ proofs }) =>
    `This token has ${proofs} proofs, which is more than the mint accepts at once. Please send it as several smaller tokens.`,
  below_fee: ({ amount, fee = 0 }) =>
    `The mint’s fee of ${fee} sat would use up this token of ${amount} sat. Please send a larger one.`,
};

const accepted = ({ amount, net = amount, fee = 0, signaturesChecked }: Described): string => {
  const value = fee > 0 ? `holds ${amount} sat, or ${net} sat after the mint’s fee.` : `holds ${amount} sat.`;
  return signaturesChecked
    ? `This token is valid. It ${value}`
    : `The mint says that these proofs are unspent. Without DLEQ, their signatures can’t be checked here. The token ${value}`;
};

const invalid = (reason: InvalidReason, token: Described): TokenValidation => ({
  valid: false,
  ...token,
  reason,
  message: REFUSALS[reason](token),
});

const ownReason = ({ state }: Taken): InvalidReason => (state === 'completed' ? 'spent' : 'pending');

const ownOperation = ({ operation }: Taken) =>
  operation && {
    operationId: operation.id,
    receivedAt: new Date(operation.createdAt).toISOString(),
    receivedAmount: operation.amount,
  };

/** Returns the validation of a token that this wallet has received, or is receiving. */
const ownValidation = (info: Described, own: Taken): TokenValidation =>
  invalid(ownReason(own), { ...info, ...ownOperation(own) });

type ValidationContext = Pick<WalletContext, 'mint' | 'store' | 'mintUrl' | 'recovery'>;

/** Returns why an opened token can't be received now, and what took it in this wallet. */
const findReason = async (
  { store, recovery }: ValidationContext,
  reading: OpenedReading,
  beforeStates: () => void,
): Promise<{ reason?: InvalidReason | undefined; own?: Taken | undefined }> => {
  const { own, opened, description, ys } = reading;
  if (own) return { reason: ownReason(own), own };
  beforeStates();
  const now = await reading.states();
  if (now.includes('SPENT')) {
    // A failed operation of ours may have redeemed it. Until that is known, nobody should be asked for another token.
    await recovery.recheckTakers(ys);
    const found = store.operations.ofInput(ys);
    if (found) return { reason: ownReason(found), own: found };
    return { reason: store.operations.recheckedWith(ys).length > 0 ? 'pending' : 'spent' };
  }
  if (now.includes('PENDING')) return { reason: 'pending' };
  return { reason: opened.fee >= description.amount ? 'below_fee' : undefined };
};

/**
 * Checks a token. Queries the mint for states only if our database and the token can't decide the result. Calls
 * `beforeStates` first.
 */
export const checkToken = async (
  context: ValidationContext,
  token: string,
  beforeStates: () => void,
): Promise<TokenValidation> => {
  const { mintUrl } = context;
  const reading = await readToken(context, token);
  const { locked: _locked, ...info } = reading.description ?? { amount: 0, mint: '', locked: false };
  if (reading.kind === 'refused') {
    const { refusal, isInstead } = reading;
    if (typeof isInstead === 'string') return invalid('not_a_token', { ...info, looksLike: isInstead });
    const several = severalTokensMessage(isInstead);
    const refused = invalid(refusal, {
      ...info,
      ...(refusal === 'wrong_mint' ? { acceptedMints: [mintUrl] } : {}),
    });
    return several === undefined ? refused : { ...refused, message: several };
  }
  if (reading.kind === 'unopened') {
    // Even without the mint, the wallet recognizes a token that it redeemed.
    if (reading.own) return ownValidation(info, reading.own);
    throw reading.error;
  }
  const { fee, signaturesChecked } = reading.opened;
  const known = { ...info, signaturesChecked, fee, net: Math.max(0, info.amount - fee) };
  const { reason, own } = await findReason(context, reading, beforeStates);
  if (reason === undefined) return { valid: true, ...known, message: accepted(known) };
  // Nothing is left to receive from a spent token.
  return invalid(reason, {
    ...(reason === 'spent' ? { ...info, fee } : known),
    ...(own ? ownOperation(own) : {}),
  });
};
