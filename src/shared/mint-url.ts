/** The longest mint URL that a check accepts. */
export const MINT_URL_MAX = 2_000;

/** Whether text can be a mint URL: http or https, without a user, query or fragment. */
export const isMintUrl = (text: string): boolean => {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && username + password + search + hash === '';
};

/** A mint URL as people write it. The whole text if it isn't a URL. */
export const shortMintUrl = (url: string): string =>
  URL.canParse(url) ? url.replace(/^https?:\/\//i, '').replace(/\/+$/, '') : url;

/** The host of a mint URL, as people know it. The whole text if it isn't a URL. */
export const hostOf = (url: string): string => (URL.canParse(url) && new URL(url).host) || url;
