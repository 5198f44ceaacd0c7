const SCHEME = /^(?:web\+)?cashu:(?:\/\/)?(?=cashu)/i;

/** The bare token in pasted text. Mail and terminals break lines in the middle, and links add `cashu:`. */
export const bareToken = (text: string): string => text.replaceAll(/\s+/g, '').replace(SCHEME, '');

// Within a token, a line that starts like a token is about as likely as a guessed password.
const NEXT_TOKEN = /\s+(?=(?:(?:web\+)?cashu:(?:\/\/)?)?cashu[AB])/i;

/** The bare tokens in pasted text, without repeats. Text that is no list of tokens counts as one. */
export const bareTokens = (text: string): readonly string[] => [
  ...new Set(text.split(NEXT_TOKEN).map(bareToken).filter(Boolean)),
];

/** Whether text has the form of a token. */
export const isTokenText = (text: string): boolean => /^cashu[AB][\w+/=-]+$/.test(text);
