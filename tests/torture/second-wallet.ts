import { spawnWaiting, type WalletProcessOptions } from '../support/wallet-process.ts';
import type { Clients } from './clients.ts';
import type { DataDirectory } from './directories.ts';

/** A server on a copy of the wallet's data, which lives next to the first one for a while. */
export interface SecondWallet {
  directory: DataDirectory;
  /** Ends it, by SIGKILL or as a person would. Resolves with what it logged. */
  end(isGentle: boolean): Promise<string>;
}

/** Starts a {@link SecondWallet} with clients of its own. */
export const startSecondWallet = (
  directory: DataDirectory,
  life: number,
  launchOptions: WalletProcessOptions,
  clients: Clients,
): SecondWallet => {
  const server = spawnWaiting(directory.path).start(launchOptions);
  directory.lives.add(life);
  const lives = new Set(directory.lives);
  const visited = server.listening.then(
    (address) => clients.visit({ address, life, lives, isThere: server.isRunning }, { atOnce: 2 }),
    () => undefined,
  );
  return {
    directory,
    async end(isGentle) {
      await (isGentle ? server.stop() : server.kill());
      await visited;
      return server.stderr();
    },
  };
};
