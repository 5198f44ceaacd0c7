import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished } from 'vitest';
import { findSecrets, secretsOfToken, secretsOfWallet } from '../torture/secrets.ts';
import { keepLog } from './kept-log.ts';
import type { TestMint } from './mint/test-mint.ts';
import { makeRoot } from './root.ts';
import { type Answer, type ServeOptions, serve, type TestServer } from './server.ts';
import { makeTempDirectory } from './temp.ts';

/** A server with a real wallet, and shorthands for frequent calls of tests. */
export interface WalletServer extends TestServer {
  /** The wallet directory. */
  directory: string;
  validate(token: unknown): Promise<Answer>;
  receive(token: unknown, key?: string): Promise<Answer>;
  /** Calls with the operator token. */
  asOperator(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  balance(): Promise<number>;
}

/** The options of a wallet's server, except its mint. */
export interface WalletServerOptions extends ServeOptions {
  /** The wallet directory. Default: a new one. */
  directory?: string;
  /** The root. Default: a new one. */
  root?: string;
}

/** The secrets of a text that may be a token. No log may contain them. */
const secretsOfText = (text: string): string[] => {
  try {
    return secretsOfToken(text);
  } catch {
    // Some tests pass text that isn't a token.
    return [];
  }
};
const secretsOfDirectory = (directory: string): string[] => {
  try {
    return secretsOfWallet(directory);
  } catch {
    // Some tests damage it.
    return [];
  }
};

/**
 * Starts the real server with a real wallet at a mint. It ends with the test. Its log, at the most verbose
 * level, is then searched for secrets.
 */
export const serveWallet = async (
  mintUrl: string,
  { directory, root, environment = {}, ...options }: WalletServerOptions = {},
): Promise<WalletServer> => {
  const walletDirectory = directory ?? join(await makeTempDirectory(), 'wallet');
  const log = keepLog('wallet-server');
  const server = await serve(root ?? (await makeRoot()), {
    logLines: log,
    ...options,
    environment: {
      LOG_LEVEL: 'trace',
      DEV_MODE: 'false',
      MINT_URL: mintUrl,
      WALLET_DB_PATH: walletDirectory,
      ...environment,
    },
  });
  const given = new Set<string>();
  onTestFinished(async () => {
    await server.close();
    const secrets = [...[...given].flatMap(secretsOfText), ...secretsOfDirectory(walletDirectory)];
    expect(findSecrets(log.text(), secrets)).toEqual([]);
  });
  const { operatorToken } = server;
  const call: TestServer['call'] = (method, path, body, headers) => {
    const token = typeof body === 'object' && body !== null && 'token' in body ? body.token : undefined;
    if (typeof token === 'string') given.add(token);
    return server.call(method, path, body, headers);
  };
  const post = (path: string, token: unknown, headers: Record<string, string> = {}) =>
    call('POST', `/api/wallet/${path}`, { token }, headers);
  const authorization = { Authorization: `Bearer ${operatorToken}` };
  return {
    ...server,
    call,
    directory: walletDirectory,
    validate: (token) => post('validate', token),
    receive: (token, key) => post('receive', token, key === undefined ? {} : { 'Idempotency-Key': key }),
    asOperator: (method, path, body, headers = {}) =>
      call(method, path, body, { ...authorization, ...headers }),
    balance: async () => (await call('GET', '/api/wallet/balance')).body.balance,
  };
};

/** The database of the real wallet in a directory. */
export const databasePath = async (directory: string): Promise<string> => join(directory, 'wallet.sqlite');

/** Rows of the real wallet's database. Its server must be closed, because it locks the file. */
export const readRows = async (directory: string, sql: string): Promise<Record<string, unknown>[]> => {
  const database = new DatabaseSync(await databasePath(directory));
  try {
    return database
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }));
  } finally {
    database.close();
  }
};

/** A mint's swap count and totals: equal before and after something that changes nothing there. */
export const mintFootprint = (mint: TestMint) => ({
  swaps: mint.requests('/v1/swap').length,
  totals: mint.totals(),
});

/** A version-3 token with changed JSON. */
export const editA = (token: string, edit: (json: TokenA) => unknown): string => {
  const json = JSON.parse(Buffer.from(token.slice(6), 'base64url').toString('utf8')) as TokenA;
  return `cashuA${Buffer.from(JSON.stringify(edit(json) ?? json)).toString('base64url')}`;
};

/** A version-3 token with changed proofs. */
export const editProofs = (
  token: string,
  edit: (proof: Record<string, unknown>) => Record<string, unknown>,
): string =>
  editA(token, (json) => ({
    ...json,
    token: json.token.map((entry) => ({ ...entry, proofs: entry.proofs.map(edit) })),
  }));

/** A version-3 token whose keyset has a later version than any that exists (NUT-02). */
export const ofLaterVersion = (token: string): string =>
  editProofs(token, (proof) => ({ ...proof, id: `02${'a'.repeat(64)}` }));

/** The JSON of a token of version 3 (NUT-00). */
export interface TokenA {
  token: { mint: string; proofs: Record<string, unknown>[] }[];
  unit?: unknown;
  memo?: unknown;
}
