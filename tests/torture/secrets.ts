import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { getDecodedTokenBinary } from '@cashu/cashu-ts';

/** The length of the secret parts to look for. Shorter ones match by chance. */
const PART = 16;

/** Words of a mnemonic in a row. Fewer of them are in any text. */
const WORDS = 3;

const partsOf = (secret: string): string[] => {
  const parts: string[] = [];
  for (let at = 0; at + PART <= secret.length; at += PART) parts.push(secret.slice(at, at + PART));
  return parts;
};

/** The secrets, signatures and blinding factors of a token's proofs, and the end of its text. */
export const secretsOfToken = (token: string): string[] => {
  const payload = Buffer.from(token.slice(6), 'base64url');
  const proofs: { secret: unknown; C: unknown; dleq?: { r?: unknown } }[] = token.startsWith('cashuA')
    ? JSON.parse(payload.toString('utf8')).token[0].proofs
    : getDecodedTokenBinary(Buffer.concat([Buffer.from('crawB'), payload])).proofs;
  // A token begins with its mint's address and its form, which aren't secret.
  const parts = proofs.flatMap(({ secret, C, dleq }) => [secret, C, dleq?.r]);
  return [token.slice(-64), ...parts.filter((part) => typeof part === 'string')];
};

/**
 * All secrets in the wallets of a data directory whose server has ended: proofs, outputs of pending
 * operations, tokens, words, operator token. Secrets that a wallet no longer has aren't found.
 */
export const secretsOfWallet = (directory: string): string[] => {
  const secrets: string[] = [];
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    if (name.startsWith('seed-') || name === 'operator-token')
      secrets.push(readFileSync(path, 'utf8').trim());
    if (!name.endsWith('.sqlite')) continue;
    const database = new DatabaseSync(path);
    const column = (sql: string) =>
      database
        .prepare(sql)
        .all()
        .map(({ value }) => String(value));
    secrets.push(...column('SELECT secret AS value FROM proofs'), ...column('SELECT c AS value FROM proofs'));
    for (const token of column("SELECT token AS value FROM operations WHERE token <> ''")) {
      secrets.push(...secretsOfToken(token));
    }
    for (const plan of column('SELECT plan AS value FROM operations WHERE plan IS NOT NULL')) {
      const { inputs, keep, send } = JSON.parse(plan);
      for (const { secret, C, blindingFactor } of [...inputs, ...keep, ...send]) {
        secrets.push(...[secret, C, blindingFactor].filter((value) => typeof value === 'string'));
      }
    }
    database.close();
  }
  return secrets;
};

/**
 * The places in a text that contain a part of a secret; empty if none do. Secrets with spaces are mnemonics,
 * of which it looks for words in a row.
 */
export const findSecrets = (text: string, secrets: Iterable<string>): string[] => {
  const parts = new Set<string>();
  const found: string[] = [];
  for (const secret of secrets) {
    const words = secret.split(' ');
    if (words.length === 1) {
      for (const part of partsOf(secret)) parts.add(part);
      // The base64url form of a secret would reveal it too.
      for (const part of partsOf(Buffer.from(secret).toString('base64url').slice(0, -4))) parts.add(part);
    }
    for (let at = 0; words.length > 1 && at + WORDS <= words.length; at++) {
      const row = words.slice(at, at + WORDS);
      if ([' ', ',', '","', ', '].some((between) => text.includes(row.join(between)))) found.push('words');
    }
  }
  for (const [run] of text.matchAll(/[\w+/=-]{16,}/g)) {
    for (let at = 0; at + PART <= run.length; at++) {
      if (!parts.has(run.slice(at, at + PART))) continue;
      found.push(run.slice(0, 100));
      break;
    }
  }
  return found;
};
