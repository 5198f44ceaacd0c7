import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Output, SwapPlan } from '../../src/server/wallet/mint/mint.ts';
import { pointOfSecret } from '../support/mint/keyset.ts';
import { auditWallet, type Holdings, readHoldings } from '../support/wallet-audit.ts';

/** A proof that a wallet holds. */
export interface HeldProof {
  y: string;
  id: string;
  amount: number;
  secret: string;
  C: string;
}

/** Content of a wallet's databases that may be unknown elsewhere. */
export interface WalletContent {
  /** Tokens of sends. */
  tokens: string[];
  /** Outputs that left, or may have left, in tokens. They are random, so no words bring them back. */
  sendOutputs: Output[];
  held: HeldProof[];
}

/** Whether a file of a wallet directory is a database. */
export const isDatabase = (name: string): boolean => name.endsWith('.sqlite');

/** Reads the databases of a wallet directory whose server has ended, or of a copy of it. */
export const readWallet = (directory: string): WalletContent => {
  const content: WalletContent = { tokens: [], sendOutputs: [], held: [] };
  for (const name of readdirSync(directory).filter(isDatabase)) {
    const database = new DatabaseSync(join(directory, name));
    const rows = (sql: string) => database.prepare(sql).all();
    for (const { token } of rows("SELECT token FROM operations WHERE token <> ''")) {
      content.tokens.push(String(token));
    }
    const plans = rows(
      'SELECT plan FROM operations WHERE plan IS NOT NULL UNION ALL SELECT plan FROM old_plans',
    );
    for (const { plan } of plans) content.sendOutputs.push(...(JSON.parse(String(plan)) as SwapPlan).send);
    for (const row of rows('SELECT y, keyset_id AS id, amount, secret, c AS C FROM proofs')) {
      content.held.push(row as unknown as HeldProof);
    }
    database.close();
  }
  return content;
};

/** Says where the books of a wallet directory don't add up. Its server has ended, or it is a copy. */
export const auditDirectory = (directory: string): string[] =>
  readdirSync(directory)
    .filter(isDatabase)
    .flatMap((name) => auditWallet(join(directory, name)));

/** Reads what a wallet directory says that it holds. Its server has ended, or it is a copy. */
export const holdingsOf = (directory: string): Holdings => readHoldings(join(directory, 'wallet.sqlite'));

/** The secret of an output, as in its proof. */
export const secretOf = ({ secret }: Output): string => Buffer.from(secret, 'hex').toString('utf8');

/** The Y by which a mint knows a secret's proof. */
export const yOf = (secret: string): string => pointOfSecret(secret).toHex(true);
