import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { app } from 'electron';
import { z } from 'zod';
import { writeAtomically } from '../server/platform/atomic-write.ts';

const SCHEME = 'cashu';

/** A token with 1,000 proofs takes about 100 kB. A longer link is cut, but is still reported as too long. */
const LONGEST_LINK = 100_000;

/**
 * After it, nothing on a command line is a switch, not even for Chromium. So every entry that defines how a system
 * opens links includes it: electron-builder.config.ts, packaging/installer.nsh, {@link claimScheme}.
 */
const END_OF_SWITCHES = '--';

const isLink = (text: string): boolean => text.toLowerCase().startsWith(`${SCHEME}:`);

/** Returns the part of a command line before any link. */
export const switchesOf = (argv: readonly string[]): readonly string[] => {
  const end = argv.indexOf(END_OF_SWITCHES);
  return end === -1 ? argv : argv.slice(0, end);
};

/** Limited, because a web page can open links endlessly. Links that a person opened are among the first. */
const MOST_LINKS = 10;

/** Returns the `cashu:` link on a command line, where Windows and Linux put it. */
export const linkIn = (argv: readonly string[]): string | undefined =>
  argv.slice(switchesOf(argv).length + 1).find(isLink);

/** Returns the data that a second launch passes to the running program. */
export const handOver = (argv: readonly string[]): Record<string, string> => {
  const link = linkIn(argv);
  return link === undefined ? {} : { link };
};

/** Returns the link that a second launch passed, from {@link handOver} or any other program with our lock's name. */
export const deepLinkOf = (secondInstanceData: unknown): string | undefined => {
  if (
    typeof secondInstanceData !== 'object' ||
    secondInstanceData === null ||
    !('link' in secondInstanceData)
  )
    return undefined;
  return typeof secondInstanceData.link === 'string' ? secondInstanceData.link : undefined;
};

/** Opened links that no page has consumed yet. */
interface WaitingLinks {
  /** Ignores text with another scheme, and further links while ten wait. */
  add(link: string): void;
  /** Removes and returns the oldest link, or null. */
  take(): string | null;
  /** Removes and returns all links. */
  takeAll(): string[];
}

/** Keeps links for a page. Calls `onAdd` for each. Links only fill in a field. They don't redeem or run anything. */
export const createWaitingLinks = (onAdd: () => void): WaitingLinks => {
  const waiting: string[] = [];
  return {
    add(link) {
      // SECURITY: the system passes on any link from a web page, and only this scheme is ours.
      if (!isLink(link) || waiting.length >= MOST_LINKS) return;
      waiting.push(link.slice(0, LONGEST_LINK + 1));
      onAdd();
    },
    take: () => waiting.shift() ?? null,
    takeAll: () => waiting.splice(0),
  };
};

const keptSchema = z.array(z.string().max(LONGEST_LINK + 1));

/** Saves links in a file at shutdown, for the next start. */
interface KeptLinks {
  /** Returns the links and removes the file. Empty if the file is missing or damaged. */
  take(): Promise<string[]>;
  /** Writes the links from `takeAll`, repeatedly, because links can arrive during the write. */
  keep(takeAll: () => readonly string[]): Promise<void>;
}

/** Stores links in `<directory>/waiting-links.json`. */
export const createKeptLinks = (directory: string): KeptLinks => {
  const path = join(directory, 'waiting-links.json');
  return {
    async take() {
      try {
        const links = keptSchema.parse(JSON.parse(await readFile(path, 'utf8')));
        await rm(path);
        return links;
      } catch {
        return [];
      }
    },
    async keep(takeAll) {
      const links: string[] = [];
      for (let more = takeAll(); more.length > 0; more = takeAll()) {
        links.push(...more);
        // SECURITY: anyone who can read a link can spend its sats.
        await writeAtomically(path, Buffer.from(JSON.stringify(links)), { mode: 0o600 });
      }
    },
  };
};

/** Registers this program, which `file` starts, for `cashu:` links, unless the person chose another one. */
export const claimScheme = (file: string): void => {
  if (!app.isPackaged || app.getApplicationNameForProtocol(`${SCHEME}://`) !== '') return;
  // Only Windows uses these arguments. SECURITY: without the switch, a link with a quote could add switches.
  app.setAsDefaultProtocolClient(SCHEME, file, [END_OF_SWITCHES]);
};

/**
 * Returns whether the desktop opens `cashu:` links with this AppImage. Tools that integrate an AppImage write a
 * desktop entry with its path into the person's applications. Without one, no system setting can point to it.
 */
export const isIntegrated = async (appImage: string): Promise<boolean> => {
  const directory = join(app.getPath('home'), '.local', 'share', 'applications');
  const names = await readdir(directory).catch(() => []);
  for (const name of names.filter((each) => each.endsWith('.desktop'))) {
    const entry = await readFile(join(directory, name), 'utf8').catch(() => '');
    if (entry.includes(appImage) && entry.includes(`x-scheme-handler/${SCHEME}`)) return true;
  }
  return false;
};
