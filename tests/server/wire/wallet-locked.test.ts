import { randomBytes } from 'node:crypto';
import { onTestFinished, test } from 'vitest';
import { type SeedVault, VaultUnavailableError } from '../../../src/server/wallet/seed/seed-vault.ts';
import { endpoints } from '../../../src/shared/api/index.ts';
import { REQUEST } from '../../support/charges.ts';
import { startTestMint } from '../../support/mint/test-mint.ts';
import { WORDS } from '../../support/seed.ts';
import { serveWallet } from '../../support/wallet.ts';
import { recordWire } from './record.ts';
import { NO_ID } from './wallet-cases.ts';

/** A keychain that opens what it sealed until it is locked. */
const createVault = (): SeedVault & { isLocked: boolean } => {
  let text = '';
  return {
    isLocked: false,
    async seal(given) {
      text = given;
      return randomBytes(32);
    },
    async open() {
      if (this.isLocked) throw new VaultUnavailableError('the keychain is locked');
      return { text, isOutdated: false };
    },
  };
};

/** A key that no prepaid balance has. */
const PREPAID_KEY = `sk-${'0'.repeat(64)}`;

/** A body that each route accepts. */
const BODIES: Readonly<Record<string, unknown>> = {
  'wallet.validate': { token: 'cashuB' },
  'wallet.receive': { token: 'cashuB' },
  'wallet.attribute': { agent: null, label: null },
  'wallet.send': { amount: 1 },
  'wallet.changeMintAddress': { from: 'https://mint.example' },
  'wallet.createTestToken': { amount: 1 },
  'wallet.restore': { mnemonic: WORDS },
  'wallet.confirmSeed': { words: [1, 2, 3].map((position) => ({ position, word: 'abandon' })) },
  'wallet.newSeed': { accept: 'new_words' },
  'charges.create': { amount: 1, requestHash: REQUEST },
  'charges.quote': { amount: 1, requestHash: REQUEST },
  'charges.open-and-pay': { amount: 1, requestHash: REQUEST, token: 'cashuB' },
  'charges.pay': { token: 'cashuB' },
  'charges.settle': { amount: 1 },
  'charges.refund': { token: 'cashuB' },
  'prepaid-balances.open': { token: 'cashuB' },
  'prepaid-balances.read': { prepaidKey: PREPAID_KEY },
  'prepaid-balances.top-up': { prepaidKey: PREPAID_KEY, token: 'cashuB' },
  'prepaid-balances.refund': { prepaidKey: PREPAID_KEY },
  'prepaid-balances.block': { blocked: true },
  'services.start': { agent: 'scout', priceSats: 5 },
};

test('while the keychain is locked, each route of the wallet says so', async () => {
  const mint = await startTestMint();
  onTestFinished(() => mint.close());
  const vault = createVault();
  const seedVault = async () => vault;
  const first = await serveWallet(mint.url, { seedVault });
  await first.close();
  vault.isLocked = true;
  const server = await serveWallet(mint.url, { directory: first.directory, seedVault });
  await recordWire('wallet-locked', async (ask) => {
    for (const endpoint of endpoints.filter(({ errors }) => errors.includes('wallet_locked'))) {
      const body = BODIES[endpoint.id] ?? (endpoint.method === 'POST' ? {} : undefined);
      await ask(server, endpoint, 'wallet_locked', {
        body,
        params: { tokenId: NO_ID, operationId: NO_ID, chargeId: NO_ID, balanceId: NO_ID, agent: 'scout' },
      });
    }
  });
});
