import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isDatabase, readWallet, type WalletContent } from './leftovers.ts';

/** The directory a server runs in. Its data are in `data` below. */
export interface DataDirectory {
  path: string;
  /** Lives of servers whose outcome is in the data. A promise of any other life may be forgotten. */
  lives: Set<number>;
}

/** The data directories of a run. Every function needs the servers of the directories it changes to have ended. */
export interface Directories {
  main: DataDirectory;
  /** Whether a server lived long enough to make a wallet. */
  hasWallet(): boolean;
  /** Copies the data of the main directory. */
  takeCopy(): void;
  /** Puts one of the copies back. Returns what the data held that were there before. */
  rollBack(): WalletContent;
  /** A second directory with the same data, so with the same words. */
  split(): DataDirectory;
  /** Removes a second directory. Returns what it held. */
  end(second: DataDirectory): WalletContent;
  /** Puts the data of a second directory in the place of the main ones. Returns what those held. */
  takeOver(second: DataDirectory): WalletContent;
}

const MOST_COPIES = 4;

/** The wallet of a data directory. */
export const walletOf = ({ path }: Pick<DataDirectory, 'path'>): string => join(path, 'data/wallet');

/** Makes the {@link Directories} of a run below an empty directory. */
export const createDirectories = (directory: string, random: () => number): Directories => {
  const make = (name: string, lives: Iterable<number>): DataDirectory => {
    const path = join(directory, name);
    mkdirSync(join(path, 'root'), { recursive: true });
    return { path, lives: new Set(lives) };
  };
  const dataOf = ({ path }: DataDirectory) => join(path, 'data');
  const replace = (from: DataDirectory, to: DataDirectory) => {
    rmSync(dataOf(to), { recursive: true, force: true });
    cpSync(dataOf(from), dataOf(to), { recursive: true });
    to.lives = new Set(from.lives);
  };

  const main = make('main', []);
  const copies: DataDirectory[] = [];
  let number = 0;
  const copyMain = (name: string) => {
    number += 1;
    const copy = make(`${name}-${number}`, []);
    replace(main, copy);
    return copy;
  };
  const remove = ({ path }: DataDirectory) => rmSync(path, { recursive: true });

  return {
    main,
    hasWallet: () => existsSync(walletOf(main)) && readdirSync(walletOf(main)).some(isDatabase),
    takeCopy() {
      copies.push(copyMain('copy'));
      if (copies.length > MOST_COPIES) remove(copies.shift() ?? main);
    },
    rollBack() {
      const copy = copies[Math.floor(random() * copies.length)];
      if (!copy) throw new Error('no copy was taken');
      const content = readWallet(walletOf(main));
      replace(copy, main);
      return content;
    },
    split: () => copyMain('second'),
    end(second) {
      const content = readWallet(walletOf(second));
      remove(second);
      return content;
    },
    takeOver(second) {
      const content = readWallet(walletOf(main));
      replace(second, main);
      remove(second);
      return content;
    },
  };
};
