import { createParser } from 'eventsource-parser';
import { describe, expect, onTestFinished, test } from 'vitest';
import { RESOURCES_DIRECTORY } from '../../../src/server/locations.ts';
import { createLogger } from '../../../src/server/platform/logger.ts';
import { openPricing } from '../../../src/server/pricing/open-pricing.ts';
import { SOURCES } from '../../support/btc-sources/answers.ts';
import { FAULTS, hanging } from '../../support/btc-sources/faults.ts';
import { type PlayedSources, playBtcSources } from '../../support/btc-sources/play.ts';
import { type FakeClock, makeClock } from '../../support/clock.ts';
import { etagOf } from '../../support/etag.ts';
import { until } from '../../support/raw-http.ts';
import { makeTempDirectory } from '../../support/temp.ts';
import { INTERVAL, MINUTE, modelRows, servePricing } from './serve-pricing.ts';

const HOUR = 60 * MINUTE;
const broken = FAULTS['the status 503'] ?? hanging;
const NOON = '2026-03-01T12:00:00.000Z';

describe('the time of a price', () => {
  test('is when it was fetched, never when it was requested', async () => {
    const { clock, get, tokens, refresh, sources } = await servePricing();
    expect((await refresh()).body.updated_at).toBe(NOON);
    sources.playAll(broken);
    clock.pass(MINUTE);
    expect((await get('/api/pricing/btc')).body.updated_at).toBe(NOON);
    expect((await tokens('claude-haiku-4-5')).body.updated_at).toBe(NOON);
    sources.playAll(64_000);
    expect((await refresh()).body.updated_at).toBe('2026-03-01T12:01:00.000Z');
    clock.pass(1);
    expect((await get('/api/pricing/btc')).body.updated_at).toBe('2026-03-01T12:01:00.000Z');
  });

  test('is stale after three intervals, not a millisecond before', { tags: 'slow' }, async () => {
    const { clock, get, tokens, refresh, sources } = await servePricing();
    const isStale = async () => [
      (await get('/api/pricing/btc')).body.stale,
      (await tokens('claude-haiku-4-5')).body.stale,
    ];
    sources.playAll(broken);
    expect(await isStale()).toEqual([false, false]);
    clock.pass(3 * INTERVAL);
    expect((await refresh()).status).toBe(503);
    expect(await isStale()).toEqual([false, false]);
    clock.pass(1);
    expect((await refresh()).status).toBe(503);
    expect(await isStale()).toEqual([true, true]);
    expect((await get('/api/pricing/btc')).body).toEqual({
      btc_price_usd: 64_000,
      age_seconds: (3 * INTERVAL) / 1000,
      source: 'coinbase',
      source_host: expect.stringMatching(/^127\.0\.0\.1:/),
      updated_at: NOON,
      stale: true,
    });
    sources.playAll(64_000);
    await refresh();
    expect(await isStale()).toEqual([false, false]);
  });
});

describe('without sources', () => {
  test('there is no price from the start on, until one source responds', async () => {
    const sources = await playBtcSources();
    await Promise.all(SOURCES.map((name) => sources.down(name)));
    const { get, tokens, refresh } = await servePricing({ sources, early: true });
    for (const answer of [await get('/api/pricing/btc'), await tokens('claude-haiku-4-5')]) {
      expect([answer.status, answer.body.code]).toEqual([503, 'price_unavailable']);
      expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    }
    const failed = await refresh();
    expect(failed.status).toBe(503);
    expect(failed.body).toMatchObject({ success: false, code: 'refresh_failed' });
    // There is no old price to keep.
    expect(failed.body.error).not.toContain('old price');
    expect(Object.keys(failed.body.sources)).toEqual([...SOURCES]);
    expect((await get('/api/pricing/history')).body).toEqual({ points: [] });
    expect((await get('/api/pricing/models')).status).toBe(200);
    await sources.up('mempool');
    expect((await refresh()).body).toMatchObject({ success: true, source: 'mempool' });
    expect((await get('/api/pricing/btc')).status).toBe(200);
    expect((await tokens('claude-haiku-4-5')).status).toBe(200);
  });

  test('the price comes back automatically', { tags: 'slow' }, async () => {
    const sources = await playBtcSources(broken);
    const { clock, get } = await servePricing({ sources, early: true });
    await until(() => sources.asked() === 5);
    sources.playAll(65_000);
    await until(async () => {
      clock.pass(10_000);
      return (await get('/api/pricing/btc')).status === 200;
    });
  });
});

describe('the keeper of the price', { tags: 'slow' }, () => {
  /** Prices without a server: the clock notes how long each timer was to wait. */
  const open = async (sources: PlayedSources, clock: FakeClock, intervalSeconds = 300) => {
    const waits: number[] = [];
    let wakes = 0;
    const directory = await makeTempDirectory();
    const pricing = await openPricing(
      {
        modelPricingPath: `${directory}/model_pricing.json`,
        btcSources: sources
          .setting()
          .split(',')
          .map((each) => ({ name: each.split('=')[0] ?? '', url: each.split('=')[1] ?? '' })),
        btcRefreshIntervalSeconds: intervalSeconds,
      },
      {
        bundledPath: `${RESOURCES_DIRECTORY}/model_pricing.json`,
        clock: {
          now: clock.now,
          after(ms, task) {
            waits.push(ms);
            return clock.after(ms, () => {
              wakes += 1;
              task();
            });
          },
        },
        etagOf,
        logger: createLogger('silent'),
        publish: () => {},
      },
    );
    onTestFinished(() => pricing.stop());
    pricing.start();
    await until(() => waits.length === 1);
    return { pricing, waits, wakes: () => wakes };
  };

  test('sends one request for fifty simultaneous ones, and all get its response', async () => {
    const sources = await playBtcSources();
    const clock = makeClock();
    const { pricing } = await open(sources, clock);
    clock.pass(5_000);
    sources.forget();
    sources.play('coinbase', broken);
    sources.play('kraken', 64_321);
    const answers = await Promise.all(Array.from({ length: 50 }, () => pricing.service.refresh()));
    for (const answer of answers) expect(answer).toMatchObject({ btc_price_usd: 64_321, source: 'kraken' });
    expect(sources.asked()).toBe(2);
    sources.playAll(broken);
    clock.pass(5_000);
    sources.forget();
    const failures = await Promise.allSettled(Array.from({ length: 50 }, () => pricing.service.refresh()));
    expect(new Set(failures.map(({ status }) => status))).toEqual(new Set(['rejected']));
    expect(sources.asked()).toBe(5);
  });

  test('asks every interval with a little jitter, while all is well', async () => {
    const clock = makeClock();
    const sources = await playBtcSources();
    const { waits } = await open(sources, clock);
    for (let round = 1; round <= 20; round++) {
      expect(sources.asked()).toBe(round);
      const wait = waits.at(-1) ?? 0;
      expect(Math.abs(wait - INTERVAL)).toBeLessThanOrEqual(INTERVAL * 0.05);
      clock.pass(wait - 1);
      expect(waits.length).toBe(round);
      clock.pass(1);
      await until(() => waits.length === round + 1);
    }
    expect(new Set(waits).size).toBeGreaterThan(10);
  });

  test('asks sooner after a failure, then at growing delays, never above the interval', async () => {
    const clock = makeClock();
    const start = clock.now();
    const sources = await playBtcSources(broken);
    const { waits } = await open(sources, clock);
    while (clock.now() - start < HOUR) {
      const before = waits.length;
      clock.pass(waits.at(-1) ?? 0);
      await until(() => waits.length > before);
    }
    expect(waits[0]).toBeLessThan(10_000);
    const shorter = waits.filter((wait) => wait < INTERVAL * 0.9);
    expect(shorter.length).toBeGreaterThan(3);
    for (const [i, wait] of shorter.entries()) {
      if (i > 0) expect(wait).toBeGreaterThan((shorter[i - 1] ?? 0) * 1.5);
    }
    for (const wait of waits.slice(shorter.length)) {
      expect(Math.abs(wait - INTERVAL)).toBeLessThanOrEqual(INTERVAL * 0.05);
    }
    // An hour of failure: some first tries, then one each interval.
    expect(sources.asked('coinbase')).toBeLessThanOrEqual(22);

    sources.playAll(64_000);
    const before = waits.length;
    clock.pass(waits.at(-1) ?? 0);
    await until(() => waits.length > before);
    expect(waits.at(-1)).toBeGreaterThan(INTERVAL * 0.9);
    sources.playAll(broken);
    clock.pass(waits.at(-1) ?? 0);
    await until(() => waits.length > before + 1);
    expect(waits.at(-1)).toBeLessThan(10_000);
  });

  test('with an interval of a second asks just as often after a failure', async () => {
    const clock = makeClock();
    const sources = await playBtcSources(broken);
    const { waits } = await open(sources, clock, 1);
    clock.pass(2000);
    await until(() => waits.length === 2);
    for (const wait of waits) expect(wait).toBeLessThanOrEqual(1050);
  });

  test('that slept eight hours with the laptop asks once, not a hundred times', async () => {
    const clock = makeClock();
    const sources = await playBtcSources();
    const { waits, pricing } = await open(sources, clock);
    sources.forget();
    clock.pass(8 * HOUR);
    expect(pricing.service.btcPrice()).toMatchObject({ stale: true, updated_at: NOON });
    await until(() => waits.length === 2);
    expect(sources.asked()).toBe(1);
    expect(pricing.service.btcPrice()).toMatchObject({
      stale: false,
      updated_at: '2026-03-01T20:00:00.000Z',
    });
    expect(waits[1]).toBeGreaterThan(INTERVAL * 0.9);
  });

  test('refreshes once when the system reports that it woke up, instead of when the refresh was due', async () => {
    const clock = makeClock();
    const sources = await playBtcSources();
    const { waits, wakes, pricing } = await open(sources, clock);
    sources.forget();
    clock.pass(INTERVAL / 2);
    pricing.wake();
    pricing.wake();
    await until(() => waits.length === 2);
    // Said again, a moment after the price came.
    pricing.wake();
    clock.pass(INTERVAL * 0.6);
    expect([sources.asked(), wakes()]).toEqual([1, 0]);

    pricing.stop();
    clock.pass(HOUR);
    pricing.wake();
    expect(sources.asked()).toBe(1);
  });

  test('that was stopped sends no more requests, not even when a response arrives later', async () => {
    const clock = makeClock();
    const sources = await playBtcSources();
    const { wakes, pricing } = await open(sources, clock);
    pricing.stop();
    clock.pass(HOUR);
    expect(wakes()).toBe(0);

    const second = await open(await playBtcSources(), clock);
    clock.pass(INTERVAL * 2);
    second.pricing.stop();
    await second.pricing.service.refresh();
    expect(second.waits.length).toBe(1);
  });
});

test('asks the sources once in five seconds, and reports the last result until then', async () => {
  const { clock, refresh, sources, get } = await servePricing({ refreshPauseMs: 5_000 });
  sources.playAll(64_500);
  clock.pass(5_000);
  const { status, body } = await refresh();
  expect([status, body.btc_price_usd, sources.asked()]).toEqual([200, 64_500, 1]);
  sources.playAll(broken);
  clock.pass(4_999);
  const answers = await Promise.all(Array.from({ length: 20 }, refresh));
  for (const again of answers) expect([again.status, again.body]).toEqual([200, body]);
  expect(sources.asked()).toBe(1);
  clock.pass(1);
  const failed = await refresh();
  expect([failed.status, failed.body.success, sources.asked()]).toEqual([503, false, 6]);
  sources.playAll(64_600);
  // A failure is a result too.
  const still = await refresh();
  expect([still.status, still.body, sources.asked()]).toEqual([503, failed.body, 6]);
  clock.pass(5_000);
  expect((await refresh()).body).toMatchObject({ success: true, btc_price_usd: 64_600 });
  expect((await get('/api/pricing/btc')).body.btc_price_usd).toBe(64_600);
});

test('the event stream reports a new price and a changed models file', { tags: 'slow' }, async () => {
  const { url, refresh, sources, asOperator, get } = await servePricing();
  const leave = new AbortController();
  onTestFinished(() => leave.abort());
  const response = await fetch(`${url}/api/events`, { signal: leave.signal });
  const told: unknown[] = [];
  let isOpen = false;
  const parser = createParser({
    onEvent: ({ event, data }) => {
      if (event === 'hello') isOpen = true;
      if (event === 'price') told.push(JSON.parse(data));
    },
  });
  const read = async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) parser.feed(decoder.decode(chunk, { stream: true }));
  };
  void read().catch(() => undefined);
  await until(() => isOpen);
  expect(told).toEqual([]);

  sources.playAll(64_500);
  await refresh();
  await until(() => told.length === 1);
  expect(told[0]).toEqual({
    btc: { btc_price_usd: 64_500, source: 'coinbase', source_host: expect.any(String), updated_at: NOON },
    models: false,
  });

  sources.playAll(broken);
  await refresh();
  const bad = await asOperator('PUT', '/api/pricing/models', { models: { a: null } });
  const late = await asOperator('PUT', '/api/pricing/models', { models: {} }, { 'If-Match': '"0"' });
  expect([bad.status, late.status]).toEqual([400, 412]);
  await asOperator('PUT', '/api/pricing/models', { models: modelRows({ a: [1, 2] }) });
  await until(() => told.length === 2);
  // Neither a failure nor a refused write was told.
  expect(told[1]).toEqual({ btc: null, models: true });
  expect((await get('/api/pricing/models')).body.models).toEqual(modelRows({ a: [1, 2] }));
});
