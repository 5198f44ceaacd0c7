const STORAGE_KEY = 'dot-mi.token';

/** The browser parts that the token passes through. A parameter, so that a test can pass its own. */
interface TokenHome {
  readonly location: Pick<Location, 'hash' | 'pathname' | 'search'>;
  readonly history: Pick<History, 'replaceState' | 'state'>;
}

/** A tab's storage for its page token. */
export type TokenStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** The page token of this tab; null when it isn't signed in. */
export const storedToken = (storage: TokenStorage): string | null => storage.getItem(STORAGE_KEY);

/** Keeps the page token for the tab, or forgets it. */
export const storeToken = (storage: TokenStorage, token: string | null): void => {
  if (token === null) storage.removeItem(STORAGE_KEY);
  else storage.setItem(STORAGE_KEY, token);
};

/**
 * Removes the token from the address bar (`#token=…`) and returns it; null when there is none. So no history
 * entry, bookmark or screenshot contains it. Other parts of the fragment stay.
 */
export const takeToken = ({ location, history }: TokenHome): string | null => {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const token = fragment.get('token');
  if (token === null) return null;
  fragment.delete('token');
  const rest = fragment.toString();
  history.replaceState(history.state, '', `${location.pathname}${location.search}${rest && `#${rest}`}`);
  return token === '' ? null : token;
};

/** The token in pasted text, which is either the printed link or only the token. */
export const tokenInText = (text: string): string => {
  const trimmed = text.trim();
  const fragment = trimmed.includes('#') ? trimmed.slice(trimmed.indexOf('#') + 1) : undefined;
  return (fragment === undefined ? null : new URLSearchParams(fragment).get('token')) ?? trimmed;
};
