/** The address as a web page's; undefined for every other scheme: a `blob:` has the origin of whoever made it. */
export const parseWebUrl = (text: string): URL | undefined => {
  const url = URL.parse(text);
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url : undefined;
};

/** The origin of a web page; undefined for what is none. */
export const webOriginOf = (text: string): string | undefined => parseWebUrl(text)?.origin;
