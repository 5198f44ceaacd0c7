import { bareToken } from '../../../../../shared/bare-token.ts';

/** The most a link may hold: 100 kB, as browsers and systems hand on no longer ones. */
const LONGEST_LINK = 100_000;

/** The parts of the browser that a link passes through. */
export interface BrowserParts {
  readonly location: Pick<Location, 'hash' | 'pathname' | 'search'>;
  readonly history: Pick<History, 'replaceState' | 'state'>;
}

/** What a link brought: a token, or why it was not taken. */
export type LinkContent = { readonly token: string } | { readonly problem: 'wrongScheme' | 'tooLong' };

/** Reads the text of a link, with its scheme or without. */
export const readCashuLink = (text: string): LinkContent => {
  if (text.length > LONGEST_LINK) return { problem: 'tooLong' };
  const token = bareToken(text);
  return /^cashu[AB][\w+/=-]+$/.test(token) ? { token } : { problem: 'wrongScheme' };
};

/**
 * Takes a token out of the address bar (`/wallet#cashu=<token>`): in the fragment it reaches no server and no log, and taken out
 * it is in no bookmark or screenshot. Null when there is none. It only fills the field in; nothing is redeemed.
 */
export const consumeCashuLink = ({ location, history }: BrowserParts): LinkContent | null => {
  // Read as a form, a `+` would be a blank; the tokens of some wallets have it.
  const fragment = new URLSearchParams(location.hash.slice(1).replaceAll('+', '%2B'));
  const text = fragment.get('cashu');
  if (text === null) return null;
  fragment.delete('cashu');
  const rest = fragment.toString();
  history.replaceState(history.state, '', `${location.pathname}${location.search}${rest && `#${rest}`}`);
  return readCashuLink(text);
};
