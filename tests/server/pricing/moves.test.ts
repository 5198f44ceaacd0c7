import { describe, expect, test } from 'vitest';
import { busy, FAULTS, hanging } from '../../support/btc-sources/faults.ts';
import type { PlayedSources } from '../../support/btc-sources/play.ts';
import { playBtcSources } from '../../support/btc-sources/play.ts';
import { makeClock } from '../../support/clock.ts';
import { INTERVAL, MINUTE, type PricingServer, servePricing } from './serve-pricing.ts';

const OLD = 64_000;
const FAR = 80_000;
const broken = FAULTS['the status 503'] ?? hanging;

const playOnly = (
  sources: PlayedSources,
  prices: Partial<Record<'coinbase' | 'kraken' | 'bitstamp', number>>,
) => {
  sources.playAll(broken);
  for (const [name, price] of Object.entries(prices)) sources.play(name as 'coinbase', price);
};

const refused = async ({ refresh, get }: PricingServer, price = OLD) => {
  const { status, body } = await refresh();
  expect([status, body.code, body.success]).toEqual([503, 'refresh_failed', false]);
  expect((await get('/api/pricing/btc')).body.btc_price_usd).toBe(price);
};

describe('a move of 10 % or less applies immediately', () => {
  test('up or down, whole dollars or cents, and no second source is asked', async () => {
    const { refresh, sources } = await servePricing({ sources: await playBtcSources(10_199.4) });
    // Each is exactly 10 % away from the one before it; binary fractions make some of these a little more.
    for (const next of [11_219.34, 12_341.274, 11_107.1466, 9_996.43194, 8_996.788746]) {
      sources.playAll(next);
      sources.forget();
      expect([next, (await refresh()).body.btc_price_usd, sources.asked()]).toEqual([next, next, 1]);
    }
  });

  test('a cent more than 10 % does not apply, up or down', async () => {
    const server = await servePricing();
    for (const beyond of [OLD * 1.1 + 0.01, OLD * 0.9 - 0.01]) {
      playOnly(server.sources, { coinbase: beyond });
      await refused(server);
    }
    for (const within of [OLD * 1.1, OLD]) {
      playOnly(server.sources, { coinbase: within });
      expect((await server.refresh()).body.btc_price_usd).toBe(within);
    }
  });

  test('the first price applies, whatever it is', { tags: 'slow' }, async () => {
    for (const price of [0.001, 1, 1e9]) {
      const { get } = await servePricing({ sources: await playBtcSources(price) });
      expect((await get('/api/pricing/btc')).body.btc_price_usd).toBe(price);
    }
  });
});

describe('a larger move', () => {
  test('is confirmed by a second source within 2 %, and then the first one’s price counts', {
    tags: 'slow',
  }, async () => {
    for (const factor of [0.98, 1, 1.02]) {
      const { refresh, sources } = await servePricing();
      playOnly(sources, { coinbase: FAR, bitstamp: FAR * factor });
      expect((await refresh()).body).toMatchObject({ btc_price_usd: FAR, source: 'coinbase' });
    }
    const { refresh, sources } = await servePricing();
    playOnly(sources, { kraken: OLD / 2, bitstamp: OLD / 2 + 10 });
    expect((await refresh()).body).toMatchObject({ btc_price_usd: OLD / 2, source: 'kraken' });
  });

  test('asks as many sources as it needs and no more', async () => {
    const { refresh, sources } = await servePricing();
    sources.playAll(FAR);
    expect((await refresh()).body.source).toBe('coinbase');
    expect([sources.asked('coinbase'), sources.asked('kraken'), sources.asked()]).toEqual([1, 1, 2]);
  });

  test('is confirmed by a third source when the second one disagrees', async () => {
    const { refresh, sources } = await servePricing();
    playOnly(sources, { coinbase: FAR, kraken: FAR * 1.3, bitstamp: FAR * 1.01 });
    expect((await refresh()).body).toMatchObject({ btc_price_usd: FAR, source: 'coinbase' });
  });

  test('that is a mistake of one source is dropped for a second source near the old price', {
    tags: 'slow',
  }, async () => {
    for (const mistake of [OLD * 10, OLD / 10, OLD * 1.11]) {
      const server = await servePricing();
      server.sources.playAll(64_100);
      server.sources.play('coinbase', mistake);
      expect((await server.refresh()).body).toMatchObject({ btc_price_usd: 64_100, source: 'kraken' });
      expect((await server.get('/api/pricing/btc')).body).toMatchObject({
        btc_price_usd: 64_100,
        source: 'kraken',
      });
    }
  });

  test('that only one source reports counts at the third refresh in a row', async () => {
    const server = await servePricing();
    playOnly(server.sources, { coinbase: FAR });
    await refused(server);
    await refused(server);
    expect((await server.refresh()).body).toMatchObject({ btc_price_usd: FAR, source: 'coinbase' });
    expect((await server.get('/api/pricing/btc')).body.btc_price_usd).toBe(FAR);
    // And the count begins anew.
    playOnly(server.sources, { coinbase: OLD / 2 });
    await refused(server, FAR);
    await refused(server, FAR);
    expect((await server.refresh()).status).toBe(200);
  });

  test('counts at the third even when it wanders by less than 10 %, with the newest price', {
    tags: 'slow',
  }, async () => {
    const server = await servePricing();
    for (const price of [FAR, FAR * 1.09]) {
      playOnly(server.sources, { coinbase: price });
      await refused(server);
    }
    playOnly(server.sources, { coinbase: FAR * 1.18 });
    expect((await server.refresh()).body.btc_price_usd).toBe(FAR * 1.18);
  });

  test('that jumps around is not accepted, however often it is reported', { tags: 'slow' }, async () => {
    const server = await servePricing();
    for (const price of [FAR, FAR * 2, FAR, FAR, FAR * 2, FAR * 2, FAR / 2, OLD * 10]) {
      playOnly(server.sources, { coinbase: price });
      await refused(server);
    }
  });

  test('is not three in a row when the sources were down, or silent, or reported the old price in between', {
    tags: 'slow',
  }, async () => {
    for (const between of [
      (sources: PlayedSources) => sources.playAll(broken),
      (sources: PlayedSources) => sources.playAll(OLD),
    ]) {
      const server = await servePricing();
      playOnly(server.sources, { coinbase: FAR });
      await refused(server);
      await refused(server);
      between(server.sources);
      await server.refresh();
      playOnly(server.sources, { coinbase: FAR });
      await refused(server);
      await refused(server);
      expect((await server.refresh()).body.btc_price_usd).toBe(FAR);
    }
  });

  test('is refused when the others report something else again, and the count starts over', async () => {
    const server = await servePricing();
    playOnly(server.sources, { coinbase: FAR });
    await refused(server);
    await refused(server);
    playOnly(server.sources, { coinbase: FAR, kraken: FAR * 1.0201 });
    await refused(server);
    playOnly(server.sources, { coinbase: FAR, kraken: FAR * 0.9799, bitstamp: FAR * 0.97 });
    await refused(server);
    await refused(server);
    await refused(server);
    playOnly(server.sources, { coinbase: FAR });
    await refused(server);
    await refused(server);
    expect((await server.refresh()).body.btc_price_usd).toBe(FAR);
  });

  test('is reported by one alone while the others ask to be left alone', async () => {
    const server = await servePricing({ clock: makeClock() });
    server.sources.playAll(busy(`${INTERVAL / 1000 - 60}`));
    server.sources.play('coinbase', FAR);
    await refused(server);
    server.sources.playAll(OLD);
    server.sources.play('coinbase', FAR);
    server.sources.forget();
    await refused(server);
    expect(server.sources.asked()).toBe(1);
    server.clock.pass(INTERVAL - MINUTE);
    expect((await server.refresh()).body).toMatchObject({ btc_price_usd: OLD, source: 'kraken' });
  });
});
