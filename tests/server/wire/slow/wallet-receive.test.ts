import { expect, test } from 'vitest';
import { getEarnings } from '../../../../src/shared/api/earnings.ts';
import * as wallet from '../../../../src/shared/api/wallet.ts';
import { otherAddress } from '../../../support/mint/hostile-mint.ts';
import { until } from '../../../support/raw-http.ts';
import { ofLaterVersion } from '../../../support/wallet.ts';
import { startCopy } from '../../../support/wallet-copies.ts';
import { whileTimePasses } from '../../../support/wallet-recovery.ts';
import { recordWire } from '../record.ts';
import {
  askWithoutMint,
  body,
  feeMint,
  KEY,
  keyed,
  misbehave,
  NO_ID,
  operation,
  REFUSAL,
  startAgain,
} from '../wallet-cases.ts';

const INVOICE = 'lnbc210n1pvjluezpp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqf';

test('the wire of receiving is as recorded', () =>
  recordWire('wallet-receive', async (ask) => {
    const mint = await feeMint();
    const first = await startCopy(mint);
    const good = mint.issue(64);
    await askWithoutMint(mint, async (code) => {
      await ask(first, wallet.validateToken, code, body(good));
      await ask(first, wallet.receiveToken, code, body(good));
      await ask(first, wallet.checkMint, code, { body: { mintUrl: mint.url } });
      await ask(first, wallet.changeMintAddress, code, { body: { from: mint.url } });
    });
    const server = await startAgain(first, mint);
    await ask(server, wallet.validateToken, 'success', body(good));
    await ask(server, wallet.validateToken, 'success', { ...body('nonsense'), label: 'malformed' });
    const { body: receipt } = await ask(server, wallet.receiveToken, 'success', keyed('a', { token: good }));
    await ask(server, wallet.receiveToken, 'success', {
      ...keyed('a', { token: good }),
      label: 'repeated',
    });
    await ask(server, wallet.receiveToken, 'idempotency_key_reused', keyed('a', { token: 'other' }));
    await ask(server, wallet.validateToken, 'success', { ...body(good), label: 'spent by this wallet' });
    await ask(server, wallet.receiveToken, 'token_spent', { ...body(good), label: 'by this wallet' });

    await ask(server, wallet.validateToken, 'success', { ...body(INVOICE), label: 'an invoice' });
    await ask(server, wallet.receiveToken, 'malformed_token', { ...body(INVOICE), label: 'an invoice' });

    const spent = mint.issue(8);
    mint.spend([spent]);
    mint.setLimits({ maxInputs: 20 });
    const refusals = [
      ['token_spent', spent],
      ['malformed_token', 'nonsense'],
      ['wrong_mint', mint.issue(5, { mintUrl: 'https://another.invalid' })],
      ['wrong_unit', mint.issue(7, { unit: 'usd' })],
      ['token_locked', mint.issue(8, { p2pk: KEY })],
      ['token_unsupported', ofLaterVersion(mint.issue(8, { version: 'A' }))],
      ['invalid_signature', mint.issue(8, { badDleq: true })],
      ['amount_below_fee', mint.issue(1, { withoutDleq: true })],
      ['token_too_large', mint.issue(64, { proofCount: 21, withoutDleq: true })],
    ] as const;
    for (const [code, token] of refusals) await ask(server, wallet.receiveToken, code, body(token));
    const forged = mint.issue(8, { forged: true });
    await ask(server, wallet.receiveToken, 'invalid_signature', { ...body(forged), label: "the mint's" });
    mint.fail('/v1/swap', REFUSAL);
    await ask(server, wallet.receiveToken, 'mint_refused', body(mint.issue(8)));

    await ask(server, wallet.getOperation, 'success', operation(receipt.operationId));
    await ask(server, wallet.getOperation, 'operation_not_found', operation(NO_ID));
    const said = { agent: 'scout', label: 'Order 17' };
    await ask(server, wallet.attributeOperation, 'success', {
      ...operation(receipt.operationId),
      body: said,
    });
    await ask(server, wallet.attributeOperation, 'operation_not_found', {
      ...operation(NO_ID),
      body: said,
    });
    await ask(server, wallet.listHistory, 'success', { query: { agent: 'scout' }, label: 'of an agent' });
    await ask(server, getEarnings, 'success');
    await ask(server, getEarnings, 'invalid_agent_id', { query: { agent: '-x' } });
    await ask(server, wallet.getBalance, 'success');
    await ask(server, wallet.getMint, 'success');
    await ask(server, wallet.checkMint, 'success', { body: { mintUrl: mint.url } });
    await ask(server, wallet.changeMintAddress, 'not_same_mint', { body: { from: mint.url } });

    mint.fail('/v1/swap', { kind: 'hang', times: 1 });
    const slow = { token: mint.issue(8) };
    const receiving = server.receive(slow.token, 'b');
    await until(() => mint.hanging() === 1);
    await ask(server, wallet.receiveToken, 'idempotency_key_in_use', keyed('b', slow));
    mint.clearFaults();
    expect((await receiving).status).toBe(200);

    misbehave(mint);
    const stuck = body(mint.issue(8));
    const asked = ask(server, wallet.receiveToken, 'redemption_pending', stuck);
    const { operationId } = (await whileTimePasses(server, asked)).body;
    await ask(server, wallet.getOperation, 'success', { ...operation(operationId), label: 'pending' });
    await ask(server, wallet.receiveToken, 'token_in_progress', { ...stuck, label: 'in this wallet' });
    await ask(server, wallet.releaseOperation, 'success', {
      ...operation(operationId),
      label: 'a receive',
    });
    mint.clearFaults();

    await server.close();
    const moved = await startCopy(await otherAddress(mint), { directory: server.directory });
    const from = { body: { from: mint.url } };
    await until(async () => (await moved.call('GET', '/api/wallet/mint')).body.foreignKeysets !== undefined);
    await ask(moved, wallet.getMint, 'success', { label: 'at another address' });
    await ask(moved, wallet.changeMintAddress, 'success', from);

    const hidden = mint.issue(8);
    mint.rotate({ hideOld: true });
    const other = await startCopy(mint);
    await ask(other, wallet.receiveToken, 'unknown_keyset', body(hidden));
  }));
