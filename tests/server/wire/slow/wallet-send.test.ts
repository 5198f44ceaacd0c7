import { getDecodedToken, getEncodedToken } from '@cashu/cashu-ts';
import { expect, test } from 'vitest';
import * as wallet from '../../../../src/shared/api/wallet.ts';
import { until } from '../../../support/raw-http.ts';
import { earn, startCopy } from '../../../support/wallet-copies.ts';
import { type TimedWallet, whileTimePasses } from '../../../support/wallet-recovery.ts';
import { recordWire } from '../record.ts';
import {
  askWithoutMint,
  feeMint,
  keyed,
  misbehave,
  NO_ID,
  operation,
  REFUSAL,
  startAgain,
  startWithoutSeed,
} from '../wallet-cases.ts';

/** Sends a token, which must succeed. It is not a case of its own. */
const sendOne = async (server: TimedWallet, amount: number): Promise<{ token: string; id: string }> => {
  const answer = await server.asOperator('POST', '/api/wallet/send', { amount });
  expect([answer.status, answer.body.code]).toEqual([201, undefined]);
  return { token: answer.body.token, id: answer.body.operationId };
};

test('the wire of sending is as recorded', () =>
  recordWire('wallet-send', async (ask) => {
    const mint = await feeMint();
    const first = await startCopy(mint);
    const funds = await earn(first, mint, 1_000);
    expect(mint.unspent([funds])).toBe(0);
    const amount = { body: { amount: 20 } };
    let server = await startAgain(first, mint);
    await askWithoutMint(mint, async (code) => {
      await ask(server, wallet.sendToken, code, amount);
      await ask(server, wallet.checkProofs, code, { body: {} });
    });
    server = await startAgain(server, mint);

    const { body: sent } = await ask(server, wallet.sendToken, 'success', {
      ...keyed('a', { amount: 20, memo: 'm' }),
    });
    await ask(server, wallet.sendToken, 'success', {
      ...keyed('a', { amount: 20, memo: 'm' }),
      label: 'repeated',
    });
    await ask(server, wallet.sendToken, 'idempotency_key_reused', keyed('a', { amount: 21 }));
    await ask(server, wallet.sendToken, 'insufficient_funds', { body: { amount: 100_000 } });
    await ask(server, wallet.sendToken, 'amount_below_fee', { body: { amount: 1 } });
    await ask(server, wallet.sendToken, 'fee_too_high', { body: { amount: 20, maxFee: 0 } });
    const { body: limited } = await server.asOperator('POST', '/api/keys', {
      label: 'x',
      scopes: ['spend'],
      spend: { satsPerDay: 10 },
    });
    const withKey = { ...amount, headers: { Authorization: `Bearer ${limited.key}` } };
    await ask(server, wallet.sendToken, 'spend_limit_reached', withKey);
    mint.fail('/v1/swap', REFUSAL);
    await ask(server, wallet.sendToken, 'mint_refused', amount);
    await ask(server, wallet.listHistory, 'success', { query: { limit: '2' } });
    await ask(server, wallet.listHistory, 'success', { query: { sendKey: 'a' }, label: 'of one send' });
    await ask(server, wallet.listHistory, 'invalid_request', { query: { limit: '0' } });

    mint.fail('/v1/swap', { kind: 'hang', times: 1 });
    const sending = server.asOperator('POST', '/api/wallet/send', { amount: 2 }, { 'Idempotency-Key': 'b' });
    await until(() => mint.hanging() === 1);
    await ask(server, wallet.sendToken, 'idempotency_key_in_use', keyed('b', { amount: 2 }));
    await ask(server, wallet.listHistory, 'idempotency_key_in_use', { query: { sendKey: 'b' } });
    mint.clearFaults();
    expect((await sending).status).toBe(201);

    mint.setLimits({ maxOutputs: 1 });
    await ask(server, wallet.sendToken, 'token_too_large', { body: { amount: 63 } });
    mint.setLimits({ maxOutputs: 1_000 });

    mint.fail('/v1/swap', { kind: 'pending', times: 1 });
    misbehave(mint);
    const asked = ask(server, wallet.sendToken, 'send_pending', amount);
    const { operationId } = (await whileTimePasses(server, asked)).body;
    await ask(server, wallet.releaseOperation, 'success', operation(operationId));
    mint.clearFaults();
    await ask(server, wallet.checkProofs, 'success', { body: {}, label: 'unconfirmed' });
    mint.clearPending();
    await ask(server, wallet.checkProofs, 'success', { body: {} });
    await ask(server, wallet.releaseOperation, 'operation_not_found', operation(NO_ID));
    await ask(server, wallet.releaseOperation, 'not_releasable', operation(sent.operationId));
  }));

test('the wire of reclaiming is as recorded', () =>
  recordWire('wallet-reclaim', async (ask) => {
    const mint = await feeMint();
    let server = await startCopy(mint);
    await earn(server, mint, 1_000);
    const { token, id } = await sendOne(server, 20);
    const spent = await sendOne(server, 20);
    mint.spend([spent.token]);
    // Somebody redeems all but its smallest proof, which isn't worth its fee.
    const small = await sendOne(server, 3);
    const { proofs, ...rest } = getDecodedToken(
      small.token,
      mint.keysets().map((keyset) => keyset.id),
    );
    mint.spend([
      getEncodedToken({ ...rest, proofs: proofs.filter(({ amount }) => amount.toNumber() === 2) }),
    ]);
    const stuck = await sendOne(server, 20);

    await askWithoutMint(mint, (code) => ask(server, wallet.reclaimToken, code, operation(id)));
    server = await startAgain(server, mint);
    await ask(server, wallet.reclaimToken, 'operation_not_found', operation(NO_ID));
    await ask(server, wallet.reclaimToken, 'already_spent', operation(spent.id));
    await ask(server, wallet.reclaimToken, 'amount_below_fee', operation(small.id));
    mint.setPending([token]);
    await ask(server, wallet.reclaimToken, 'token_in_progress', operation(id));
    mint.clearPending();
    mint.fail('/v1/swap', REFUSAL);
    await ask(server, wallet.reclaimToken, 'mint_refused', operation(id));
    await ask(server, wallet.reclaimToken, 'success', operation(id));
    await ask(server, wallet.reclaimToken, 'not_reclaimable', operation(id));

    misbehave(mint);
    await whileTimePasses(
      server,
      ask(server, wallet.reclaimToken, 'redemption_pending', operation(stuck.id)),
    );
    await ask(server, wallet.reclaimToken, 'send_pending', operation(stuck.id));
    mint.clearFaults();

    const last = await startWithoutSeed(server, mint);
    await ask(last, wallet.reclaimToken, 'seed_missing', operation(id));
  }));
