/** The host of a mint's address, by which people know it, or the whole text if it isn't an address. */
export const hostOf = (url: string): string => (URL.canParse(url) && new URL(url).host) || url;
