import type { CheckedMint } from '../../shared/api/wallet.ts';
import { createKeyedLock } from '../platform/keyed-lock.ts';
import { createMintThread } from './mint/mint-thread.ts';
import { normalizeMintUrl } from './mint/token-text.ts';
import { toAppError } from './operations/problems.ts';

/** Fetches what the mint at an address offers. Throws `mint_unreachable` and `mint_error`. */
type MintCheck = (mintUrl: string) => Promise<CheckedMint>;

/**
 * Creates a {@link MintCheck}. Each check has its own thread, because the wallet may use another mint. Only one runs
 * at a time.
 */
export const createMintCheck = (workerUrl: URL, timeoutMs?: number): MintCheck => {
  const lock = createKeyedLock();
  return (mintUrl) =>
    lock.run('check', async () => {
      const mint = normalizeMintUrl(mintUrl);
      const thread = createMintThread(workerUrl, { mintUrl: mint, timeoutMs, keysets: [] });
      try {
        const { info, units, lacks } = await thread.offer();
        return { mint, ...(info.name ? { name: info.name } : {}), units, lacks };
      } catch (error) {
        throw toAppError(error);
      } finally {
        await thread.close();
      }
    });
};
