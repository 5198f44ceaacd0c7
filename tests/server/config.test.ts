import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { ConfigError, readConfig } from '../../src/server/config.ts';

const DATA = resolve('/data-directory');

test('without any variable the settings are those of the contract', () => {
  expect(readConfig(DATA, {})).toEqual({
    devMode: true,
    mintUrl: 'https://mint.minibits.cash/Bitcoin',
    walletDirectory: resolve(DATA, 'data/wallet'),
    host: '127.0.0.1',
    port: 8000,
    allowedHosts: [],
    apiToken: undefined,
    logLevel: 'info',
    rootPath: undefined,
    starterRootPath: resolve(DATA, 'data/dot-mi-root'),
    btcRefreshIntervalSeconds: 300,
    btcSources: ['coinbase', 'kraken', 'bitstamp', 'coingecko', 'mempool'].map((name) => ({ name })),
    modelPricingPath: resolve(DATA, 'data/model_pricing.json'),
    devPageUrl: undefined,
    scriptEnvironment: {},
  });
});

test('an empty variable counts as not set', () => {
  expect(readConfig(DATA, { PORT: '', DEV_MODE: ' ', DOT_MI_ROOT: '', API_TOKEN: '' })).toEqual(
    readConfig(DATA, {}),
  );
});

test('the names of the root are asked in order, and relative paths count from the data directory', () => {
  expect(readConfig(DATA, { DOT_PI_DIR: 'd' }).rootPath).toBe(resolve(DATA, 'd'));
  expect(readConfig(DATA, { DOT_PI_DIR: 'd', DOT_PI_ROOT: 'c' }).rootPath).toBe(resolve(DATA, 'c'));
  expect(readConfig(DATA, { DOT_PI_DIR: 'd', DOT_PI_ROOT: 'c', DOT_MI_DIR: 'b' }).rootPath).toBe(
    resolve(DATA, 'b'),
  );
  expect(readConfig(DATA, { DOT_MI_DIR: 'b', DOT_MI_ROOT: '/a' }).rootPath).toBe(resolve('/a'));
});

test('a price source is named once', () => {
  expect(() => readConfig(DATA, { BTC_PRICE_SOURCES: 'kraken,mempool,kraken=http://x' })).toThrow(
    /names no source twice/,
  );
});

test('a price source can be pointed elsewhere', () => {
  expect(
    readConfig(DATA, { BTC_PRICE_SOURCES: 'kraken, mempool=http://umbrel.local:3006?a=b' }).btcSources,
  ).toEqual([{ name: 'kraken' }, { name: 'mempool', url: 'http://umbrel.local:3006?a=b' }]);
});

test('an address that others can reach needs a token, loopback does not', () => {
  expect(() => readConfig(DATA, { HOST: '0.0.0.0' })).toThrow(ConfigError);
  expect(() => readConfig(DATA, { HOST: '::' })).toThrow(/API_TOKEN/);
  expect(readConfig(DATA, { HOST: '0.0.0.0', API_TOKEN: 'x' }).host).toBe('0.0.0.0');
  expect(readConfig(DATA, { HOST: '::1' }).host).toBe('::1');
});
