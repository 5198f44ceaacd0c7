/** The part of a mint's address that people know it by; the whole text where it is no address. */
export const hostOf = (url: string): string => (URL.canParse(url) && new URL(url).host) || url;
