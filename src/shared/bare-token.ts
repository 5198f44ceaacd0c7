import { contentLength } from './token-length.ts';

const SCHEME = /^(?:web\+)?cashu:(?:\/\/)?(?=cashu)/i;

/** Variation selectors. Some wallets hide a token behind an emoji, with one selector for each character. */
const HIDDEN = /[\u{fe00}-\u{fe0f}\u{e0100}-\u{e01ef}]{8,}/gu;

const shownSelector = (selector: string): string => {
  const code = selector.codePointAt(0) ?? 0;
  return String.fromCharCode(code < 0xe0100 ? code - 0xfe00 : code - 0xe0100 + 16);
};

/** The percent-encoding of characters in or next to a token. */
const ESCAPES: Readonly<Record<string, string>> = {
  '%2B': '+',
  '%2F': '/',
  '%3D': '=',
  '%3A': ':',
  '%20': ' ',
  '%0A': ' ',
};

/** Undoes the changes that chats, mail, JSON, Markdown and web addresses make to a token. */
const readable = (text: string): string =>
  text
    .replaceAll(HIDDEN, (run) => ` ${Array.from(run, shownSelector).join('')} `)
    .replaceAll(/\\([/_+=-])/g, '$1')
    // Quoted-printable mail breaks long lines like this.
    .replaceAll(/=\r?\n(?!\s*(?:web\+)?cashu)/gi, '')
    .replaceAll(/%(?:2B|2F|3D|3A|20|0A)/gi, (code) => ESCAPES[code.toUpperCase()] ?? code)
    .replaceAll(/(?<=[\r\n])[ \t]*>[> \t]*/g, '')
    .replaceAll(/(?<![a-z\d+])(?:web\+)?cashu:(?:\/\/)?(?=\s*cashu)/gi, ' ');

/** Whitespace, and invisible characters that chats use to break long words. */
const GAPS = /[\s\u{ad}\u{200b}-\u{200d}\u{2060}]+/gu;

const START = /(?<![a-z\d])cashu([AB])/gi;

/** A character that can't be part of a token, and so ends it. */
const END = /[^\w+/\s\u{ad}\u{200b}-\u{200d}\u{2060}-]/u;

/** How many tokens are looked for. SECURITY: a text of 1 MB can have 100,000 beginnings, each of which costs time. */
export const MOST_TOKENS = 100;

/** Shorter text can't contain a proof. */
const SHORTEST_TOKEN = 100;

/**
 * Returns the first {@link MOST_TOKENS} tokens in text, in order. A token's content says where it ends, so it can have line breaks, and other
 * words can follow. An incomplete token continues up to the next one.
 */
const tokensIn = (text: string): readonly string[] => {
  const all = readable(text);
  const starts = [...all.matchAll(START)].filter(([start]) => start.startsWith('cashu'));
  const found = starts.slice(0, MOST_TOKENS).map(({ index, 1: version }, nth) => {
    const rest = all.slice(index + 'cashuA'.length, starts[nth + 1]?.index);
    const end = rest.search(END);
    const base64 = (end < 0 ? rest : rest.slice(0, end)).replaceAll(GAPS, '');
    const canHoldProof = base64.length + 'cashuA'.length >= SHORTEST_TOKEN;
    const length = canHoldProof ? contentLength(version === 'A' ? 'A' : 'B', base64) : undefined;
    const isComplete = length !== undefined;
    const content = isComplete ? base64.slice(0, length) : base64;
    const padding = content.length === base64.length && end >= 0 ? /^={0,2}/.exec(rest.slice(end))?.[0] : '';
    return { token: `cashu${version}${content}${padding}`, isComplete };
  });
  const hasComplete = found.some(({ isComplete }) => isComplete);
  return found
    .filter(({ token, isComplete }) => isComplete || !hasComplete || token.length >= SHORTEST_TOKEN)
    .map(({ token }) => token)
    .filter(isTokenText);
};

/** Returns whether text has the format of a token. */
export const isTokenText = (text: string): boolean => /^cashu[AB][\w+/=-]+$/.test(text);

/** Returns whether a bare token's content is complete, so that it can be worth something. */
export const isWholeToken = (token: string): boolean => {
  const [, version, content] = /^cashu([AB])([\w+/-]+)={0,2}$/.exec(token) ?? [];
  return content !== undefined && contentLength(version === 'A' ? 'A' : 'B', content) !== undefined;
};

const stripped = (text: string): string => text.replaceAll(GAPS, '').replace(SCHEME, '');

/**
 * Returns the bare tokens in pasted text, such as chat messages, links and text from web wallets. Removes duplicates.
 * The tokens can have line breaks. Text without a token counts as one.
 */
export const bareTokens = (text: string): readonly string[] => {
  // Nearly all tokens match this, so their content doesn't have to be parsed.
  const alone = text.trim().replace(SCHEME, '');
  if (/^cashu[AB][\w+/-]+={0,2}$/.test(alone)) return [alone];
  const found = tokensIn(text);
  return found.length > 0 ? [...new Set(found)] : [stripped(text)].filter(Boolean);
};

/** Returns the bare token in pasted text. Text with several tokens only loses its whitespace. */
export const bareToken = (text: string): string => {
  const [token = '', ...others] = bareTokens(text);
  return others.length === 0 ? token : stripped(text);
};
