import { join } from 'node:path';
import { renewOperatorToken } from '../../shared/api/operator-token.ts';
import type { Base, Feature } from '../feature.ts';
import { securePrivateDirectory } from '../platform/private-files.ts';
import { makeSecret, readOrMakeSecret } from '../platform/secret-file.ts';

/** Other secret files in a wallet directory: words, databases, keys, with their copies and journals. */
const SECRET_FILE = /^(seed|(dev-)?wallet[.-]|dev\.sqlite|page-keys|agent-keys)/;

/** The operator token, which can be replaced while the server runs. */
interface OperatorToken extends Feature {
  current(): string;
  /** Writes a new token. The old one stops working once this resolves. */
  renew(): Promise<void>;
}

const fileOf = (walletDirectory: string) => join(walletDirectory, 'operator-token');

const loadOrMake = async (walletDirectory: string): Promise<string> => {
  await securePrivateDirectory(walletDirectory, (name) => SECRET_FILE.test(name));
  return readOrMakeSecret(fileOf(walletDirectory));
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
    token = await makeSecret(fileOf(walletDirectory));
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
