import { expect, test } from 'vitest';
import * as wallet from '../../../../src/shared/api/wallet.ts';
import { testMint } from '../../../support/mint/for-test.ts';
import { until } from '../../../support/raw-http.ts';
import { OTHER_WORDS, WORDS } from '../../../support/seed.ts';
import { serveWallet } from '../../../support/wallet.ts';
import { earn, startCopy } from '../../../support/wallet-copies.ts';
import { PATIENT } from '../../../support/wallet-recovery.ts';
import { recordWire } from '../record.ts';
import { askWithoutMint, body, NO_ID, operation, RESTORES, startWithoutSeed } from '../wallet-cases.ts';

test('the wire of the backup words is as recorded', () =>
  recordWire('wallet-backup', async (ask) => {
    const mint = await testMint();
    const first = await startCopy(mint, PATIENT);
    await earn(first, mint, 100);
    const { mnemonic } = (await ask(first, wallet.getSeed, 'success')).body;
    const numbered: { position: number; word: string }[] = mnemonic
      .split(' ')
      .map((word: string, index: number) => ({ position: index + 1, word }));
    await ask(first, wallet.confirmSeed, 'success', { body: { words: numbered } });
    await ask(first, wallet.getBalance, 'success', { label: 'backed up' });
    const wrong = numbered.map(({ position }) => ({ position, word: 'hello' }));
    await ask(first, wallet.confirmSeed, 'wrong_words', { body: { words: wrong } });
    await ask(first, wallet.replaceMissingSeed, 'seed_present', { body: { accept: 'new_words' } });
    await ask(first, wallet.restoreWallet, 'invalid_mnemonic', { body: { mnemonic: 'hello' } });
    await ask(first, wallet.restoreWallet, 'nothing_found', { body: { mnemonic: WORDS } });
    await ask(first, wallet.rescanWallet, 'success', { body: {} });

    mint.fail('/v1/restore', { kind: 'hang', times: 1 });
    const searching = first.asOperator('POST', '/api/wallet/rescan', {});
    await until(() => mint.hanging() === 1);
    await ask(first, wallet.restoreWallet, 'wallet_busy', { body: { mnemonic: WORDS } });
    mint.clearFaults();
    expect((await searching).status).toBe(200);
    mint.fail('/v1/restore', { kind: 'hang', times: 1 });
    const restoring = first.asOperator('POST', '/api/wallet/restore', { mnemonic: WORDS });
    await until(() => mint.hanging() === 1);
    await ask(first, wallet.rescanWallet, 'wallet_busy', { body: {} });
    mint.clearFaults();
    expect((await restoring).status).toBe(409);

    for (const [endpoint, sent] of RESTORES) {
      await askWithoutMint(mint, (code) => ask(first, endpoint, code, { body: sent }));
    }
    const other = await startCopy(mint);
    await ask(other, wallet.restoreWallet, 'success', { body: { mnemonic } });
    await other.close();

    const missing = await startWithoutSeed(first, mint);
    await ask(missing, wallet.getSeed, 'seed_missing');
    await ask(missing, wallet.confirmSeed, 'seed_missing', { body: { words: wrong } });
    await ask(missing, wallet.rescanWallet, 'seed_missing', { body: {} });
    await ask(missing, wallet.receiveToken, 'seed_missing', body(mint.issue(8)));
    await ask(missing, wallet.restoreWallet, 'wrong_words', { body: { mnemonic: OTHER_WORDS } });
    await ask(missing, wallet.replaceMissingSeed, 'success', { body: { accept: 'new_words' } });
  }));

test('the wire of DEV_MODE is as recorded', () =>
  recordWire('wallet-dev-mode', async (ask) => {
    const server = await serveWallet('https://mint.invalid', { environment: { DEV_MODE: 'true' } });
    await ask(server, wallet.validateToken, 'success', body('nonsense'));
    const { body: receipt } = await ask(server, wallet.receiveToken, 'success', body('nonsense'));
    await ask(server, wallet.getBalance, 'success');
    await ask(server, wallet.checkProofs, 'dev_mode', { body: {} });
    await ask(server, wallet.changeMintAddress, 'dev_mode', { body: { from: 'https://mint.example' } });
    await ask(server, wallet.getBalanceHistory, 'success');
    await ask(server, wallet.getMint, 'success');
    await ask(server, wallet.listHistory, 'success');
    await ask(server, wallet.listTestTokens, 'success');
    await ask(server, wallet.getOperation, 'success', operation(receipt.operationId));
    const { body: made } = await ask(server, wallet.createTestToken, 'success', { body: { amount: 100 } });
    expect((await server.receive(made.token)).status).toBe(200);
    const { body: sent } = await ask(server, wallet.sendToken, 'success', { body: { amount: 30 } });
    await ask(server, wallet.reclaimToken, 'success', operation(sent.operationId));
    await ask(server, wallet.releaseOperation, 'dev_mode', operation(receipt.operationId));
    await ask(server, wallet.getSeed, 'dev_mode');
    const words = [1, 2, 3].map((position) => ({ position, word: 'abandon' }));
    await ask(server, wallet.confirmSeed, 'dev_mode', { body: { words } });
    await ask(server, wallet.replaceMissingSeed, 'dev_mode', { body: { accept: 'new_words' } });
    for (const [endpoint, sent] of RESTORES) await ask(server, endpoint, 'dev_mode', { body: sent });
    await ask(server, wallet.redeemTestToken, 'dev_mode', { params: { tokenId: NO_ID } });
    await ask(server, wallet.dropTestToken, 'dev_mode', { params: { tokenId: NO_ID } });
    const real = await serveWallet('https://mint.invalid');
    await ask(real, wallet.createTestToken, 'real_money', { body: { amount: 100 } });
  }));
