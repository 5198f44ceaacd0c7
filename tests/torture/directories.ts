import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isDatabase } from './leftovers.ts';

/** The directory of a server. Its data is in `data` below. */
export interface DataDirectory {
  path: string;
  /** Lives of servers whose outcome is in the data. A promise of any other life may be forgotten. */
  lives: Set<number>;
}

/** The data directories of a run. Servers must have ended before a function changes their directories. */
export interface Directories {
  main: DataDirectory;
  /** Whether a server lived long enough to create a wallet and its words. Without words, a copy can't be put back. */
  hasWallet(): boolean;
  /** Copies the data of the main directory. */
  takeCopy(): void;
  /** Puts a copy back. */
  rollBack(): void;
  /** A second directory with the same data, so with the same words. */
  split(): DataDirectory;
  /** Removes a second directory. */
  end(second: DataDirectory): void;
  /** Replaces the main data with that of a second directory. */
  takeOver(second: DataDirectory): void;
}

const MOST_COPIES = 4;

const isSeed = (name: string): boolean => name.startsWith('seed-');

/** The wallet of a data directory. */
export const walletOf = ({ path }: Pick<DataDirectory, 'path'>): string => join(path, 'data/wallet');

/**
 * Creates the {@link Directories} of a run below an empty directory. `onRemove` is called with a wallet's directory before it
 * is removed or replaced.
 */
export const createDirectories = (
  directory: string,
  random: () => number,
  onRemove: (wallet: string) => void,
): Directories => {
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
    hasWallet() {
      const names = existsSync(walletOf(main)) ? readdirSync(walletOf(main)) : [];
      return names.some(isDatabase) && names.some(isSeed);
    },
    takeCopy() {
      copies.push(copyMain('copy'));
      if (copies.length > MOST_COPIES) remove(copies.shift() ?? main);
    },
    rollBack() {
      const copy = copies[Math.floor(random() * copies.length)];
      if (!copy) throw new Error('no copy was taken');
      onRemove(walletOf(main));
      replace(copy, main);
    },
    split: () => copyMain('second'),
    end(second) {
      onRemove(walletOf(second));
      remove(second);
    },
    takeOver(second) {
      onRemove(walletOf(main));
      replace(second, main);
      remove(second);
    },
  };
};
