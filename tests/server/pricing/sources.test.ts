import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { PATHS, SOURCES } from '../../support/btc-sources/answers.ts';
import { answering, busy, endless, FAULTS, hanging, telling } from '../../support/btc-sources/faults.ts';
import { playBtcSources } from '../../support/btc-sources/play.ts';
import { makeClock } from '../../support/clock.ts';
import { INTERVAL, MINUTE, servePricing } from './serve-pricing.ts';

const SECOND = 1000;

describe('a source', () => {
  test('is understood in its real response, for each of the five', { tags: 'slow' }, async () => {
    for (const name of SOURCES) {
      const sources = await playBtcSources(64_011.25);
      const { refresh } = await servePricing({ sources, setting: sources.setting(name) });
      const { status, body } = await refresh();
      expect([name, status, body]).toEqual([
        name,
        200,
        {
          success: true,
          btc_price_usd: 64_011.25,
          source: name,
          source_host: new URL(sources.setting(name).slice(name.length + 1)).host,
          updated_at: '2026-03-01T12:00:00.000Z',
        },
      ]);
      expect(sources.paths()).toEqual([PATHS[name]]);
    }
  });

  test('can have its own URL with a path, with or without a slash at its end', async () => {
    const paths: string[] = [];
    const node = createServer((request, response) => {
      paths.push(request.url ?? '');
      response.end('{"USD":64000}');
    });
    await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void node.close());
    const address = node.address();
    const port = typeof address === 'object' ? address?.port : 0;
    for (const end of ['/umbrel', '/umbrel/', '/umbrel//']) {
      const { refresh } = await servePricing({ setting: `mempool=http://127.0.0.1:${port}${end}` });
      expect((await refresh()).status).toBe(200);
    }
    expect(new Set(paths)).toEqual(new Set(['/umbrel/api/v1/prices']));
  });

  test('can’t redirect us to another address', async () => {
    const paths: string[] = [];
    const elsewhere = createServer((request, response) => {
      paths.push(request.url ?? '');
      response.end('{"data":{"amount":"1"}}');
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void elsewhere.close());
    const { port } = elsewhere.address() as AddressInfo;
    const sources = await playBtcSources();
    const { refresh } = await servePricing({ sources, setting: sources.setting('coinbase') });
    for (const status of [301, 302, 303, 307, 308]) {
      sources.play('coinbase', answering('', status, { Location: `http://127.0.0.1:${port}/private` }));
      const { status: answered, body } = await refresh();
      expect([status, answered, body.code]).toEqual([status, 503, 'refresh_failed']);
      expect(body.sources.coinbase).toBe('the response was a redirect, which dot-mi doesn’t follow');
    }
    expect(paths).toEqual([]);
  });

  test('is queried in the configured order, and the first plausible response wins', async () => {
    const sources = await playBtcSources();
    const { refresh } = await servePricing({
      sources,
      setting: sources.setting('mempool', 'kraken', 'coinbase'),
    });
    for (const [i, name] of SOURCES.entries()) sources.play(name, 64_000 + i);
    expect((await refresh()).body).toMatchObject({ source: 'mempool', btc_price_usd: 64_004 });
    expect([sources.asked(), sources.asked('mempool')]).toEqual([1, 1]);
    sources.play('mempool', FAULTS['the status 503'] ?? hanging);
    expect((await refresh()).body).toMatchObject({ source: 'kraken', btc_price_usd: 64_001 });
    sources.play('kraken', FAULTS['the status 503'] ?? hanging);
    expect((await refresh()).body).toMatchObject({ source: 'coinbase', btc_price_usd: 64_000 });
    expect([sources.asked('bitstamp'), sources.asked('coingecko')]).toEqual([0, 0]);
  });

  test('that cannot be reached is skipped until it is back', async () => {
    const { refresh, sources } = await servePricing();
    await sources.down('coinbase');
    await sources.down('kraken');
    expect((await refresh()).body).toMatchObject({ success: true, source: 'bitstamp' });
    await sources.up('kraken');
    expect((await refresh()).body).toMatchObject({ success: true, source: 'kraken' });
    await sources.up('coinbase');
    expect((await refresh()).body).toMatchObject({ success: true, source: 'coinbase' });
  });
});

describe('the time that bitstamp and mempool state', () => {
  const NOON = Date.parse('2026-03-01T12:00:00.000Z');
  const [LIMIT, SECONDS] = [3 * INTERVAL, 1_000];

  test('is the time of the price', async () => {
    for (const name of ['bitstamp', 'mempool'] as const) {
      const sources = await playBtcSources();
      sources.play(name, telling(64_000, NOON - LIMIT));
      const { refresh, get, clock } = await servePricing({ sources, setting: sources.setting(name) });
      expect((await refresh()).body).toMatchObject({ source: name, updated_at: '2026-03-01T11:45:00.000Z' });
      const btc = async () => (await get('/api/pricing/btc')).body;
      expect(await btc()).toMatchObject({ age_seconds: LIMIT / 1_000, stale: false });
      clock.pass(1);
      expect(await btc()).toMatchObject({ stale: true });
    }
  });

  test('decides that an old price is stale, and the next source is asked', async () => {
    const sources = await playBtcSources();
    for (const name of ['bitstamp', 'mempool'] as const)
      sources.play(name, telling(1, NOON - LIMIT - SECONDS));
    const setting = sources.setting('mempool', 'bitstamp', 'coinbase');
    const { refresh, get } = await servePricing({ sources, setting });
    expect((await refresh()).body).toMatchObject({ source: 'coinbase', btc_price_usd: 64_000 });
    sources.play('coinbase', FAULTS['the status 503'] ?? hanging);
    const { status, body } = await refresh();
    expect([status, body.code, body.sources.mempool]).toEqual([
      503,
      'refresh_failed',
      'the price is from 2026-03-01T11:44:59.000Z',
    ]);
    expect((await get('/api/pricing/btc')).body).toMatchObject({ btc_price_usd: 64_000, source: 'coinbase' });
  });

  test('is said to be stale if no source has a newer price', async () => {
    const sources = await playBtcSources();
    const setting = sources.setting('bitstamp', 'mempool', 'kraken');
    sources.play('bitstamp', telling(64_000, NOON - 120 * MINUTE));
    sources.play('mempool', telling(64_100, NOON - 60 * MINUTE));
    sources.play('kraken', FAULTS['the status 503'] ?? hanging);
    const { refresh, get } = await servePricing({ sources, setting });
    const old = { source: 'mempool', updated_at: '2026-03-01T11:00:00.000Z' };
    expect((await refresh()).status).toBe(503);
    expect((await get('/api/pricing/btc')).body).toMatchObject({ ...old, age_seconds: 3600, stale: true });
    // A newer one replaces it, but not one that moved by more than 10%.
    sources.play('mempool', telling(96_000, NOON - 30 * MINUTE));
    expect((await refresh()).status).toBe(503);
    sources.play('bitstamp', telling(65_000, NOON - 40 * MINUTE));
    sources.play('mempool', FAULTS['the status 503'] ?? hanging);
    expect((await refresh()).body).toMatchObject({ source: 'bitstamp', btc_price_usd: 65_000 });
  });

  test('never replaces a newer price by an older one', async () => {
    const { refresh, sources, get, clock } = await servePricing();
    clock.pass(INTERVAL);
    sources.play('coinbase', 64_500);
    await refresh();
    for (const name of SOURCES) sources.play(name, FAULTS['the status 503'] ?? hanging);
    sources.play('mempool', telling(64_900, NOON + INTERVAL - SECONDS));
    expect((await refresh()).body).toMatchObject({ btc_price_usd: 64_500, source: 'coinbase' });
    sources.play('mempool', telling(64_900, NOON + INTERVAL + SECONDS));
    clock.pass(2 * SECONDS);
    expect((await refresh()).body).toMatchObject({ btc_price_usd: 64_900, source: 'mempool' });
    const { points } = (await get('/api/pricing/history')).body;
    expect(points.map(({ at }: { at: string }) => at)).toEqual([
      '2026-03-01T12:00:00.000Z',
      '2026-03-01T12:05:00.000Z',
      '2026-03-01T12:05:01.000Z',
    ]);
  });

  test('is now if it is in the future, and the next source is asked if it isn’t a time', async () => {
    const sources = await playBtcSources();
    const { refresh } = await servePricing({ sources, setting: sources.setting('mempool', 'coinbase') });
    sources.play('mempool', telling(64_000, NOON + 1_000 * MINUTE));
    expect((await refresh()).body).toMatchObject({
      source: 'mempool',
      updated_at: '2026-03-01T12:00:00.000Z',
    });
    for (const time of ['null', '"noon"', '-1', '{}', '""', 'true']) {
      sources.play('mempool', answering(`{"time":${time},"USD":64000}`));
      const { body } = await refresh();
      expect([time, body.source]).toEqual([time, 'coinbase']);
    }
  });
});

describe('after a fault of one source the next one is asked', () => {
  for (const [i, name] of SOURCES.entries()) {
    const next = SOURCES[(i + 1) % SOURCES.length] ?? 'coinbase';
    test(`whatever ${name} returns`, { tags: 'slow' }, async () => {
      const sources = await playBtcSources();
      const { refresh } = await servePricing({ sources, setting: sources.setting(name, next) });
      for (const [what, fault] of Object.entries(FAULTS)) {
        sources.play(name, fault);
        const { status, body } = await refresh();
        expect([what, status, body.source]).toEqual([what, 200, next]);
      }
      // It is asked as ever: none of this is a wish to be left alone.
      sources.play(name, 64_100);
      expect((await refresh()).body).toMatchObject({ source: name, btc_price_usd: 64_100 });
    });
  }

  test('all of them at once are a failure that names each, and the old price stays', {
    tags: 'slow',
  }, async () => {
    const { refresh, sources, get } = await servePricing();
    for (const [what, fault] of Object.entries(FAULTS)) {
      sources.playAll(fault);
      const { status, body } = await refresh();
      expect([what, status, body.code, body.success]).toEqual([what, 503, 'refresh_failed', false]);
      expect([what, Object.keys(body.sources)]).toEqual([what, [...SOURCES]]);
    }
    expect((await get('/api/pricing/btc')).body.btc_price_usd).toBe(64_000);
  });

  test('after five seconds, when it hangs before its response or during it', { tags: 'slow' }, async () => {
    const answers = await Promise.all(
      [hanging, endless].map(async (fault) => {
        const { refresh, sources } = await servePricing();
        sources.play('coinbase', fault);
        const { body } = await refresh();
        return [body.source, sources.asked('coinbase')];
      }),
    );
    expect(answers).toEqual([
      ['kraken', 1],
      ['kraken', 1],
    ]);
  });
});

describe('a source that sends Retry-After is left alone until then and no longer', () => {
  /** Sends it once, and says after how long the source is asked again: at `before` not yet, at `after` again. */
  const expectAlone = async (retryAfter: string, before: number, after: number, status = 429) => {
    const clock = makeClock();
    const { refresh, sources } = await servePricing({
      clock,
      environment: { BTC_PRICE_REFRESH_INTERVAL: '86400' },
    });
    sources.play('coinbase', (response) => {
      response.writeHead(status, { 'Retry-After': retryAfter }).end('{}');
    });
    expect((await refresh()).body.source).toBe('kraken');
    sources.play('coinbase', telling(64_000));
    sources.forget();
    clock.pass(before);
    expect([retryAfter, (await refresh()).body.source, sources.asked('coinbase')]).toEqual([
      retryAfter,
      'kraken',
      0,
    ]);
    clock.pass(after - before);
    expect([retryAfter, (await refresh()).body.source]).toEqual([retryAfter, 'coinbase']);
  };

  test('given in seconds, with 429 or 503', async () => {
    await expectAlone('120', 120 * SECOND - 1, 120 * SECOND);
    await expectAlone('1', SECOND - 1, SECOND, 503);
  });

  test('given as a date', async () => {
    await expectAlone('Sun, 01 Mar 2026 12:07:00 GMT', 7 * MINUTE - 1, 7 * MINUTE);
  });

  test('but for a day at most', async () => {
    // A day is also the longest interval, so that no refresh of its own comes between.
    await expectAlone('99999999999', 22 * 60 * MINUTE, 24 * 60 * MINUTE);
  });

  test('an invalid or past time is ignored', async () => {
    const { refresh, sources } = await servePricing();
    for (const retryAfter of ['0', '', ' ', 'soon', '-60', 'Sun, 01 Mar 2026 11:59:59 GMT', '12e3x']) {
      sources.play('coinbase', busy(retryAfter));
      expect([retryAfter, (await refresh()).body.source]).toEqual([retryAfter, 'kraken']);
      sources.play('coinbase', 64_000);
      expect([retryAfter, (await refresh()).body.source]).toEqual([retryAfter, 'coinbase']);
    }
  });

  test('while all are left alone nobody is asked, and the old price stays', async () => {
    const clock = makeClock();
    const { refresh, sources, get } = await servePricing({ clock });
    sources.playAll(busy('600'));
    expect((await refresh()).status).toBe(503);
    sources.playAll(64_001);
    sources.forget();
    clock.pass(2 * INTERVAL - 1);
    const { status, body } = await refresh();
    expect([status, body.code, body.success, sources.asked()]).toEqual([503, 'refresh_failed', false, 0]);
    expect((await get('/api/pricing/btc')).body).toMatchObject({ btc_price_usd: 64_000 });
    clock.pass(1);
    expect((await refresh()).body).toMatchObject({ btc_price_usd: 64_001, source: 'coinbase' });
  });
});
