import { getHealth } from '../health.ts';
import { getIndex } from '../openapi.ts';
import { renewOperatorToken } from '../operator-token.ts';
import { createPageKey, deletePageKey, listPageKeys } from '../page-keys.ts';
import { changePreferences, getPreferences } from '../preferences.ts';
import { listRequests } from '../requests.ts';
import { checkRoot, getRootTrust, setUpRoot, trustRoot, withdrawRootTrust } from '../root.ts';
import { listRoots } from '../roots.ts';
import { changeSettings, getSettings } from '../settings.ts';
import { exchangeToken, getChallenge } from '../sign-in.ts';
import { example, type RequestExample } from './example.ts';

/** The hash of the example's setup script. */
const SCRIPT_SHA256 = '06510d44134a4cd0ad08661360dab23fc70c396228088da3896c5d8b45961675';

/** Examples for dot-mi itself: its state, root and sign-in, in an order that works. */
export const programExamples: readonly RequestExample[] = [
  example(getHealth, 'Check whether dot-mi is running', { query: {} }),
  example(getIndex, 'List the tasks of the API', {}),
  example(listRequests, 'List the last failed requests', {
    query: { errors: 'true', limit: 10 },
  }),
  example(getRootTrust, 'Check whether the root is trusted, and read its setup script', {}),
  example(trustRoot, 'Trust that script', { body: { sha256: SCRIPT_SHA256 } }),
  example(withdrawRootTrust, 'Stop trusting it', {}),
  example(checkRoot, 'Check whether a directory can be the root', { query: { path: '/home/me/dot-mi' } }),
  example(setUpRoot, 'Set up an empty directory as a root', { body: { path: '/home/me/new' } }),
  example(listRoots, 'List recent roots', {}),
  example(getPreferences, 'Read what the page remembers', {}),
  example(changePreferences, 'Choose a theme, and clear the recent items', {
    body: { preferences: { theme: 'dark', recent: null } },
  }),
  example(exchangeToken, 'Exchange a token for a page token', { body: {} }),
  example(getChallenge, 'Get a challenge to sign', {}),
  example(createPageKey, 'Keep a browser signed in', {
    body: {
      name: 'Firefox on this laptop',
      publicKey: {
        kty: 'EC',
        crv: 'P-256',
        x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
        y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
      },
    },
  }),
  example(listPageKeys, 'List the signed-in browsers', {}),
  example(deletePageKey, 'Sign one out', {
    params: { keyId: '6f1c2a9e-4b7d-4c1e-9a3f-000000000001' },
  }),
  example(renewOperatorToken, 'Replace the operator token', { body: {} }),
];

/** Examples for the settings, in an order that works. */
export const settingsExamples: readonly RequestExample[] = [
  example(getSettings, 'Read the settings', {}),
  example(changeSettings, 'Use test money', { body: { devMode: true } }),
];
