import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from './fixtures.ts';
import { asOperator, type openWallet, tabTo, walletTest as test } from './wallet-page.ts';

/** Words of another wallet that holds so many sats at the mint. */
const WORDS = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';

const wordsDialog = (page: Parameters<typeof openWallet>[0]) =>
  page.getByRole('dialog', { name: 'Backup words' });
const restoreDialog = (page: Parameters<typeof openWallet>[0]) =>
  page.getByRole('dialog', { name: 'Restore from words' });
