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
  /** The kind of the operation that brought it. */
  kind: string;
}

/** Content of a wallet's databases that may be unknown elsewhere. */
export interface WalletContent {
  /** Tokens of sends. */
  tokens: string[];
  /** Outputs that left, or may have left, in tokens. They are random, so no words bring them back. */
  sendOutputs: Output[];
  /** Random outputs of unfinished receives. An earlier copy doesn't have them, and no words bring them back either. */
  randomOutputs: Output[];
  held: HeldProof[];
}

/** Whether a file of a wallet directory is a database. */
export const isDatabase = (name: string): boolean => name.endsWith('.sqlite');

/** Reads what a wallet directory holds of a mint. Its server has ended, or it is a copy. */
export const readWallet = (directory: string, mintUrl: string): WalletContent => {
  const content: WalletContent = { tokens: [], sendOutputs: [], randomOutputs: [], held: [] };
  for (const name of readdirSync(directory).filter(isDatabase)) {
    const database = new DatabaseSync(join(directory, name));
    const ofMint = 'mint = (SELECT id FROM mints WHERE url = ?)';
    const rows = (sql: string) => database.prepare(sql).all(mintUrl);
    for (const { token } of rows(`SELECT token FROM operations WHERE token <> '' AND ${ofMint}`)) {
      content.tokens.push(String(token));
    }
    const plans = rows(
      `SELECT plan FROM (
         SELECT mint, plan FROM operations WHERE plan IS NOT NULL
         UNION ALL SELECT mint, old_plans.plan FROM old_plans JOIN operations ON number = operation
       ) WHERE ${ofMint}`,
    );
    for (const { plan } of plans) {
      const { send, keep, counters } = JSON.parse(String(plan)) as SwapPlan;
      content.sendOutputs.push(...send);
      if (!counters) content.randomOutputs.push(...keep);
    }
    const held = rows(
      `SELECT y, keyset_id AS id, proofs.amount, secret, c AS C, kind
       FROM proofs JOIN operations ON number = operation WHERE proofs.${ofMint}`,
    );
    for (const row of held) content.held.push(row as unknown as HeldProof);
    database.close();
  }
  return content;
};

/** Says where the books of a wallet directory don't add up. Its server has ended, or it is a copy. */
export const auditDirectory = (directory: string): string[] =>
  readdirSync(directory)
    .filter(isDatabase)
    .flatMap((name) => auditWallet(join(directory, name)));

/** Reads what a wallet directory says that it holds of a mint. Its server has ended, or it is a copy. */
export const holdingsOf = (directory: string, mintUrl: string): Holdings =>
  readHoldings(join(directory, 'wallet.sqlite'), mintUrl);

/** The keysets of a mint that a wallet directory knows. Its server has ended. */
export const knownKeysets = (directory: string, mintUrl: string): string[] => {
  const database = new DatabaseSync(join(directory, 'wallet.sqlite'), { readOnly: true });
  const rows = database
    .prepare('SELECT keysets.id FROM keysets JOIN mints ON mints.id = mint WHERE url = ?')
    .all(mintUrl);
  database.close();
  return rows.map(({ id }) => String(id));
};

/** The secret of an output, as in its proof. */
export const secretOf = ({ secret }: Output): string => Buffer.from(secret, 'hex').toString('utf8');

/** The Y by which a mint knows a secret's proof. */
export const yOf = (secret: string): string => pointOfSecret(secret).toHex(true);
