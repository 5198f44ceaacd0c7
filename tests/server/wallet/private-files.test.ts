import { spawnSync } from 'node:child_process';
import {
  chmod,
  chown,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { giveToUnprivilegedUser, noUnprivilegedUser, unprivilegedUser } from '../../support/nobody.ts';
import { makeRoot } from '../../support/root.ts';
import { spawnServer, startServerProcess } from '../../support/server-process.ts';
import { makeTempDirectory } from '../../support/temp.ts';

/** A user who is neither root nor the one that the servers run as. */
const STRANGER = 65_533;
const PLANTED = 'ab'.repeat(32);

/** Why no second user can act here, if so. */
const noStranger = (): string | undefined => {
  const why = noUnprivilegedUser();
  if (why !== undefined) return why;
  if (process.getuid?.() !== 0) return 'only root can act as two users';
  const { status } = spawnSync('setpriv', [`--reuid=${STRANGER}`, '--clear-groups', 'true'], {
    stdio: 'ignore',
  });
  return status === 0 ? undefined : 'there is no setpriv';
};

/** Runs a shell command as the stranger; throws when the system refuses it. */
const asStranger = (script: string, ...args: string[]): void => {
  const { status, stderr } = spawnSync(
    'setpriv',
    [`--reuid=${STRANGER}`, `--regid=${STRANGER}`, '--clear-groups', 'sh', '-euc', script, 'sh', ...args],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`the stranger could not: ${stderr}`);
};

/** A data directory of the user that servers run as, with a wallet that one made, whose token is returned. */
const makeWallet = async () => {
  const data = await makeTempDirectory();
  const root = await makeRoot();
  const inside = (await readdir(root, { recursive: true })).map((name) => join(root, name));
  await giveToUnprivilegedUser([data, dirname(root), root, ...inside]);
  await chmod(data, 0o755);
  const environment = { DOT_MI_ROOT: root };
  const start = () => startServerProcess(environment, data, unprivilegedUser);
  const server = await start();
  await server.stop('SIGTERM');
  const directory = join(data, 'data/wallet');
  const tokenPath = join(directory, 'operator-token');
  // Only the wallet directory is under test: a stranger reaches it.
  await chmod(join(data, 'data'), 0o755);
  return {
    directory,
    tokenPath,
    token: (await readFile(tokenPath, 'utf8')).trim(),
    start,
    /** Starts a server that must refuse: the one line that it prints. */
    async refusal(): Promise<string> {
      const refused = await spawnServer(environment, data, unprivilegedUser);
      expect(await refused.exited).toBe(1);
      const lines = refused.stderr().trimEnd().split('\n');
      expect([refused.stdout(), lines.length]).toEqual(['', 1]);
      return lines[0] ?? '';
    },
  };
};

const modeOf = async (path: string) => (await stat(path)).mode & 0o7777;

const statusWith = async (url: string, token: string) =>
  (await fetch(`${url}/api/wallet/seed`, { headers: { Authorization: `Bearer ${token}` } })).status;

/** DEV_MODE answers 409 to whoever has the operator token. */
const OPERATOR = 409;

test('a file that a stranger put in the place of the token stops the start, with a line that names it', {
  tags: 'slow',
}, async ({ skip }) => {
  const why = noStranger();
  skip(why !== undefined, why);
  const wallet = await makeWallet();
  await chmod(wallet.directory, 0o777);
  asStranger('rm -f "$1"; printf %s "$2" > "$1"; chmod 644 "$1"', wallet.tokenPath, PLANTED);
  expect(await wallet.refusal()).toMatch(
    /^dot-mi could not start: .*\/operator-token belongs to another user/,
  );

  await chmod(wallet.directory, 0o777);
  const elsewhere = join(await makeTempDirectory(), 'token');
  await chmod(dirname(elsewhere), 0o777);
  asStranger(
    'printf %s "$2" > "$3"; chmod 644 "$3"; rm -f "$1"; ln -s "$3" "$1"',
    wallet.tokenPath,
    PLANTED,
    elsewhere,
  );
  expect(await wallet.refusal()).toContain(`${wallet.tokenPath} is a symlink`);

  await rm(wallet.tokenPath);
  await mkdir(wallet.tokenPath);
  expect(await wallet.refusal()).toContain(`${wallet.tokenPath} is not a regular file`);
  await rm(wallet.tokenPath, { recursive: true });
  expect(spawnSync('mkfifo', [wallet.tokenPath]).status).toBe(0);
  await chown(wallet.tokenPath, unprivilegedUser ?? 0, 0);
  expect(await wallet.refusal()).toContain(`${wallet.tokenPath} is not a regular file`);
});

test('a token that a stranger wrote into our own file is not the operator token', { tags: 'slow' }, async ({
  skip,
}) => {
  const why = noStranger();
  skip(why !== undefined, why);
  const wallet = await makeWallet();
  await chmod(wallet.directory, 0o755);
  await chmod(wallet.tokenPath, 0o666);
  asStranger('printf "%s\\n" "$2" > "$1"', wallet.tokenPath, PLANTED);
  const { url } = await wallet.start();
  expect(await statusWith(url, PLANTED)).toBe(401);
  const renewed = (await readFile(wallet.tokenPath, 'utf8')).trim();
  expect(renewed).not.toBe(wallet.token);
  expect(await statusWith(url, renewed)).toBe(OPERATOR);
  expect([await modeOf(wallet.tokenPath), await modeOf(wallet.directory)]).toEqual([0o600, 0o700]);
});

test('a wallet directory that a stranger created first stops the start', async ({ skip }) => {
  const why = noStranger();
  skip(why !== undefined, why);
  const wallet = await makeWallet();
  const data = dirname(wallet.directory);
  await rename(wallet.directory, join(data, 'own'));
  await chmod(data, 0o777);
  asStranger('mkdir -m 777 "$1"; printf %s "$2" > "$1/operator-token"', wallet.directory, PLANTED);
  expect(await wallet.refusal()).toContain(`${wallet.directory} belongs to another user`);

  asStranger('rm -r "$1"; ln -s "$2" "$1"', wallet.directory, join(data, 'own'));
  expect(await wallet.refusal()).toContain(`${wallet.directory} belongs to another user`);
});

test("a stranger's words or database stop the start", { tags: 'slow' }, async ({ skip }) => {
  const why = noStranger();
  skip(why !== undefined, why);
  const wallet = await makeWallet();
  for (const name of [
    'seed-0123456789ab',
    'wallet.sqlite',
    'dev-wallet.sqlite',
    'wallet-mint-01234567.sqlite',
  ]) {
    const path = join(wallet.directory, name);
    await rm(path, { force: true });
    await chmod(wallet.directory, 0o777);
    asStranger('printf x > "$1"', path);
    expect(await wallet.refusal()).toContain(`${path} belongs to another user`);
    await rm(path);
    await symlink('/dev/null', path);
    expect(await wallet.refusal()).toContain(`${path} is a symlink`);
    await rm(path);
  }
});

test('modes that are too wide are tightened at the start, and the token stays', { tags: 'slow' }, async ({
  skip,
}) => {
  const why = noUnprivilegedUser();
  skip(why !== undefined, why);
  const wallet = await makeWallet();
  const seed = join(wallet.directory, 'seed-0123456789ab');
  const other = join(wallet.directory, 'notes.txt');
  for (const path of [seed, other]) await writeFile(path, 'x');
  await giveToUnprivilegedUser([seed, other]);
  await chmod(seed, 0o664);
  await chmod(other, 0o664);
  await chmod(wallet.tokenPath, 0o644);
  await chmod(wallet.directory, 0o2775);
  const { url } = await wallet.start();
  expect(await statusWith(url, wallet.token)).toBe(OPERATOR);
  expect(await modeOf(wallet.tokenPath)).toBe(0o600);
  expect(await modeOf(seed)).toBe(0o600);
  expect((await modeOf(wallet.directory)) & 0o777).toBe(0o700);
  // Not ours to change: nothing of it is a secret of dot-mi.
  expect(await modeOf(other)).toBe(0o664);
});

test('a wallet directory behind a link of our own is fine', { tags: 'slow' }, async ({ skip }) => {
  skip(process.platform === 'win32', 'Windows makes links for administrators only');
  const place = await makeTempDirectory();
  await mkdir(join(place, 'encrypted'), { mode: 0o755 });
  await symlink('encrypted', join(place, 'wallet'));
  const environment = { DOT_MI_ROOT: await makeRoot(), WALLET_DB_PATH: join(place, 'wallet') };
  await startServerProcess(environment);
  expect(await modeOf(join(place, 'encrypted'))).toBe(0o700);
  expect(await readdir(join(place, 'encrypted'))).toContain('operator-token');
});
