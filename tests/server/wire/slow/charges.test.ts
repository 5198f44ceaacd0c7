import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import * as charges from '../../../../src/shared/api/charges.ts';
import type { EndpointShape } from '../../../../src/shared/api/endpoint.ts';
import type { ErrorCode } from '../../../../src/shared/api/errors.ts';
import * as wallet from '../../../../src/shared/api/wallet.ts';
import { playBtcSources } from '../../../support/btc-sources/play.ts';
import {
  askFor,
  type HeldCharge,
  hashOf,
  holdCharge,
  openAndPay,
  REQUEST,
  refundOf,
  releaseCharge,
} from '../../../support/charges.ts';
import type { TestMint } from '../../../support/mint/test-mint.ts';
import { plant } from '../../../support/plant.ts';
import { until } from '../../../support/raw-http.ts';
import { makeTempDirectory } from '../../../support/temp.ts';
import { databasePath } from '../../../support/wallet.ts';
import { earn, startCopy } from '../../../support/wallet-copies.ts';
import { modelsText } from '../../pricing/serve-pricing.ts';
import {
  askChangeFailures,
  askRefusals,
  askWithoutAccess,
  askWithoutSats,
  DAY_MS,
  type Payer,
  type RouteRequest,
} from '../charge-cases.ts';
import { recordWire, type WireRequest, type WireServer } from '../record.ts';
import { askWithoutMint, feeMint, NO_ID } from '../wallet-cases.ts';

const body = { amount: 4, requestHash: REQUEST };
const priced = { model: 'a', maxInputTokens: 10, maxOutputTokens: 10, requestHash: REQUEST };
const of = (chargeId: string) => ({ params: { chargeId } });

/** A request of each route about a charge, with bodies that it accepts. */
const requestsAbout = (chargeId: string): readonly RouteRequest[] => [
  [charges.createCharge, { body }],
  [charges.quoteCharge, { body }],
  [charges.openAndPayCharge, { body: { ...body, token: 'cashuB' } }],
  [charges.payCharge, { ...of(chargeId), body: { token: 'cashuB' } }],
  [charges.settleCharge, { ...of(chargeId), body: { amount: 1 } }],
  [charges.releaseCharge, { ...of(chargeId), body: {} }],
  [charges.refundToken, { body: { token: 'cashuB' } }],
  [charges.listCharges, {}],
  [charges.getCharge, of(chargeId)],
];

const MODELS = modelsText({ a: [100, 100] });

/** Writes as many open charges as there can be. The server of the database must have ended. */
const addManyCharges = (path: string) => {
  const database = new DatabaseSync(path);
  database.exec(`
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1000)
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

/** The routes that price a charge, with their requests. */
const MAKERS: readonly [EndpointShape, (made: object) => WireRequest][] = [
  [charges.createCharge, (made) => ({ body: made })],
  [charges.quoteCharge, (made) => ({ body: made })],
  [charges.openAndPayCharge, (made) => ({ body: { ...made, token: 'cashuB' } })],
];

test('the wire of asking for a payment is as recorded', () =>
  recordWire('charges-create', async (ask) => {
    const mint = await feeMint();
    const first = await startCopy(mint);
    for (const endpoint of [charges.createCharge, charges.quoteCharge])
      await askWithoutMint(mint, (code) => ask(first, endpoint, code, { body }));
    const { server, models } = await startPriced(mint);
    const askAll = async (at: WireServer, code: ErrorCode, made: object) => {
      for (const [endpoint, request] of MAKERS) await ask(at, endpoint, code, request(made));
    };
    await until(async () => (await server.call('POST', '/api/pricing/refresh')).status === 200);
    const { body: created } = await ask(server, charges.createCharge, 'success', {
      body: { ...body, agent: 'scout', label: 'x' },
    });
    const flat = { body: { ...body, model: 'a' }, label: 'flat, with a model' };
    await ask(server, charges.createCharge, 'success', flat);
    await ask(server, charges.createCharge, 'success', { body: priced, label: 'in model tokens' });
    await ask(server, charges.quoteCharge, 'success', { body: { ...body, agent: 'scout' } });
    await ask(server, charges.quoteCharge, 'success', { body: priced, label: 'in model tokens' });
    await ask(server, charges.getCharge, 'success', { ...of(created.id), label: 'open' });
    await ask(server, charges.listCharges, 'success', { query: { limit: '1', state: 'open' } });
    await ask(server, charges.listCharges, 'invalid_request', { query: { cursor: 'x' } });
    await ask(server, charges.getCharge, 'charge_not_found', of(NO_ID));
    await askAll(server, 'unknown_model', { ...priced, model: 'unknown' });
    await askAll(server, 'agent_not_found', { ...body, agent: 'nobody' });
    await askAll(server, 'invalid_request', { ...body, ...priced });
    const { dotMiRoot } = (await server.call('GET', '/api/health')).body;
    await rm(dotMiRoot, { recursive: true });
    await askAll(server, 'root_unavailable', { ...body, agent: 'scout' });
    await server.close();

    await writeFile(models, '{');
    const damaged = await startCopy(mint, { environment: { MODEL_PRICING_PATH: models } });
    await askAll(damaged, 'pricing_config_invalid', priced);
    await plant(damaged.dataDirectory, { 'models.json': MODELS });
    const unpriced = await startCopy(mint, {
      environment: { MODEL_PRICING_PATH: join(damaged.dataDirectory, 'models.json') },
    });
    await askAll(unpriced, 'price_unavailable', priced);

    await first.close();
    addManyCharges(await databasePath(first.directory));
    const full = await startCopy(mint, { directory: first.directory });
    await ask(full, charges.createCharge, 'too_many_charges', { body });
    // A request that brings its token leaves no unpaid charge.
    expect((await openAndPay(full, 1, mint.issue(8))).body.state).toBe('held');
  }));

test('who may not use the routes of charges is as recorded', () =>
  recordWire('charges-access', (ask) => askWithoutAccess(ask, requestsAbout(NO_ID))));

const PAYERS: readonly [name: string, Payer['request']][] = [
  [
    'charges-pay',
    async (server, token) => [
      charges.payCharge,
      { ...of((await askFor(server, 4)).body.id), body: { token } },
    ],
  ],
  ['charges-open-and-pay', async (_, token) => [charges.openAndPayCharge, { body: { ...body, token } }]],
];

test.each(PAYERS)('the wire of paying is as recorded: %s', (name, pay) =>
  recordWire(name, async (ask) => {
    await askRefusals(ask, { request: pay });
    const mint = await feeMint();
    const server = await startCopy(mint);
    const token = mint.issue(8);
    const [endpoint, plain] = await pay(server, token);
    const request = { ...plain, headers: { Authorization: `Bearer ${server.operatorToken}` } };
    const { body: paid } = await ask(server, endpoint, 'success', request);
    await ask(server, endpoint, 'success', { ...request, label: 'repeated' });
    if (endpoint.id === charges.openAndPayCharge.id) {
      await ask(server, endpoint, 'token_spent', { ...plain, label: 'repeated by somebody else' });
      return;
    }
    await ask(server, endpoint, 'already_paid', { ...of(paid.id), body: { token: mint.issue(8) } });
    await ask(server, endpoint, 'charge_not_found', { ...of(NO_ID), body: { token } });
    const { body: unpaid } = await askFor(server, 4, { ttlSeconds: 60 });
    server.clock.pass(60_000);
    await ask(server, endpoint, 'charge_expired', { ...of(unpaid.id), body: { token: mint.issue(8) } });
    for (const state of ['held', 'expired'])
      await ask(server, charges.listCharges, 'success', { query: { state }, label: state });
  }),
);

/** Each route that gives change, with a request for it. */
const changeRequests = (settled: HeldCharge, released: HeldCharge): readonly RouteRequest[] => [
  [charges.settleCharge, { ...of(settled.id), body: { amount: 1 } }],
  [charges.releaseCharge, { ...of(released.id), body: {} }],
  [charges.refundToken, { body: { token: settled.token } }],
];

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

    const requests = changeRequests(settled, released);
    const server = await askChangeFailures(ask, mint, first, requests);
    for (const [endpoint, request] of requests) await ask(server, endpoint, 'success', request);

    const again = { ...of(settled.id), body: { amount: 2 } };
    await ask(server, charges.settleCharge, 'already_settled', again);
    await ask(server, charges.releaseCharge, 'already_settled', { ...of(settled.id), body: {} });
    await ask(server, charges.settleCharge, 'already_refunded', { ...of(released.id), body: { amount: 2 } });
    const all = { ...of(whole.id), body: { amount: 100 }, label: 'capped' };
    await ask(server, charges.settleCharge, 'success', all);
    await ask(server, charges.refundToken, 'nothing_to_refund', { body: { token: whole.token } });
    const flat = await holdCharge(server, mint, 64);
    const both = { ...of(flat.id), body: { amount: 1, ...inTokens }, label: 'flat, with model tokens' };
    await ask(server, charges.settleCharge, 'success', both);
    const small = await holdCharge(server, mint, 2);
    const kept = { ...of(small.id), body: { amount: 0 }, label: 'change that is kept' };
    await ask(server, charges.settleCharge, 'success', kept);
    await ask(server, charges.releaseCharge, 'success', {
      ...of(small.id),
      body: {},
      label: 'refund that is kept',
    });
    const failed = await holdCharge(server, mint, 64);
    const used = { ...of(failed.id), body: inTokens, label: 'with model tokens' };
    await ask(server, charges.releaseCharge, 'success', used);
    for (const state of ['settled', 'refunded'])
      await ask(server, charges.listCharges, 'success', { query: { state }, label: state });
    await ask(server, wallet.listHistory, 'success', { query: { limit: '200' }, label: 'of charges' });

    server.clock.pass(181 * DAY_MS);
    await until(async () => (await refundOf(server, settled.token)).body.code === 'refund_swept');
    await until(async () => (await releaseCharge(server, released.id)).body.code === 'refund_swept');
    for (const [endpoint, request] of requests) await ask(server, endpoint, 'refund_swept', request);
  }));

test('the wire of a wallet that lacks the sats of change is as recorded', () =>
  recordWire('charges-busy', (ask) =>
    askWithoutSats(ask, async (server, mint) =>
      changeRequests(await holdCharge(server, mint, 2), await holdCharge(server, mint, 2)),
    ),
  ));
