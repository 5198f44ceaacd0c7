import { app } from 'electron';

const SCHEME = 'cashu';

/** A token of 1,000 proofs has about 100 kB. A longer text is cut: long enough that the page says it is too long. */
const LONGEST_LINK = 100_000;

/** A web page can open links without end; what a person opened is among the first. */
const MOST_LINKS = 10;

/** The `cashu:` link of a command line, where Windows and Linux put it. */
export const linkIn = (argv: readonly string[]): string | undefined =>
  argv.find((argument) => argument.toLowerCase().startsWith(`${SCHEME}:`));

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
      if (linkIn([link]) === undefined || waiting.length >= MOST_LINKS) return;
      waiting.push(link.slice(0, LONGEST_LINK + 1));
      onAdd();
    },
    take: () => waiting.shift() ?? null,
  };
};

/** Makes this program the one for `cashu:` links, unless the person has another one. */
export const claimScheme = (): void => {
  if (app.isPackaged && app.getApplicationNameForProtocol(`${SCHEME}://`) === '')
    app.setAsDefaultProtocolClient(SCHEME);
};
