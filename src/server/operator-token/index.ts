import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { renewOperatorToken } from '../../shared/api/operator-token.ts';
import type { Base, Feature } from '../feature.ts';
import { writeAtomically } from '../platform/atomic-write.ts';
import { readPrivateFile, securePrivateDirectory } from '../platform/private-files.ts';

const TOKEN = /^[0-9a-f]{64}$/;

/** Other secret files in a wallet directory: words, databases, keys, with their copies and journals. */
const SECRET_FILE = /^(seed|(dev-)?wallet[.-]|dev\.sqlite|page-keys|agent-keys)/;

/** The operator token, which can be replaced while the server runs. */
interface OperatorToken extends Feature {
  current(): string;
  /** Writes a new token. The old one stops working once this resolves. */
  renew(): Promise<void>;
}

const fileOf = (walletDirectory: string) => join(walletDirectory, 'operator-token');

const writeNew = async (walletDirectory: string): Promise<string> => {
  const token = randomBytes(32).toString('hex');
  // This also replaces a damaged file.
  await writeAtomically(fileOf(walletDirectory), Buffer.from(`${token}\n`), { mode: 0o600 });
  return token;
};

const loadOrMake = async (walletDirectory: string): Promise<string> => {
  await securePrivateDirectory(walletDirectory, (name) => SECRET_FILE.test(name));
  const existing = await readPrivateFile(fileOf(walletDirectory));
  // SECURITY: another user may know a token that others could have written.
  if (existing && !existing.wasWritableByOthers && TOKEN.test(existing.text.trim()))
    return existing.text.trim();
  return writeNew(walletDirectory);
};

/**
 * Loads the operator token of a wallet directory: 256 random bits in hex, created on the first start in
 * `operator-token`.
 *
 * Anyone who can read the file can spend the balance. So the file must be a regular file of ours with mode 0600, in a
 * directory of ours with mode 0700. Wider modes are tightened. Throws `NotPrivateError` for a link, or for another
 * user's file or directory.
 */
export const createOperatorToken = async ({
  config: { walletDirectory },
}: Pick<Base, 'config'>): Promise<OperatorToken> => {
  let token = await loadOrMake(walletDirectory);
  const renew = async () => {
    token = await writeNew(walletDirectory);
  };
  return {
    routes(bind) {
      bind(renewOperatorToken, async () => {
        await renew();
        return { ok: true as const };
      });
    },
    current: () => token,
    renew,
  };
};
