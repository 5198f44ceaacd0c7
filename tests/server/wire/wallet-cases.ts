import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { rescanWallet, restoreWallet } from '../../../src/shared/api/wallet.ts';
import { testMint } from '../../support/mint/for-test.ts';
import type { TestMint } from '../../support/mint/test-mint.ts';
import { filesOf, WORDS } from '../../support/seed.ts';
import { startCopy } from '../../support/wallet-copies.ts';
import type { TimedWallet } from '../../support/wallet-recovery.ts';

/** Requests, mints and wallets that several records of the wallet need. */

/** A public key that no wallet here has. */
export const KEY = `02${'79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'}`;
/** An id that nothing has. */
export const NO_ID = '00000000-0000-4000-8000-000000000000';
/** A refusal in the mint's own words. */
export const REFUSAL = { kind: 'error', code: 20_003, detail: 'closed on Sundays', times: 1 } as const;

/** A request with a token. */
export const body = (token: string) => ({ body: { token } });
/** A request with an Idempotency-Key. */
export const keyed = (key: string, sent: unknown) => ({ headers: { 'Idempotency-Key': key }, body: sent });
/** A request about an operation. */
export const operation = (operationId: string) => ({ params: { operationId } });

/** Charges one sat for each proof. */
export const feeMint = () => testMint({ keysets: [{ inputFeePpk: 1000 }, { unit: 'usd' }] });

/** A mint that answers each swap with 500 and has no NUT-09, so that operations stay pending. */
export const misbehave = (mint: TestMint) => {
  mint.fail('/v1/swap', { kind: 'status' });
  mint.fail('/v1/restore', { kind: 'status', status: 404 });
};

/** Starts a wallet again that no longer knows the mint's keysets, so that its next request is for them. */
export const startAgain = async (server: TimedWallet, mint: TestMint): Promise<TimedWallet> => {
  await server.close();
  return startCopy(mint, { directory: server.directory });
};

/** Starts a wallet again whose file with the backup words is gone. */
export const startWithoutSeed = async (server: TimedWallet, mint: TestMint): Promise<TimedWallet> => {
  await server.close();
  for (const name of await filesOf(server.directory)) await rm(join(server.directory, name));
  return startCopy(mint, { directory: server.directory });
};

/** Cases of a mint that is away, and of one that answers nonsense. */
export const askWithoutMint = async (
  mint: TestMint,
  cases: (code: 'mint_unreachable' | 'mint_error') => Promise<unknown>,
) => {
  await mint.away();
  await cases('mint_unreachable');
  await mint.back();
  mint.fail('*', { kind: 'garbage', body: 'shape' });
  await cases('mint_error');
  mint.clearFaults();
};

/** Both searches for sats, with a body each. */
export const RESTORES = [
  [restoreWallet, { mnemonic: WORDS }],
  [rescanWallet, {}],
] as const;
