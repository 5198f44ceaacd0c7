import { expect, test } from 'vitest';
import * as wallet from '../../../src/shared/api/wallet.ts';
import { testMint } from '../../support/mint/for-test.ts';
import type { TestMint } from '../../support/mint/test-mint.ts';
import { ofLaterVersion, serveWallet } from '../../support/wallet.ts';
import { startCopy } from '../../support/wallet-copies.ts';
import { whileTimePasses } from '../../support/wallet-recovery.ts';
import { type Ask, recordWire } from './record.ts';
import { askWithoutMint, feeMint, KEY, misbehave, REFUSAL, startWithoutSeed } from './wallet-cases.ts';

/** Receives tokens in DEV_MODE, then opens the real wallet of the same directory. */
const receiveInDevMode = async (mint: TestMint, tokens: readonly string[]) => {
  const dev = await serveWallet(mint.url, { environment: { DEV_MODE: 'true' } });
  for (const token of tokens) expect((await dev.receive(token)).status).toBe(200);
  await dev.close();
  return startCopy(mint, { directory: dev.directory });
};

test('the wire of tokens received in DEV_MODE is as recorded', () =>
  recordWire('wallet-test-tokens', async (ask) => {
    const mint = await feeMint();
    const [spent, pending] = [mint.issue(4), mint.issue(4)];
    const tokens = {
      good: mint.issue(16, { memo: 'coffee' }),
      refused: mint.issue(16),
      unsure: mint.issue(16),
      spent,
      pending,
      forged: mint.issue(5, { badDleq: true }),
      locked: mint.issue(6, { p2pk: KEY }),
      later: ofLaterVersion(mint.issue(8, { version: 'A' })),
      dust: mint.issue(2, { proofCount: 2 }),
      large: mint.issue(64, { proofCount: 21 }),
    };
    let server = await receiveInDevMode(mint, Object.values(tokens));
    mint.spend([spent]);
    mint.setPending([pending]);
    mint.setLimits({ maxInputs: 20 });
    const { body: listed } = await ask(server, wallet.listTestTokens, 'success');
    const ids = listed.tokens.map(({ id }: { id: string }) => id);
    const idOf = Object.fromEntries(Object.keys(tokens).map((name, at) => [name, ids[at] as string]));
    const redeem = (name: keyof typeof tokens, outcome: Parameters<Ask>[2]) =>
      ask(server, wallet.redeemTestToken, outcome, { params: { tokenId: idOf[name] ?? '' } });

    await askWithoutMint(mint, (code) => redeem('good', code));
    await server.close();
    server = await startCopy(mint, { directory: server.directory });
    await redeem('spent', 'token_spent');
    await redeem('pending', 'token_in_progress');
    await redeem('forged', 'invalid_signature');
    await redeem('locked', 'token_locked');
    await redeem('later', 'token_unsupported');
    await redeem('dust', 'amount_below_fee');
    await redeem('large', 'token_too_large');
    mint.fail('/v1/swap', REFUSAL);
    await redeem('refused', 'mint_refused');
    await redeem('good', 'success');
    await redeem('good', 'test_token_not_found');
    const drop = { params: { tokenId: idOf.locked ?? '' } };
    await ask(server, wallet.dropTestToken, 'success', drop);
    await ask(server, wallet.dropTestToken, 'test_token_not_found', drop);
    misbehave(mint);
    await whileTimePasses(server, redeem('unsure', 'redemption_pending'));
    mint.clearFaults();

    server = await startWithoutSeed(server, mint);
    await redeem('dust', 'seed_missing');

    const changed = await testMint();
    const old = changed.issue(8);
    changed.rotate({ hideOld: true });
    const other = await receiveInDevMode(changed, [old]);
    const [first] = (await other.asOperator('GET', wallet.listTestTokens.path)).body.tokens;
    await ask(other, wallet.redeemTestToken, 'unknown_keyset', { params: { tokenId: first.id } });
  }));
