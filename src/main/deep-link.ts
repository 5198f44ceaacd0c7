import { app } from 'electron';

const SCHEME = 'cashu';

/** A token of 1,000 proofs has about 100 kB. A longer text is cut: long enough that the page says it is too long. */
const LONGEST_LINK = 100_000;

/**
 * What follows it on a command line is no switch, to Chromium neither. So every entry that tells a system how to open
 * a link has it: electron-builder.config.ts, packaging/installer.nsh, {@link claimScheme}.
 */
const END_OF_SWITCHES = '--';

const isLink = (text: string): boolean => text.toLowerCase().startsWith(`${SCHEME}:`);

/** What a command line says before a link could be in it. */
export const switchesOf = (argv: readonly string[]): readonly string[] => {
  const end = argv.indexOf(END_OF_SWITCHES);
  return end === -1 ? argv : argv.slice(0, end);
};

/** A web page can open links without end; what a person opened is among the first. */
const MOST_LINKS = 10;

/** The `cashu:` link of a command line, where Windows and Linux put it. */
export const linkIn = (argv: readonly string[]): string | undefined =>
  argv.slice(switchesOf(argv).length + 1).find(isLink);

/** What a launch hands over to the program that runs already. */
export const handOver = (argv: readonly string[]): Record<string, string> => {
  const link = linkIn(argv);
  return link === undefined ? {} : { link };
};

/** The link that was handed over, by {@link handOver} or whatever else has our lock's name. */
export const linkOf = (secondInstanceData: unknown): string | undefined => {
  if (
    typeof secondInstanceData !== 'object' ||
    secondInstanceData === null ||
    !('link' in secondInstanceData)
  )
    return undefined;
  return typeof secondInstanceData.link === 'string' ? secondInstanceData.link : undefined;
};

/** Links that were opened and that no page has taken yet. */
export interface WaitingLinks {
  /** Text of another scheme is passed over, and so is what comes while ten wait. */
  add(link: string): void;
  /** The oldest one, and forgets it; null when there is none. */
  take(): string | null;
}

/** Links for a page to take. `onAdd` is called for each. They only ever fill a field in: nothing is redeemed, nothing runs. */
export const createWaitingLinks = (onAdd: () => void): WaitingLinks => {
  const waiting: string[] = [];
  return {
    add(link) {
      // SECURITY: a system hands over whatever a web page named; only this scheme is ours.
      if (!isLink(link) || waiting.length >= MOST_LINKS) return;
      waiting.push(link.slice(0, LONGEST_LINK + 1));
      onAdd();
    },
    take: () => waiting.shift() ?? null,
  };
};

/** Makes this program, which `file` starts, the one for `cashu:` links, unless the person has another one. */
export const claimScheme = (file: string): void => {
  if (!app.isPackaged || app.getApplicationNameForProtocol(`${SCHEME}://`) !== '') return;
  // Windows alone heeds file and switch. SECURITY: without the switch a link with a quote in it could add its own.
  app.setAsDefaultProtocolClient(SCHEME, file, [END_OF_SWITCHES]);
};
