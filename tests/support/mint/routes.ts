import { createHash } from 'node:crypto';
import type { Core } from './core.ts';
import type { Route } from './handler.ts';
import type { KeysetList } from './keyset-list.ts';
import type { Lightning } from './lightning.ts';
import type { Limits } from './limits.ts';
import type { MintStore } from './store.ts';

/** Parts of the answer to `/v1/info` that a test overrides (NUT-06). */
export type InfoOverrides = Record<string, unknown> & { nuts?: Record<string, unknown> };

/** How long the mint promises to keep cached answers. */
const CACHE_TTL_SECONDS = 3600;
const CACHED_PATHS = ['/v1/swap', '/v1/mint/bolt11', '/v1/melt/bolt11'];

const describeMint = (limits: Limits, units: string[], isCaching: boolean, info: InfoOverrides) => {
  const methods = units.map((unit) => ({
    method: 'bolt11',
    unit,
    min_amount: limits.minAmount,
    max_amount: limits.maxAmount,
  }));
  const cached = CACHED_PATHS.map((path) => ({ method: 'POST', path }));
  const supported = Object.fromEntries([7, 8, 9, 10, 11, 12, 14].map((nut) => [nut, { supported: true }]));
  return {
    name: 'dot-mi test mint',
    pubkey: '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
    version: 'dot-mi-test-mint/1',
    description: 'Fake money for tests.',
    contact: [],
    ...info,
    nuts: {
      4: { methods, disabled: false },
      5: { methods, disabled: false },
      ...supported,
      ...(isCaching ? { 19: { ttl: CACHE_TTL_SECONDS, cached_endpoints: cached } } : {}),
      ...info.nuts,
    },
  };
};

/** The endpoints of the mint by method and path. */
export const createRoutes = (
  store: MintStore,
  keysets: KeysetList,
  core: Core,
  lightning: Lightning,
  limits: Limits,
  options: { info: InfoOverrides; isCaching: boolean },
) => {
  const ok = (text: string) => ({ status: 200, text });
  const json = (value: unknown) => ok(JSON.stringify(value));

  /** Answers a repeated request with the first answer (NUT-19). */
  const cached =
    (path: string, work: (body: unknown, key?: string) => string): Route =>
    (body, text) => {
      if (!options.isCaching) return ok(work(body));
      const key = createHash('sha256').update(`POST ${path} ${text}`).digest('hex');
      return ok(store.answer(key) ?? work(body, key));
    };

  const fixed: Record<string, Route> = {
    'GET /v1/info': () => json(describeMint(limits, keysets.units(), options.isCaching, options.info)),
    'GET /v1/keys': () => ok(keysets.activeKeysText()),
    'GET /v1/keysets': () => ok(keysets.listText()),
    'POST /v1/swap': cached('/v1/swap', core.swap),
    'POST /v1/checkstate': (body) => json(core.checkState(body)),
    'POST /v1/restore': (body) => json(core.restore(body)),
    'POST /v1/mint/quote/bolt11': (body) => json(lightning.makeMintQuote(body)),
    'POST /v1/mint/bolt11': cached('/v1/mint/bolt11', lightning.mint),
    'POST /v1/melt/quote/bolt11': (body) => json(lightning.makeMeltQuote(body)),
    'POST /v1/melt/bolt11': cached('/v1/melt/bolt11', lightning.melt),
  };
  const byId: Record<string, (id: string) => string> = {
    'GET /v1/keys': (id) => keysets.keysText(id),
    'GET /v1/mint/quote/bolt11': (id) => JSON.stringify(lightning.mintQuote(id)),
    'GET /v1/melt/quote/bolt11': (id) => JSON.stringify(lightning.meltQuote(id)),
  };

  return (method: string, path: string): Route | undefined => {
    const route = fixed[`${method} ${path}`];
    if (route) return route;
    const slash = path.lastIndexOf('/');
    const find = byId[`${method} ${path.slice(0, slash)}`];
    return find && (() => ok(find(path.slice(slash + 1))));
  };
};
