/** The longest mint URL that dot-mi accepts, in characters. */
export const MINT_URL_MAX = 2_000;

/** Returns whether text can be a mint URL: http or https, without a user, query or fragment. */
export const isMintUrl = (text: string): boolean => {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && username + password + search + hash === '';
};

/** Shortens a mint URL to what people would write. Returns text that isn't a URL unchanged. */
export const shortMintUrl = (url: string): string =>
  URL.canParse(url) ? url.replace(/^https?:\/\//i, '').replace(/\/+$/, '') : url;

/** Returns a mint URL's host. Returns text that isn't a URL unchanged. */
export const hostOf = (url: string): string => (URL.canParse(url) && new URL(url).host) || url;
