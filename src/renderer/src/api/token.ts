import type { DesktopBridge } from '../../../shared/desktop-bridge.ts';

const STORAGE_KEY = 'dot-mi.token';
const listeners = new Set<() => void>();

/** The parts of the browser the token passes through; a parameter, so that a test brings its own. */
export interface TokenHome {
  readonly location: Pick<Location, 'hash' | 'pathname' | 'search'>;
  readonly history: Pick<History, 'replaceState' | 'state'>;
  readonly storage: Pick<Storage, 'getItem' | 'setItem'>;
}

/**
 * Moves a token from the address bar (`#token=…`) to the storage of the tab, so that it is in no history entry,
 * bookmark or screenshot. Other parts of the fragment stay. Call before the first request, and when the fragment
 * changes: a browser does not load the page anew for that. Answers whether there was a token.
 */
export const adoptToken = ({ location, history, storage }: TokenHome): boolean => {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const token = fragment.get('token');
  if (token === null) return false;
  if (token !== '') storage.setItem(STORAGE_KEY, token);
  fragment.delete('token');
  const rest = fragment.toString();
  history.replaceState(history.state, '', `${location.pathname}${location.search}${rest && `#${rest}`}`);
  for (const listener of listeners) listener();
  return token !== '';
};

/** In the desktop window the token comes from the shell instead; a browser has no bridge, and nothing happens. */
export const adoptDesktopToken = async (
  bridge: Pick<DesktopBridge, 'operatorToken'> | undefined,
  storage: TokenHome['storage'],
): Promise<void> => {
  if (bridge) storage.setItem(STORAGE_KEY, await bridge.operatorToken());
};

/** The token of this tab, sent with every request; null when the page was opened without one. */
export const storedToken = (storage: TokenHome['storage']): string | null => storage.getItem(STORAGE_KEY);

/** Follows whether there is a token: a page that was opened without one may get it later. The result ends it. */
export const subscribeToken = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
