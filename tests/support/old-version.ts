import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { getDecodedToken, getEncodedToken } from '@cashu/cashu-ts';
import type { Entry } from '../torture/ask.ts';
import { type FakeClock, makeClock } from './clock.ts';
import { testMint } from './mint/for-test.ts';
import type { Totals } from './mint/store.ts';
import { startTestMint, type TestMint } from './mint/test-mint.ts';
import { PATIENCE_MS } from './patience.ts';
import { makeTempDirectory } from './temp.ts';
import { serveWallet, type WalletServerOptions } from './wallet.ts';
import type { TimedWallet } from './wallet-recovery.ts';

/**
 * A wallet directory that the version before `wallet.sqlite` left (commit e7ca6798), with the state of its two mints. That
 * version wrote all of it at these mints: the databases as SQL, and in `expected.json` its own answers about them. Addresses
 * of mints are placeholders, because a mint of a test has another port each time.
 */
const FIXTURE = fileURLToPath(new URL('../server/wallet/old-version/', import.meta.url));

const read = (name: string) => readFile(join(FIXTURE, name), 'utf8');

/** A request with an Idempotency-Key, and its answer. */
interface AnsweredRequest {
  route: 'receive' | 'send';
  key: string;
  /** Whether the agent key asked. */
  agentKey?: boolean;
  body: Record<string, unknown>;
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests inspect any answer
  answer: any;
}

/** What the version before answered about its directory, last of all. */
interface Expected {
  /** When, as an ISO date. */
  at: string;
  /** Operations by what happened to them. */
  ids: Record<string, string>;
  key: { id: string; secret: string };
  words: string;
  balance: Record<string, unknown>;
  history: Entry[];
  keys: { keys: { spend: { spentToday: number } }[] };
  seed: Record<string, unknown>;
  testTokens: { tokens: { id: string; amount: number }[] };
  balanceHistory: { points: { at: string; balance: number }[] };
  requests: AnsweredRequest[];
  /** The tokens that each mint issued. */
  given: { m: string[]; n: string[] };
  /** The same in DEV_MODE. */
  dev: { balance: Record<string, unknown>; history: Entry[] };
  totals: { m: Totals; n: Totals };
}

/** An old directory with its mints. */
export interface OldVersion {
  directory: string;
  /** The mint that MINT_URL names. */
  mint: TestMint;
  other: TestMint;
  /** The names of the mints' databases in the directory. */
  name: string;
  otherName: string;
  expected: Expected;
}

/** The name that the old version gave the database of a mint. */
export const oldNameOf = (mintUrl: string): string => {
  const { host } = new URL(mintUrl);
  const hash = createHash('sha256').update(mintUrl).digest('hex').slice(0, 8);
  return `wallet-${host.replaceAll(':', '-')}-${hash}.sqlite`;
};

/** Lets a token of the fixture name the mint of this test. */
const moveToken = (token: string, mint: Pick<TestMint, 'url' | 'keysets'>): string => {
  const decoded = getDecodedToken(
    token,
    mint.keysets().map(({ id }) => id),
  );
  return decoded.mint.startsWith('http://127.0.0.1')
    ? getEncodedToken({ ...decoded, mint: mint.url })
    : token;
};

/** Starts a mint with the keys and the state that it had. */
const mintOf = async (seed: string, name: string): Promise<TestMint> => {
  const directory = await makeTempDirectory();
  await (await startTestMint({ directory, seed })).close();
  const database = new DatabaseSync(join(directory, 'mint.sqlite'));
  database.exec(`DELETE FROM keysets; ${await read(name)}`);
  database.close();
  return testMint({ directory });
};

/** The addresses of the fixture's mints. */
interface Urls {
  url: string;
  otherUrl: string;
}

const filler =
  ({ url, otherUrl }: Urls) =>
  (text: string): string =>
    text
      .replaceAll('MINT_URL', url)
      .replaceAll('OTHER_URL', otherUrl)
      .replaceAll('MINT_FILE', oldNameOf(url))
      .replaceAll('OTHER_FILE', oldNameOf(otherUrl));

/** Changes a database of an old directory, whose server must be closed. */
export const editOld = (path: string, edit: (database: DatabaseSync) => void): void => {
  // The tables of the fixture are in no order of their references.
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  edit(database);
  database.close();
};

/** Writes the directory, as a server that stopped leaves it. Tokens still name the mints of the version before. */
export const writeOldDirectory = async (directory: string, urls: Urls): Promise<void> => {
  const fill = filler(urls);
  await mkdir(directory, { mode: 0o700 });
  for (const file of await readdir(FIXTURE))
    if (/^(seed|agent-keys)/.test(file))
      await writeFile(join(directory, file), fill(await read(file)), { mode: 0o600 });
  for (const [name, from] of [
    [oldNameOf(urls.url), 'wallet.sql'],
    [oldNameOf(urls.otherUrl), 'other-wallet.sql'],
    ['dev.sqlite', 'dev.sql'],
  ] as const) {
    const sql = fill(await read(from));
    editOld(join(directory, name), (database) =>
      database.exec(`PRAGMA journal_mode = WAL; BEGIN; ${sql} COMMIT;`),
    );
  }
};

const moveTokens = (path: string, mint: TestMint) =>
  editOld(path, (database) => {
    for (const table of ['operations', 'test_tokens'])
      for (const { token } of database.prepare(`SELECT token FROM ${table} WHERE token IS NOT NULL`).all())
        database
          .prepare(`UPDATE ${table} SET token = ? WHERE token = ?`)
          .run(moveToken(String(token), mint), String(token));
  });

/** Makes an {@link OldVersion} that ends with the test. */
export const makeOldVersion = async (): Promise<OldVersion> => {
  const mint = await mintOf('old version', 'mint.sql');
  const other = await mintOf('another mint', 'other-mint.sql');
  const urls = { url: mint.url, otherUrl: other.url };
  const [name, otherName] = [oldNameOf(mint.url), oldNameOf(other.url)];
  const directory = join(await makeTempDirectory(), 'wallet');
  await writeOldDirectory(directory, urls);
  moveTokens(join(directory, name), mint);
  moveTokens(join(directory, otherName), other);
  moveTokens(join(directory, 'dev.sqlite'), mint);
  const expected: Expected = JSON.parse(filler(urls)(await read('expected.json')));
  const history = expected.history.map((entry) =>
    entry.token === undefined ? entry : { ...entry, token: moveToken(entry.token, mint) },
  );
  return { directory, mint, other, name, otherName, expected: { ...expected, history } };
};

/** Starts the server with an old directory, at the time when the old version stopped. */
export const serveOldVersion = async (
  { directory, mint, expected }: Pick<OldVersion, 'directory' | 'mint' | 'expected'>,
  options: Omit<WalletServerOptions, 'clock'> & { clock?: FakeClock } = {},
): Promise<TimedWallet> => {
  const clock = options.clock ?? makeClock(expected.at);
  const wallet = await serveWallet(mint.url, { directory, mintTimeoutMs: PATIENCE_MS, ...options, clock });
  return { ...wallet, clock };
};
