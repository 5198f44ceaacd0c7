/** The longest address of a mint that a check accepts. */
export const MINT_URL_MAX = 2_000;

/** Whether text can be the address of a mint: a web address without a user, a query or a fragment. */
export const isMintUrl = (text: string): boolean => {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && username + password + search + hash === '';
};

/** The address of a mint as people write it. The whole text if it isn't an address. */
export const shortMintUrl = (url: string): string =>
  URL.canParse(url) ? url.replace(/^https?:\/\//i, '').replace(/\/+$/, '') : url;

/** The host of a mint's address, by which people know it, or the whole text if it isn't an address. */
export const hostOf = (url: string): string => (URL.canParse(url) && new URL(url).host) || url;
