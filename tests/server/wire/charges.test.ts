import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import * as charges from '../../../src/shared/api/charges.ts';
import type { EndpointShape } from '../../../src/shared/api/endpoint.ts';
import type { ErrorCode } from '../../../src/shared/api/errors.ts';
import * as wallet from '../../../src/shared/api/wallet.ts';
import { playBtcSources } from '../../support/btc-sources/play.ts';
import {
  askFor,
  type HeldCharge,
  hashOf,
  holdCharge,
  openAndPay,
  REQUEST,
  refundOf,
  releaseCharge,
  settleCharge,
} from '../../support/charges.ts';
import { testMint } from '../../support/mint/for-test.ts';
import type { TestMint } from '../../support/mint/test-mint.ts';
import { plant } from '../../support/plant.ts';
import { until } from '../../support/raw-http.ts';
import { makeTempDirectory } from '../../support/temp.ts';
import { databasePath, serveWallet } from '../../support/wallet.ts';
import { earn, startCopy } from '../../support/wallet-copies.ts';
import {
  send,
  type TimedWallet,
  settle as untilEnded,
  whileTimePasses,
} from '../../support/wallet-recovery.ts';
import { modelsText } from '../pricing/serve-pricing.ts';
import { type Ask, recordWire, type WireRequest, type WireServer } from './record.ts';
import {
  askWithoutMint,
  feeMint,
  KEY,
  misbehave,
  NO_ID,
  REFUSAL,
  startAgain,
  startWithoutSeed,
} from './wallet-cases.ts';

const body = { amount: 4, requestHash: REQUEST };
const priced = { model: 'a', maxInputTokens: 10, maxOutputTokens: 10, requestHash: REQUEST };
const of = (chargeId: string) => ({ params: { chargeId } });
const plainToken = (mint: TestMint, amount: number) => mint.issue(amount, { withoutDleq: true });

/** A request of each route about a charge, with bodies that it accepts. */
const requestsAbout = (chargeId: string): readonly [EndpointShape, WireRequest][] => [
  [charges.createCharge, { body }],
  [charges.openAndPayCharge, { body: { ...body, token: 'cashuB' } }],
  [charges.payCharge, { ...of(chargeId), body: { token: 'cashuB' } }],
  [charges.settleCharge, { ...of(chargeId), body: { amount: 1 } }],
  [charges.releaseCharge, { ...of(chargeId), body: {} }],
  [charges.refundToken, { body: { token: 'cashuB' } }],
  [charges.listCharges, {}],
  [charges.getCharge, of(chargeId)],
];

const MODELS = modelsText({ a: [100, 100] });

const DAY_MS = 24 * 60 * 60_000;

/** Writes as many open charges as there can be. The server of the database must have ended. */
const addManyCharges = (path: string) => {
  const database = new DatabaseSync(path);
  database.exec(`
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 50000)
    INSERT INTO charges (id, mint_id, request_hash, amount, hold_seconds, payment_request, face_value, created_at, expires_at)
    SELECT 'many-' || n, 1, '${hashOf('another')}', 1, 60, 'creqA', 1, 0, ${Number.MAX_SAFE_INTEGER} FROM numbers`);
  database.close();
};

/** A wallet with prices, its models file and its sources of the BTC price. */
const startPriced = async (mint: TestMint) => {
  const directory = await makeTempDirectory();
  const models = join(directory, 'models.json');
  await plant(directory, { 'models.json': MODELS });
  const sources = await playBtcSources(100_000);
  const environment = { BTC_PRICE_SOURCES: sources.setting(), MODEL_PRICING_PATH: models };
  return { server: await startCopy(mint, { environment }), models };
};

/** Both routes that make a charge, with their requests. */
const MAKERS: readonly [EndpointShape, (made: object) => WireRequest][] = [
  [charges.createCharge, (made) => ({ body: made })],
  [charges.openAndPayCharge, (made) => ({ body: { ...made, token: 'cashuB' } })],
];

test('the wire of asking for a payment is as recorded', () =>
  recordWire('charges-create', async (ask) => {
    const mint = await feeMint();
    const first = await startCopy(mint);
    await askWithoutMint(mint, (code) => ask(first, charges.createCharge, code, { body }));
    const { server, models } = await startPriced(mint);
    const askBoth = async (at: WireServer, code: ErrorCode, made: object) => {
      for (const [endpoint, request] of MAKERS) await ask(at, endpoint, code, request(made));
    };
    await until(async () => (await server.call('POST', '/api/pricing/refresh')).status === 200);
    const { body: created } = await ask(server, charges.createCharge, 'success', {
      body: { ...body, agent: 'scout', label: 'x' },
    });
    await ask(server, charges.createCharge, 'success', { body: priced, label: 'in model tokens' });
    await ask(server, charges.getCharge, 'success', { ...of(created.id), label: 'open' });
    await ask(server, charges.listCharges, 'success', { query: { limit: '1', state: 'open' } });
    await ask(server, charges.listCharges, 'invalid_request', { query: { cursor: 'x' } });
    await ask(server, charges.getCharge, 'charge_not_found', of(NO_ID));
    await askBoth(server, 'unknown_model', { ...priced, model: 'unknown' });
    await askBoth(server, 'agent_not_found', { ...body, agent: 'nobody' });
    await askBoth(server, 'invalid_request', { ...body, ...priced });
    const { dotMiRoot } = (await server.call('GET', '/api/health')).body;
    await rm(dotMiRoot, { recursive: true });
    await askBoth(server, 'root_unavailable', { ...body, agent: 'scout' });
    await server.close();

    await writeFile(models, '{');
    const damaged = await startCopy(mint, { environment: { MODEL_PRICING_PATH: models } });
    await askBoth(damaged, 'pricing_config_invalid', priced);
    await plant(damaged.dataDirectory, { 'models.json': MODELS });
    const unpriced = await startCopy(mint, {
      environment: { MODEL_PRICING_PATH: join(damaged.dataDirectory, 'models.json') },
    });
    await askBoth(unpriced, 'price_unavailable', priced);

    await first.close();
    addManyCharges(await databasePath(first.directory));
    const full = await startCopy(mint, { directory: first.directory });
    await ask(full, charges.createCharge, 'too_many_charges', { body });
    // A request that brings its token leaves no unpaid charge.
    expect((await openAndPay(full, 1, mint.issue(8))).body.state).toBe('held');
  }));

test('who may not use the routes of charges is as recorded', () =>
  recordWire('charges-access', async (ask) => {
    const mint = await feeMint();
    const first = await startCopy(mint);
    const fields = { label: 'x', scopes: ['charge'], agent: 'scout' };
    const { key } = (await first.asOperator('POST', '/api/keys', fields)).body;
    await first.close();
    // The same server with another root, which has an agent of the same name.
    const { directory, dataDirectory } = first;
    const other = await startCopy(mint, { directory, dataDirectory });
    const headers = { Authorization: `Bearer ${key}` };
    for (const [endpoint, request] of requestsAbout(NO_ID))
      await ask(other, endpoint, 'forbidden_agent', { ...request, headers });

    const simulated = await serveWallet(mint.url, { environment: { DEV_MODE: 'true' } });
    for (const [endpoint, request] of requestsAbout(NO_ID))
      await ask(simulated, endpoint, 'dev_mode', request);
  }));

/** How a token is paid with: for a charge, or together with making one. */
type Payer = (server: TimedWallet, token: string) => Promise<[EndpointShape, WireRequest]>;

const PAYERS: readonly [name: string, Payer][] = [
  [
    'charges-pay',
    async (server, token) => [
      charges.payCharge,
      { ...of((await askFor(server, 4)).body.id), body: { token } },
    ],
  ],
  ['charges-open-and-pay', async (_, token) => [charges.openAndPayCharge, { body: { ...body, token } }]],
];

/** The errors of a token that both routes answer. */
const askRefusals = async (ask: Ask, pay: Payer) => {
  const mint = await feeMint();
  const first = await startCopy(mint);
  const good = mint.issue(64);
  const refuse = async (server: TimedWallet, code: ErrorCode, token: string, label?: string) => {
    const [endpoint, request] = await pay(server, token);
    return ask(server, endpoint, code, { ...request, ...(label === undefined ? {} : { label }) });
  };
  // The keysets are known before the mint goes away, so that there is a charge to pay.
  await askFor(first, 4);
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
    ['invalid_signature', mint.issue(8, { badDleq: true })],
    ['token_too_large', mint.issue(64, { proofCount: 21, withoutDleq: true })],
    ['amount_too_low', plainToken(mint, 4)],
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
  await refuse(await startCopy(mint), 'unknown_keyset', hidden);
  // The fee of a keyset of version 1 can change. A wallet learns it when the mint refuses its swap.
  const { id: keyset } = mint.rotate({ inputFeePpk: 1_000, version: 1 });
  const outdated = await startCopy(mint);
  await askFor(outdated, 4);
  mint.setKeyset(keyset, { inputFeePpk: 9_000 });
  await refuse(outdated, 'amount_below_fee', plainToken(mint, 8));
  const last = await startWithoutSeed(server, mint);
  await refuse(last, 'seed_missing', mint.issue(8));
};

test.each(PAYERS)('the wire of paying is as recorded: %s', (name, pay) =>
  recordWire(name, async (ask) => {
    await askRefusals(ask, pay);
    const mint = await feeMint();
    const server = await startCopy(mint);
    const token = mint.issue(8);
    const [endpoint, request] = await pay(server, token);
    const { body: paid } = await ask(server, endpoint, 'success', request);
    await ask(server, endpoint, 'success', { ...request, label: 'repeated' });
    if (endpoint.id === charges.openAndPayCharge.id) return;
    await ask(server, endpoint, 'already_paid', { ...of(paid.id), body: { token: mint.issue(8) } });
    await ask(server, endpoint, 'charge_not_found', { ...of(NO_ID), body: { token } });
    const { body: unpaid } = await askFor(server, 4, { ttlSeconds: 60 });
    server.clock.pass(60_000);
    await ask(server, endpoint, 'charge_expired', { ...of(unpaid.id), body: { token: mint.issue(8) } });
    for (const state of ['held', 'expired'])
      await ask(server, charges.listCharges, 'success', { query: { state }, label: state });
  }),
);

/** Asks each route that gives change for it. */
type AskForChange = (server: WireServer, code: 'success' | ErrorCode) => Promise<void>;

const changeAsker = (ask: Ask, settled: HeldCharge, released: HeldCharge): AskForChange => {
  const requests: readonly [EndpointShape, WireRequest][] = [
    [charges.settleCharge, { ...of(settled.id), body: { amount: 1 } }],
    [charges.releaseCharge, { ...of(released.id), body: {} }],
    [charges.refundToken, { body: { token: settled.token } }],
  ];
  return async (server, code) => {
    for (const [endpoint, request] of requests) await ask(server, endpoint, code, request);
  };
};

test('the wire of settling, releasing and refunding is as recorded', () =>
  recordWire('charges-settle', async (ask) => {
    const mint = await feeMint();
    const first = await startCopy(mint);
    await earn(first, mint, 500);
    const settled = await holdCharge(first, mint, 64);
    const released = await holdCharge(first, mint, 64);
    const whole = await holdCharge(first, mint, 8);
    const { body: unpaid } = await askFor(first, 4);
    await ask(first, charges.settleCharge, 'charge_open', { ...of(unpaid.id), body: { amount: 1 } });
    await ask(first, charges.releaseCharge, 'charge_open', { ...of(unpaid.id), body: {} });
    await ask(first, charges.settleCharge, 'charge_not_found', { ...of(NO_ID), body: { amount: 1 } });
    await ask(first, charges.releaseCharge, 'charge_not_found', { ...of(NO_ID), body: {} });
    const inTokens = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 1 };
    await ask(first, charges.settleCharge, 'charge_not_priced', { ...of(settled.id), body: inTokens });
    await ask(first, charges.settleCharge, 'invalid_request', { ...of(settled.id), body: {} });
    await ask(first, charges.refundToken, 'charge_held', { body: { token: settled.token } });
    await ask(first, charges.refundToken, 'charge_not_found', { body: { token: mint.issue(4) } });
    await ask(first, charges.refundToken, 'malformed_token', { body: { token: 'nonsense' } });

    const make = changeAsker(ask, settled, released);
    const server = await startAgain(first, mint);
    await askWithoutMint(mint, (code) => make(server, code));
    mint.fail('/v1/swap', { ...REFUSAL, times: 3 });
    await make(server, 'mint_refused');
    mint.setLimits({ maxOutputs: 1 });
    await make(server, 'token_too_large');
    mint.setLimits({ maxOutputs: 1_000 });
    misbehave(mint);
    await whileTimePasses(server, make(server, 'send_pending'));
    mint.clearFaults();
    await untilEnded(server);
    await make(server, 'success');

    const again = { ...of(settled.id), body: { amount: 2 } };
    await ask(server, charges.settleCharge, 'already_settled', again);
    await ask(server, charges.releaseCharge, 'already_settled', { ...of(settled.id), body: {} });
    await ask(server, charges.settleCharge, 'already_refunded', { ...of(released.id), body: { amount: 2 } });
    const all = { ...of(whole.id), body: { amount: 100 }, label: 'capped' };
    await ask(server, charges.settleCharge, 'success', all);
    await ask(server, charges.refundToken, 'nothing_to_refund', { body: { token: whole.token } });
    const small = await holdCharge(server, mint, 2);
    const kept = { ...of(small.id), body: { amount: 0 }, label: 'change that is kept' };
    await ask(server, charges.settleCharge, 'success', kept);
    await ask(server, charges.releaseCharge, 'success', {
      ...of(small.id),
      body: {},
      label: 'refund that is kept',
    });
    for (const state of ['settled', 'refunded'])
      await ask(server, charges.listCharges, 'success', { query: { state }, label: state });
    await ask(server, wallet.listHistory, 'success', { query: { limit: '200' }, label: 'of charges' });

    server.clock.pass(181 * DAY_MS);
    await until(async () => (await refundOf(server, settled.token)).body.code === 'refund_swept');
    await until(async () => (await releaseCharge(server, released.id)).body.code === 'refund_swept');
    await make(server, 'refund_swept');
  }));

test('the wire of a wallet that lacks the sats of change is as recorded', () =>
  recordWire('charges-busy', async (ask) => {
    const mint = await testMint();
    const busy = await startCopy(mint);
    await earn(busy, mint, 8);
    const make = changeAsker(ask, await holdCharge(busy, mint, 2), await holdCharge(busy, mint, 2));
    mint.fail('/v1/swap', { kind: 'hang' });
    // They hold all proofs: both of 2 and the one of 8.
    const sending = [];
    for (const [index, amount] of [2, 2, 1].entries()) {
      sending.push(send(busy, amount));
      await until(() => mint.hanging() === index + 1);
    }
    await make(busy, 'wallet_busy');
    mint.clearFaults();
    await Promise.all(sending);

    const poor = await startCopy(mint);
    const [settled, released] = [await holdCharge(poor, mint, 2), await holdCharge(poor, mint, 2)];
    mint.rotate({ hideOld: true });
    const server = await startAgain(poor, mint);
    // The mint refuses the keyset, so the wallet asks for the list.
    for (const { id } of [settled, released]) await settleCharge(server, id, id === settled.id ? 1 : 0);
    await changeAsker(ask, settled, released)(server, 'insufficient_funds');
  }));
