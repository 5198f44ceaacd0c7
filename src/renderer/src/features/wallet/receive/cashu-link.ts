import { bareToken, isTokenText } from '../../../../../shared/bare-token.ts';

/** The longest link: 100 kB, because browsers and systems don't pass on longer ones. */
const LONGEST_LINK = 100_000;

/** The parts of the browser that a link passes through. */
interface BrowserParts {
  readonly location: Pick<Location, 'hash' | 'pathname' | 'search'>;
  readonly history: Pick<History, 'replaceState' | 'state'>;
}

/** The content of a link: a token, or why it was refused. */
export type LinkContent = { readonly token: string } | { readonly problem: 'wrongScheme' | 'tooLong' };

/** Reads the text of a link, with its scheme or without. */
export const readCashuLink = (text: string): LinkContent => {
  if (text.length > LONGEST_LINK) return { problem: 'tooLong' };
  const token = bareToken(text);
  return isTokenText(token) ? { token } : { problem: 'wrongScheme' };
};

/**
 * Removes a token from the address bar (`/wallet#cashu=<token>`). Null if there is none. In the fragment it
 * reaches no server and no log, and once removed, no bookmark or screenshot. It only fills in the field.
 * Nothing is redeemed.
 */
export const consumeCashuLink = ({ location, history }: BrowserParts): LinkContent | null => {
  // `URLSearchParams` reads a `+` as a space, and the tokens of some wallets contain it.
  const fragment = new URLSearchParams(location.hash.slice(1).replaceAll('+', '%2B'));
  const text = fragment.get('cashu');
  if (text === null) return null;
  fragment.delete('cashu');
  const rest = fragment.toString();
  history.replaceState(history.state, '', `${location.pathname}${location.search}${rest && `#${rest}`}`);
  return readCashuLink(text);
};
