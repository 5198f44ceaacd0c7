import type { EndpointShape } from '../../../src/shared/api/endpoint.ts';
import type { ErrorCode } from '../../../src/shared/api/errors.ts';
import { askFor } from '../../support/charges.ts';
import { testMint } from '../../support/mint/for-test.ts';
import type { TestMint } from '../../support/mint/test-mint.ts';
import { until } from '../../support/raw-http.ts';
import { ofLaterVersion } from '../../support/wallet.ts';
import { earn, startCopy } from '../../support/wallet-copies.ts';
import {
  send,
  type TimedWallet,
  settle as untilEnded,
  whileTimePasses,
} from '../../support/wallet-recovery.ts';
import { type Ask, pathOf, type WireRequest, type WireServer } from './record.ts';
import {
  askWithoutMint,
  feeMint,
  KEY,
  misbehave,
  REFUSAL,
  startAgain,
  startWithoutSeed,
} from './wallet-cases.ts';

/** Cases that the records of charges and of prepaid balances have in common. */

export const DAY_MS = 24 * 60 * 60_000;

/** A route, and a request that it accepts. */
export type RouteRequest = readonly [endpoint: EndpointShape, request: WireRequest];

export const plainToken = (mint: TestMint, amount: number) => mint.issue(amount, { withoutDleq: true });

/** The errors of callers who may not use the routes. */
export const askWithoutAccess = async (ask: Ask, requests: readonly RouteRequest[]) => {
  const mint = await feeMint();
  const first = await startCopy(mint);
  const fields = { label: 'x', scopes: ['charge'], agent: 'scout' };
  const { key } = (await first.asOperator('POST', '/api/keys', fields)).body;
  await first.close();
  // The same server with another root, which has an agent of the same name.
  const { directory, dataDirectory } = first;
  const other = await startCopy(mint, { directory, dataDirectory });
  const headers = { Authorization: `Bearer ${key}` };
  for (const [endpoint, request] of requests)
    await ask(other, endpoint, 'forbidden_agent', { ...request, headers });
};

/** A route that takes a token, which may cost 4 sat. */
export interface Payer {
  /** Called once for each wallet, while its mint answers. */
  prepare?(server: TimedWallet, mint: TestMint): Promise<unknown>;
  request(server: TimedWallet, token: string): Promise<RouteRequest>;
}

/** The errors of a token that all payers answer. */
export const askRefusals = async (ask: Ask, payer: Payer) => {
  const mint = await feeMint();
  const first = await startCopy(mint);
  const good = mint.issue(64);
  const refuse = async (server: TimedWallet, code: ErrorCode, token: string) => {
    const [endpoint, request] = await payer.request(server, token);
    return ask(server, endpoint, code, request);
  };
  // The keysets are known before the mint goes away, so that there is a charge to pay.
  await askFor(first, 4);
  await payer.prepare?.(first, mint);
  await mint.away();
  await refuse(first, 'mint_unreachable', good);
  await mint.back();
  const server = await startAgain(first, mint);
  await askFor(server, 4);
  mint.rotate({ inputFeePpk: 1_000 });
  mint.fail('/v1/keys', { kind: 'garbage', body: 'shape' });
  await refuse(server, 'mint_error', mint.issue(64));
  mint.clearFaults();

  const spent = mint.issue(8);
  mint.spend([spent]);
  const pending = mint.issue(8);
  mint.setPending([pending]);
  mint.setLimits({ maxInputs: 20 });
  const refusals = [
    ['token_spent', spent],
    ['token_in_progress', pending],
    ['malformed_token', 'nonsense'],
    ['wrong_mint', mint.issue(8, { mintUrl: 'https://another.invalid' })],
    ['wrong_unit', mint.issue(7, { unit: 'usd' })],
    ['token_locked', mint.issue(8, { p2pk: KEY })],
    ['token_unsupported', ofLaterVersion(mint.issue(8, { version: 'A' }))],
    ['invalid_signature', mint.issue(8, { badDleq: true })],
    ['token_too_large', mint.issue(64, { proofCount: 21, withoutDleq: true })],
    ['amount_too_low', plainToken(mint, 1)],
  ] as const;
  for (const [code, token] of refusals) await refuse(server, code, token);
  mint.fail('/v1/swap', REFUSAL);
  await refuse(server, 'mint_refused', mint.issue(8));

  misbehave(mint);
  const stuck = mint.issue(8);
  await whileTimePasses(server, refuse(server, 'redemption_pending', stuck));
  mint.clearFaults();
  const hidden = mint.issue(8);
  mint.rotate({ hideOld: true });
  const late = await startCopy(mint);
  await payer.prepare?.(late, mint);
  await refuse(late, 'unknown_keyset', hidden);
  // The fee of a keyset of version 1 can change. A wallet learns it when the mint refuses its swap.
  const { id: keyset } = mint.rotate({ inputFeePpk: 1_000, version: 1 });
  const outdated = await startCopy(mint);
  await askFor(outdated, 4);
  await payer.prepare?.(outdated, mint);
  mint.setKeyset(keyset, { inputFeePpk: 9_000 });
  await refuse(outdated, 'amount_below_fee', plainToken(mint, 8));
  const last = await startWithoutSeed(server, mint);
  await refuse(last, 'seed_missing', mint.issue(8));
};

const askEach =
  (ask: Ask, requests: readonly RouteRequest[]) => async (server: WireServer, code: ErrorCode) => {
    for (const [endpoint, request] of requests) await ask(server, endpoint, code, request);
  };

/** The errors of routes that make change, which no longer occur in the wallet that it returns. */
export const askChangeFailures = async (
  ask: Ask,
  mint: TestMint,
  first: TimedWallet,
  requests: readonly RouteRequest[],
): Promise<TimedWallet> => {
  const make = askEach(ask, requests);
  const server = await startAgain(first, mint);
  await askWithoutMint(mint, (code) => make(server, code));
  mint.fail('/v1/swap', { ...REFUSAL, times: requests.length });
  await make(server, 'mint_refused');
  mint.setLimits({ maxOutputs: 1 });
  await make(server, 'token_too_large');
  mint.setLimits({ maxOutputs: 1_000 });
  misbehave(mint);
  await whileTimePasses(server, make(server, 'send_pending'));
  mint.clearFaults();
  await untilEnded(server);
  return server;
};

/** The errors of routes that make change in a wallet that lacks its sats. `hold` lets customers pay 2 sat twice. */
export const askWithoutSats = async (
  ask: Ask,
  hold: (server: TimedWallet, mint: TestMint) => Promise<readonly RouteRequest[]>,
) => {
  const mint = await testMint();
  const busy = await startCopy(mint);
  await earn(busy, mint, 8);
  const requests = await hold(busy, mint);
  mint.fail('/v1/swap', { kind: 'hang' });
  // They hold all proofs: both of 2 and the one of 8.
  const sending = [];
  for (const [index, amount] of [2, 2, 1].entries()) {
    sending.push(send(busy, amount));
    await until(() => mint.hanging() === index + 1);
  }
  await askEach(ask, requests)(busy, 'wallet_busy');
  mint.clearFaults();
  await Promise.all(sending);

  const poor = await startCopy(mint);
  const unpaid = await hold(poor, mint);
  mint.rotate({ hideOld: true });
  const server = await startAgain(poor, mint);
  // The mint refuses the keyset, so the wallet asks for the list.
  for (const [endpoint, { params, body }] of unpaid)
    await whileTimePasses(server, server.call(endpoint.method, pathOf(endpoint, params), body));
  await untilEnded(server);
  await askEach(ask, unpaid)(server, 'insufficient_funds');
};
