import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { ConfigError, readConfig } from '../../src/server/config.ts';
import { expandHome } from '../../src/server/platform/home.ts';
import { SETTINGS } from '../../src/shared/settings.ts';

const DATA = resolve('/data-directory');

test('without any variable the settings are the defaults of the contract', () => {
  expect(readConfig(DATA, {})).toEqual({
    dataDirectory: DATA,
    homeDirectory: homedir(),
    origins: Object.fromEntries(
      Object.entries(SETTINGS).map(([name, { variable }]) => [name, { origin: 'default', variable }]),
    ),
    devMode: true,
    mintUrl: 'https://mint.minibits.cash/Bitcoin',
    walletDirectory: resolve(DATA, 'data/wallet'),
    host: '127.0.0.1',
    port: 8000,
    allowedHosts: [],
    apiToken: undefined,
    requireKeys: false,
    logLevel: 'info',
    rootPath: undefined,
    starterRootPath: resolve(DATA, 'data/dot-mi-root'),
    btcRefreshIntervalSeconds: 300,
    btcSources: ['coinbase', 'kraken', 'bitstamp', 'coingecko', 'mempool'].map((name) => ({ name })),
    sessionDirectories: [],
    historyDays: 90,
    historyMegabytes: 500,
    historyVersions: 100,
    modelPricingPath: resolve(DATA, 'data/model_pricing.json'),
    systemRoot: 'C:\\Windows',
    devPageUrl: undefined,
    scriptEnvironment: {},
  });
});

test('an empty variable counts as not set', () => {
  expect(readConfig(DATA, { PORT: '', DEV_MODE: ' ', DOT_MI_ROOT: '', API_TOKEN: '' })).toEqual(
    readConfig(DATA, {}),
  );
});

test('the variables of the root are read in order, and relative paths start at the data directory', () => {
  expect(readConfig(DATA, { DOT_PI_DIR: 'd' }).rootPath).toBe(resolve(DATA, 'd'));
  expect(readConfig(DATA, { DOT_PI_DIR: 'd', DOT_PI_ROOT: 'c' }).rootPath).toBe(resolve(DATA, 'c'));
  expect(readConfig(DATA, { DOT_PI_DIR: 'd', DOT_PI_ROOT: 'c', DOT_MI_DIR: 'b' }).rootPath).toBe(
    resolve(DATA, 'b'),
  );
  expect(readConfig(DATA, { DOT_MI_DIR: 'b', DOT_MI_ROOT: '/a' }).rootPath).toBe(resolve('/a'));
});

test('each limit of the history has a range', () => {
  const read = (environment: Record<string, string>) => readConfig(DATA, environment);
  for (const [name, least, most] of [
    ['HISTORY_DAYS', 1, 3650],
    ['HISTORY_MEGABYTES', 10, 10_000],
    ['HISTORY_VERSIONS', 1, 1000],
  ] as const) {
    for (const value of [least, most]) expect(() => read({ [name]: String(value) })).not.toThrow();
    for (const value of [least - 1, most + 1])
      expect(() => read({ [name]: String(value) })).toThrow(`from ${least} to ${most}`);
  }
  expect(readConfig(DATA, {}, { historyDays: 7 }).historyDays).toBe(7);
});

test('a price source may be named only once', () => {
  expect(() => readConfig(DATA, { BTC_PRICE_SOURCES: 'kraken,mempool,kraken=http://x' })).toThrow(
    /names each source only once/,
  );
});

test('a price source can be pointed elsewhere', () => {
  expect(
    readConfig(DATA, { BTC_PRICE_SOURCES: 'kraken, mempool=http://umbrel.local:3006?a=b' }).btcSources,
  ).toEqual([{ name: 'kraken' }, { name: 'mempool', url: 'http://umbrel.local:3006?a=b' }]);
});

test('an address that others can reach needs a token, and loopback does not', () => {
  expect(() => readConfig(DATA, { HOST: '0.0.0.0' })).toThrow(ConfigError);
  expect(() => readConfig(DATA, { HOST: '::' })).toThrow(/API_TOKEN/);
  expect(readConfig(DATA, { HOST: '0.0.0.0', API_TOKEN: 'x'.repeat(16) }).host).toBe('0.0.0.0');
  expect(readConfig(DATA, { HOST: '::1' }).host).toBe('::1');
  expect(readConfig(DATA, { HOST: '0.0.0.0', REQUIRE_KEYS: 'true' }).requireKeys).toBe(true);
});

test('a name that a proxy or tunnel forwards needs a token or keys, and a loopback name does not', () => {
  for (const name of ['box.example', 'Box.Local', '10.0.0.5', 'localhost.example', 'x.localhost,box.example'])
    expect(() => readConfig(DATA, { ALLOWED_HOSTS: name }), name).toThrow(
      /^ALLOWED_HOSTS names "[^"]+", .* set API_TOKEN or REQUIRE_KEYS=true, or remove the name\.$/,
    );
  for (const safe of [{ API_TOKEN: 'x'.repeat(16) }, { REQUIRE_KEYS: 'true' }])
    expect(readConfig(DATA, { ALLOWED_HOSTS: 'box.example', ...safe }).allowedHosts).toEqual(['box.example']);
  for (const name of ['localhost', '127.0.0.2', '[::1]', 'mi.localhost'])
    expect(readConfig(DATA, { ALLOWED_HOSTS: name }).allowedHosts).toEqual([name]);
});

test.each(['127.0.0.1', '0.0.0.0', '::', '192.168.1.5', 'box.local'])(
  'an API_TOKEN that could be guessed is refused while HOST is %s',
  (host) => {
    expect(() => readConfig(DATA, { HOST: host, API_TOKEN: 'x'.repeat(15) })).toThrow(
      /^API_TOKEN is too short\. Use at least 16 characters/,
    );
    expect(readConfig(DATA, { HOST: host, API_TOKEN: 'x'.repeat(16) }).host).toBe(host);
  },
);

test('the environment overrides what was set in the window, and each setting reports its origin', () => {
  const stored = {
    root: '/kept',
    port: 8123,
    mintUrl: 'https://kept.example',
    devMode: false,
    btcRefreshIntervalSeconds: 60,
    btcSources: ['kraken', 'mempool=http://umbrel.local:3006'],
  };
  expect(readConfig(DATA, {}, stored)).toMatchObject({
    rootPath: resolve('/kept'),
    port: 8123,
    mintUrl: 'https://kept.example',
    devMode: false,
    btcRefreshIntervalSeconds: 60,
    btcSources: [{ name: 'kraken' }, { name: 'mempool', url: 'http://umbrel.local:3006' }],
    origins: { root: { origin: 'settings', variable: 'DOT_MI_ROOT' }, port: { origin: 'settings' } },
  });
  const config = readConfig(DATA, { DOT_PI_DIR: '/named', PORT: '9000', DEV_MODE: 'true' }, stored);
  expect(config).toMatchObject({ rootPath: resolve('/named'), port: 9000, devMode: true });
  expect(config.origins).toMatchObject({
    root: { origin: 'environment', variable: 'DOT_PI_DIR' },
    port: { origin: 'environment', variable: 'PORT' },
    devMode: { origin: 'environment' },
    mintUrl: { origin: 'settings' },
    walletDirectory: { origin: 'default' },
  });
});

test('the starter root can be chosen, which differs from naming no root', () => {
  const chosen = readConfig(DATA, {}, { root: 'starter' });
  expect([chosen.rootPath, chosen.origins.root.origin]).toEqual([undefined, 'settings']);
  expect(readConfig(DATA, {}).origins.root.origin).toBe('default');
});

test('settings from the window must follow the same rules', () => {
  expect(() => readConfig(DATA, {}, { mintUrl: 'ftp://x' })).toThrow(/MINT_URL/);
  expect(() => readConfig(DATA, {}, { btcSources: ['nowhere'] })).toThrow(/BTC_PRICE_SOURCES/);
});

test('~ in a path is the home directory, and only at its start', () => {
  const home = resolve('/home/of/ada');
  const environment = { HOME: home, USERPROFILE: home };
  expect(readConfig(DATA, { ...environment, DOT_MI_ROOT: '~/dot-mi' }).rootPath).toBe(join(home, 'dot-mi'));
  expect(readConfig(DATA, { ...environment, DOT_MI_ROOT: '~' }).rootPath).toBe(home);
  expect(readConfig(DATA, environment, { root: '~/dot-mi' }).rootPath).toBe(join(home, 'dot-mi'));
  expect(readConfig(DATA, { ...environment, WALLET_DB_PATH: '~/wallet' }).walletDirectory).toBe(
    join(home, 'wallet'),
  );
  // Another user's folder, and a name that only looks like it.
  for (const path of ['~bob/dot-mi', 'a/~/b', '~~', '~.d'])
    expect(readConfig(DATA, { ...environment, DOT_MI_ROOT: path }).rootPath).toBe(resolve(DATA, path));
  expect(expandHome('~\\dot-mi', home, 'win32')).toBe(join(home, 'dot-mi'));
  expect(expandHome('~/dot-mi', home, 'win32')).toBe(join(home, 'dot-mi'));
  expect(expandHome('~\\dot-mi', home, 'linux')).toBe('~\\dot-mi');
});

test('directories of sessions belong to an agent each, and a wrong one stops the start', () => {
  const named = readConfig(DATA, { HOME: '/home/me', SESSION_DIRECTORIES: 'scout=~/a=b, old.one=kept' });
  expect(named.sessionDirectories).toEqual([
    { agent: 'scout', path: '/home/me/a=b' },
    { agent: 'old.one', path: join(DATA, 'kept') },
  ]);
  for (const wrong of ['/no/agent', '-x=/a', 'scout='])
    expect(() => readConfig(DATA, { SESSION_DIRECTORIES: wrong })).toThrow(/SESSION_DIRECTORIES/);
});
