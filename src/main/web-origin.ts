/** Parses a web page's address; undefined for other schemes, because a `blob:` has its creator's origin. */
export const parseWebUrl = (text: string): URL | undefined => {
  const url = URL.parse(text);
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url : undefined;
};

/** The origin of a web page; undefined for any other text. */
export const webOriginOf = (text: string): string | undefined => parseWebUrl(text)?.origin;
