import { useSyncExternalStore } from 'react';
import { needsSignIn } from '../../../shared/api/errors.ts';
import { getHealth } from '../../../shared/api/health.ts';
import { createPageKey, deletePageKey } from '../../../shared/api/page-keys.ts';
import { exchangeToken, getChallenge, proofMessage, signIn } from '../../../shared/api/sign-in.ts';
import { isRunHost, PAGE_HOST } from '../../../shared/page-host.ts';
import { tabStorage, withinStorageLimit } from '../browser-storage.ts';
import {
  browserKeyId,
  canKeepKey,
  forgetBrowserKey,
  keepBrowserKey,
  makeKeyPair,
  readBrowserKey,
  signChallenge,
} from './browser-key.ts';
import { ApiError, call, callAs, connectSession } from './client.ts';
import { desktopBridge } from './desktop.ts';
import { createSession, type ServerVerdict, type SessionState, takeToken } from './session.ts';

const NONCE_BYTES = 32;

const toHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

const hmacSha256 = async (key: string, message: string): Promise<string> => {
  const [keyBytes, messageBytes] = [key, message].map((text) => new TextEncoder().encode(text));
  if (!crypto.subtle) {
    // Browsers don't provide Web Crypto on plain HTTP, except on loopback.
    const [{ hmac }, { sha256 }] = await Promise.all([
      import('@noble/hashes/hmac.js'),
      import('@noble/hashes/sha2.js'),
    ]);
    return toHex(hmac(sha256, keyBytes as Uint8Array, messageBytes as Uint8Array));
  }
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const imported = await crypto.subtle.importKey('raw', keyBytes as BufferSource, algorithm, false, ['sign']);
  return toHex(new Uint8Array(await crypto.subtle.sign('HMAC', imported, messageBytes as BufferSource)));
};

/** Requests the server's proof that it created the token, without sending the token. */
const verify = async (token: string): Promise<ServerVerdict> => {
  const nonce = toHex(crypto.getRandomValues(new Uint8Array(NONCE_BYTES)));
  const { origin } = window.location;
  const { proofs = [] } = await callAs(null, getHealth, { query: { nonce, origin } });
  if (proofs.length === 0) return 'unknown';
  return proofs.includes(await hmacSha256(token, proofMessage(nonce, origin))) ? 'same' : 'other';
};

/** SECURITY: another program that took the port answers, too. */
const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const exchange = async (token: string): Promise<string | null> => {
  try {
    return textOf((await callAs(token, exchangeToken, { body: {} })).token);
  } catch (error) {
    if (error instanceof ApiError && needsSignIn(error)) return null;
    throw error;
  }
};

const signInWithKey = async (): Promise<string | null> => {
  const key = await readBrowserKey().catch(() => undefined);
  if (!key) return null;
  try {
    const challenge = textOf((await callAs(null, getChallenge, {})).challenge);
    if (challenge === null) return null;
    const signature = await signChallenge(key, challenge);
    return textOf((await callAs(null, signIn, { body: { keyId: key.id, challenge, signature } })).token);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code === 'offline') throw error;
    if (error.code === 'page_key_not_found') await forgetBrowserKey();
    return null;
  }
};

const signInAgain = (): Promise<string | null> => desktopBridge()?.pageToken() ?? signInWithKey();

/**
 * Removes the service workers that another program left at this origin, and reloads the page if any existed.
 *
 * SECURITY: development servers use the same ports, and their workers outlive them. A worker sees every request from
 * the page, with its token. dot-mi has no workers. A worker that controls no page now could control this one later.
 */
const clearWorkers = async (): Promise<void> => {
  // `serviceWorker` is undefined outside a secure context.
  const workers = navigator.serviceWorker as ServiceWorkerContainer | undefined;
  if (!workers) return;
  // A browser that blocks site data has no workers, and refuses to list them.
  const registrations = await withinStorageLimit(workers.getRegistrations()).catch(() => []);
  if (registrations.length === 0 && !workers.controller) return;
  await Promise.all(registrations.map((registration) => registration.unregister()));
  window.location.reload();
  // Block until the reload, so that nothing is sent before it.
  await new Promise<never>(() => {});
};

/** The session of this page. */
export const pageSession = createSession({
  storage: tabStorage,
  clearWorkers,
  isServerKnown: () => window.location.protocol === 'https:',
  verify,
  exchange,
  signInAgain,
});
/** Sends the session's token with every call from now on. */
export const startSession = (): void => connectSession(pageSession);

/** Signs in with the token in the address bar. Returns whether there was one. */
export const adoptToken = (): boolean => {
  // The session will reload the page without the worker, and the reload needs the full address.
  if (navigator.serviceWorker?.controller) return false;
  const token = takeToken({ location: window.location, history: window.history });
  if (token === null) return false;
  pageSession.bring(token);
  return true;
};

/** Returns the id of the key that keeps this browser signed in. Null if there is none. */
export const keptKeyId = (): string | null => browserKeyId();

/** Returns whether this browser can stay signed in here. The desktop window signs in on its own. */
export const canKeepSignedIn = (): boolean =>
  canKeepKey() && desktopBridge() === undefined && !isRunHost(window.location.hostname);

/** Returns the address where this browser can stay signed in. Undefined if this address works, or if none does. */
export const keepingAddress = (): string | undefined =>
  canKeepKey() && isRunHost(window.location.hostname)
    ? `http://${PAGE_HOST}:${window.location.port || 80}`
    : undefined;

/** Keeps this browser signed in, under a name for the list in settings. */
export const keepSignedIn = async (name: string): Promise<void> => {
  const { privateKey, publicKey } = await makeKeyPair();
  const { id } = await call(createPageKey, { body: { name, publicKey } });
  await keepBrowserKey({ id, privateKey });
};

/** Ends {@link keepSignedIn}. The tab stays signed in. */
export const stopKeepingSignedIn = async (): Promise<void> => {
  const keyId = browserKeyId();
  await forgetBrowserKey();
  if (keyId === null) return;
  await call(deletePageKey, { params: { keyId } }).catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.code !== 'page_key_not_found') throw error;
  });
};

/** Returns whether this page is signed in. */
export const useSession = (): SessionState => useSyncExternalStore(pageSession.subscribe, pageSession.state);
