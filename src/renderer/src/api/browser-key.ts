import { signInMessage } from '../../../shared/api/sign-in.ts';
import { browserStorage, createBrowserDatabase } from '../browser-storage.ts';

/** This browser's key for automatic sign-in. Scripts can use the private half but can't read it. */
interface BrowserKey {
  readonly id: string;
  readonly privateKey: CryptoKey;
}

const RECORD = 'browser';
/** Records that a key exists, so that pages without one don't have to open the database. */
const HINT = 'dot-mi.keeps-signed-in';
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' } as const;

/** Returns whether this browser can store a key. It can't on plain http, except on loopback. */
export const canKeepKey = (): boolean => window.isSecureContext && 'indexedDB' in window;

const toBase64Url = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

const database = createBrowserDatabase({ name: 'dot-mi.sign-in', store: 'keys' });

/** Returns the id of the stored key, or null. */
export const browserKeyId = (): string | null => browserStorage.getItem(HINT);

/** Returns the stored key, or undefined. */
export const readBrowserKey = async (): Promise<BrowserKey | undefined> => {
  if (browserKeyId() === null || !canKeepKey()) return undefined;
  return database.run<BrowserKey | undefined>('readonly', (store) => store.get(RECORD));
};

/** Stores a key, replacing an earlier one. */
export const keepBrowserKey = async (key: BrowserKey): Promise<void> => {
  await database.run('readwrite', (store) => store.put(key, RECORD));
  browserStorage.setItem(HINT, key.id);
};

export const forgetBrowserKey = async (): Promise<void> => {
  browserStorage.removeItem(HINT);
  await database.run('readwrite', (store) => store.delete(RECORD));
};

/** Creates a key pair whose private half can't be exported. */
export const makeKeyPair = async (): Promise<{
  privateKey: CryptoKey;
  publicKey: { kty: 'EC'; crv: 'P-256'; x: string; y: string };
}> => {
  const pair = await crypto.subtle.generateKey(ALGORITHM, false, ['sign', 'verify']);
  const { x = '', y = '' } = await crypto.subtle.exportKey('jwk', pair.publicKey);
  return { privateKey: pair.privateKey, publicKey: { kty: 'EC', crv: 'P-256', x, y } };
};

/** Signs the server's challenge for this page's origin. Returns base64url. */
export const signChallenge = async ({ privateKey }: BrowserKey, challenge: string): Promise<string> => {
  const message = new TextEncoder().encode(signInMessage(challenge, window.location.origin));
  return toBase64Url(await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, privateKey, message));
};
