const SCHEME = /^(?:web\+)?cashu:(?:\/\/)?(?=cashu)/i;

/** The bare token in pasted text. Mail and terminals break lines in the middle, and links add `cashu:`. */
export const bareToken = (text: string): string => text.replaceAll(/\s+/g, '').replace(SCHEME, '');
