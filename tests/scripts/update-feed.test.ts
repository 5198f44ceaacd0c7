import { afterEach, beforeEach, expect, test, vi } from 'vitest';

beforeEach(() => {
  vi.resetModules();
  for (const name of ['UPDATE_FEED_URL', 'CSC_LINK', 'CSC_NAME']) vi.stubEnv(name, undefined);
});

afterEach(() => {
  vi.unstubAllEnvs();
});

/** Where the programs of this build ask for updates: the others, and the one for macOS (undefined: like the others). */
const feeds = async (environment: Readonly<Record<string, string>>) => {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  const { default: config } = await import('../../electron-builder.config.ts');
  return { all: config.publish, mac: config.mac?.publish };
};

const UPDATE_FEED_URL = 'https://example.com/releases';
const FEED = [{ provider: 'generic', url: UPDATE_FEED_URL }];

test('an unsigned program for macOS has no update feed, because Squirrel.Mac refuses to replace it', async () => {
  expect(await feeds({ UPDATE_FEED_URL })).toEqual({ all: FEED, mac: null });
});

test('a signed one asks the same feed as the others', async () => {
  expect(await feeds({ UPDATE_FEED_URL, CSC_LINK: 'certificate.p12' })).toEqual({
    all: FEED,
    mac: undefined,
  });
});

test('a build without a feed has none on any system', async () => {
  expect((await feeds({})).all).toBeNull();
});
