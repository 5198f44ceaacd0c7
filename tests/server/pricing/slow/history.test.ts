import { appendFile, chmod, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openPriceHistory } from '../../../../src/server/pricing/price-history.ts';
import { FAULTS, hanging } from '../../../support/btc-sources/faults.ts';
import { playBtcSources } from '../../../support/btc-sources/play.ts';
import { makeClock } from '../../../support/clock.ts';
import { giveToUnprivilegedUser, noUnprivilegedUser, unprivilegedUser } from '../../../support/nobody.ts';
import { readJson, until } from '../../../support/raw-http.ts';
import { makeRoot } from '../../../support/root.ts';
import { startServerProcess } from '../../../support/server-process.ts';
import { makeTempDirectory } from '../../../support/temp.ts';
import { INTERVAL, MINUTE, modelsText, servePricing } from '../serve-pricing.ts';

const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOON = Date.parse('2026-03-01T12:00:00.000Z');
const NOWHERE = 'mempool=http://127.0.0.1:9';
const FILE = 'btc_price_history.jsonl';
const broken = FAULTS['the status 503'] ?? hanging;

const line = (ago: number, price: unknown = 64_000, source: unknown = 'kraken') =>
  JSON.stringify({ source, price, at: NOON - ago });

/** A server that cannot reach a source, over a history file. */
const serveHistory = async (text: string | Uint8Array, clock = makeClock()) => {
  const directory = await makeTempDirectory();
  await writeFile(join(directory, FILE), text);
  return servePricing({ clock, directory, setting: NOWHERE, early: true });
};

const pricesOf = async (
  { get }: { get: (path: string) => Promise<{ body: { points: { btc_price_usd: number }[] } }> },
  hours = 192,
) => (await get(`/api/pricing/history?hours=${hours}`)).body.points.map((point) => point.btc_price_usd);

describe('the history', () => {
  test('lists the prices of the last hours, oldest first, a day of them by default', async () => {
    const ages = [191 * HOUR, 25 * HOUR, 24 * HOUR, HOUR + 1, HOUR - MINUTE, MINUTE];
    const server = await serveHistory(ages.map((ago, i) => line(ago, i + 1)).join('\n'));
    expect((await server.get('/api/pricing/history?hours=1')).body).toEqual({
      points: [
        { at: '2026-03-01T11:01:00.000Z', btc_price_usd: 5, source: 'kraken' },
        { at: '2026-03-01T11:59:00.000Z', btc_price_usd: 6, source: 'kraken' },
      ],
    });
    expect((await server.get('/api/pricing/history')).body.points).toHaveLength(4);
    expect(await pricesOf(server, 25)).toEqual([2, 3, 4, 5, 6]);
    expect(await pricesOf(server, 192)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await pricesOf(server, 0.5)).toEqual([6]);
  });

  test('accepts hours above 0 and up to 192', async () => {
    const { get } = await serveHistory('');
    for (const hours of ['0', '-1', '192.1', '193', 'x', '', 'NaN', 'Infinity', '1e9', '1&hours=2']) {
      const { status, body } = await get(`/api/pricing/history?hours=${hours}`);
      expect([hours, status, body.code, body.issues[0].path]).toEqual([
        hours,
        400,
        'invalid_request',
        'query.hours',
      ]);
    }
    for (const hours of ['0.001', '1', '192', '1e2']) {
      expect([hours, (await get(`/api/pricing/history?hours=${hours}`)).status]).toEqual([hours, 200]);
    }
  });

  test('grows with each refresh, however soon, and a refusal adds nothing', async () => {
    const server = await servePricing();
    const { clock, sources, refresh, get } = server;
    const added = [64_000];
    for (const price of [64_100, 64_200, 64_300]) {
      clock.pass(MINUTE / 6);
      sources.playAll(price);
      await refresh();
      sources.playAll(broken);
      await refresh();
      added.push(price);
    }
    const { points } = (await get('/api/pricing/history')).body;
    expect(points.map((point: { btc_price_usd: number }) => point.btc_price_usd)).toEqual(added);
    expect(points.at(-1)).toEqual({
      at: '2026-03-01T12:00:30.000Z',
      btc_price_usd: 64_300,
      source: 'coinbase',
      source_host: expect.stringMatching(/^127\.0\.0\.1:/),
    });
  });

  test('with an interval of a second keeps the newest 3,000 prices, and one a minute of the older ones', async () => {
    const path = join(await makeTempDirectory(), FILE);
    const at = (second: number) => ({ source: 'kraken', price: 64_000 + second, at: NOON + second * 1000 });
    const lines = Array.from({ length: 3_200 }, (_, second) => `${JSON.stringify(at(second))}\n`);
    await writeFile(path, lines.join(''));
    const history = await openPriceHistory(path, NOON + DAY);
    await history.add(at(3_200));
    expect(history.latest()?.price).toBe(67_200);
    const seconds = history.since(0).map(({ price }) => price - 64_000);
    expect(seconds).toEqual([0, 60, 120, 180, ...Array.from({ length: 3_000 }, (_, i) => i + 201)]);
    // All that was told is in the file; who opens it anew keeps the same.
    const again = await openPriceHistory(path, NOON + DAY);
    expect(again.since(0)).toEqual(history.since(0));
  });

  test('drops prices that are older than eight days', async () => {
    const path = join(await makeTempDirectory(), FILE);
    const history = await openPriceHistory(path, NOON);
    for (let day = 0; day <= 9; day++) {
      await history.add({ source: 'kraken', price: 100 + day, at: NOON + day * DAY });
    }
    expect(history.since(0).map(({ price }) => price)).toEqual([102, 103, 104, 105, 106, 107, 108, 109]);
    const again = await openPriceHistory(path, NOON + 9 * DAY);
    expect(again.since(0)).toEqual(history.since(0));
    expect((await openPriceHistory(path, NOON + 100 * DAY)).latest()).toBeUndefined();
  });

  test('stays in a file that does not grow forever', async () => {
    const path = join(await makeTempDirectory(), FILE);
    const history = await openPriceHistory(path, NOON);
    const linesOf = async () =>
      (await readFile(path, 'utf8')).split('\n').filter((each) => each !== '').length;
    for (let minute = 0; minute < 1000; minute++) {
      await history.add({ source: 'kraken', price: 64_000, at: NOON + minute * MINUTE });
    }
    for (let second = 0; second < 6600; second++) {
      await history.add({ source: 'kraken', price: 64_000, at: NOON + 1000 * MINUTE + second * 1000 });
      if (second % 500 === 0) expect(await linesOf()).toBeLessThanOrEqual(history.since(0).length + 2000);
    }
    expect(await linesOf()).toBeLessThanOrEqual(history.since(0).length + 2000);
    expect((await openPriceHistory(path, NOON + 2 * DAY)).since(0)).toEqual(history.since(0));

    // A file that is too long when it is opened shrinks with the next price.
    const kept = history.since(0).length;
    await appendFile(path, `${line(DAY)}\n`.repeat(30_000));
    const reopened = await openPriceHistory(path, NOON + 2 * DAY);
    await reopened.add({ source: 'kraken', price: 64_000, at: NOON + 2 * DAY });
    expect((await readFile(path, 'utf8')).trim().split('\n').length).toBeLessThan(kept + 10);
  });
});

describe('after a restart', () => {
  test('the price and the history are as before, with their times', async () => {
    const directory = await makeTempDirectory();
    const clock = makeClock();
    const first = await servePricing({ clock, directory });
    clock.pass(INTERVAL * 2);
    first.sources.playAll(64_777);
    await first.refresh();
    const before = await first.get('/api/pricing/history');
    await first.close();
    clock.pass(MINUTE);

    const second = await servePricing({ clock, directory, setting: NOWHERE, early: true });
    expect((await second.get('/api/pricing/btc')).body).toEqual({
      btc_price_usd: 64_777,
      age_seconds: 60,
      source: 'coinbase',
      source_host: expect.stringMatching(/^127\.0\.0\.1:/),
      updated_at: '2026-03-01T12:10:00.000Z',
      stale: false,
    });
    expect((await second.get('/api/pricing/history')).body).toEqual(before.body);
    expect((await second.refresh()).status).toBe(503);
    expect((await second.tokens('claude-haiku-4-5')).body.btc_price_usd).toBe(64_777);
  });

  test('the old price still guards against a large move', async () => {
    const directory = await makeTempDirectory();
    await writeFile(join(directory, FILE), `${line(HOUR)}\n`);
    const sources = await playBtcSources(broken);
    sources.play('coinbase', 640_000);
    const { refresh } = await servePricing({ directory, sources, early: true });
    await until(() => sources.asked() >= 5);
    sources.play('kraken', 64_500);
    expect((await refresh()).body).toMatchObject({ source: 'kraken', btc_price_usd: 64_500 });
  });

  test('lines that aren’t a price are ignored: half a line, garbage, out of order, from tomorrow', async () => {
    const good = [line(3 * HOUR, 1), line(2 * HOUR, 2), line(HOUR, 3)];
    const cases: Record<string, [text: string | Uint8Array, prices: number[]]> = {
      nothing: ['', []],
      'blank lines': ['\n\n\n', []],
      'garbage alone': [Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7919) % 256)), []],
      'a last line that was cut': [`${good.join('\n')}\n${line(MINUTE, 4).slice(0, -5)}`, [1, 2, 3]],
      'a first line that was cut': [`{"sou\n${good.join('\n')}`, [1, 2, 3]],
      'the ends of lines of Windows': [good.join('\r\n'), [1, 2, 3]],
      'out of order': [[good[2], good[0], good[1]].join('\n'), [1, 2, 3]],
      'of the future': [`${good.join('\n')}\n${line(-1, 4)}\n${line(-DAY, 5)}\n`, [1, 2, 3]],
      'of this very moment': [`${good.join('\n')}\n${line(0, 4)}`, [1, 2, 3, 4]],
      'of long ago': [`${line(8 * DAY, 9)}\n${line(4000 * DAY, 9)}\n${good.join('\n')}`, [1, 2, 3]],
      'prices that are none': [
        [
          line(5, 0),
          line(5, -1),
          line(5, '64000'),
          line(5, null),
          line(5, 1e-300),
          line(5, 1e300),
          '{"at":1e400,"price":1,"source":"x"}',
          ...good,
        ].join('\n'),
        [1, 2, 3],
      ],
      'JSON of another kind': [
        ['null', '[]', '1', '"x"', '{}', line(5, 1, 7), '{"__proto__":{"price":5}}', ...good].join('\n'),
        [1, 2, 3],
      ],
      'a line of 5 MB': [`${'x'.repeat(5_000_000)}\n${good.join('\n')}`, [1, 2, 3]],
    };
    for (const [what, [text, prices]] of Object.entries(cases)) {
      const server = await serveHistory(text);
      expect([what, await pricesOf(server)]).toEqual([what, prices]);
      const { status, body } = await server.get('/api/pricing/btc');
      expect([what, status, body.btc_price_usd]).toEqual(
        prices.length === 0 ? [what, 503, undefined] : [what, 200, prices.at(-1)],
      );
    }
  });

  test('a price after a truncated line is not lost with it', async () => {
    const directory = await makeTempDirectory();
    const path = join(directory, FILE);
    const first = await servePricing({ directory });
    await first.close();
    await truncate(path, (await stat(path)).size - 9);
    const clock = makeClock('2026-03-01T13:00:00.000Z');
    const second = await servePricing({ directory, clock, sources: await playBtcSources(65_000) });
    await second.close();
    const third = await servePricing({ directory, clock, setting: NOWHERE, early: true });
    expect((await third.get('/api/pricing/btc')).body).toMatchObject({
      btc_price_usd: 65_000,
      source: 'coinbase',
    });
  });
});

describe('when the history cannot be written the price is still used', () => {
  test('because the disk is full', async ({ skip }) => {
    skip(process.platform !== 'linux', 'only Linux has /dev/full');
    const { history, refresh, sources, get, tokens } = await servePricing();
    await rm(history);
    await symlink('/dev/full', history);
    sources.playAll(64_900);
    expect((await refresh()).body).toMatchObject({ success: true, btc_price_usd: 64_900 });
    expect((await get('/api/pricing/btc')).body.btc_price_usd).toBe(64_900);
    expect((await tokens('claude-haiku-4-5')).body.btc_price_usd).toBe(64_900);
    expect((await get('/api/pricing/history')).body.points.at(-1).btc_price_usd).toBe(64_900);
  });

  test('because its directory is read-only, also at the start', async ({ skip }) => {
    const why = noUnprivilegedUser();
    skip(why !== undefined, why);
    const sources = await playBtcSources(64_321);
    const [root, data, prices] = [await makeRoot(), await makeTempDirectory(), await makeTempDirectory()];
    await writeFile(join(prices, 'model_pricing.json'), modelsText({ a: [2.5, 2.5] }));
    await chmod(join(prices, 'model_pricing.json'), 0o444);
    await chmod(prices, 0o555);
    await giveToUnprivilegedUser([data]);
    const { url } = await startServerProcess(
      {
        DOT_MI_ROOT: root,
        BTC_PRICE_SOURCES: sources.setting(),
        MODEL_PRICING_PATH: join(prices, 'model_pricing.json'),
      },
      data,
      unprivilegedUser,
    );
    const refreshed = await readJson(fetch(`${url}/api/pricing/refresh`, { method: 'POST' }));
    expect(refreshed).toMatchObject({ success: true, btc_price_usd: 64_321 });
    const price = await readJson(fetch(`${url}/api/pricing/tokens?model=a`));
    expect(price).toMatchObject({ model: 'a', btc_price_usd: 64_321 });
    await expect(stat(join(prices, FILE))).rejects.toMatchObject({ code: 'ENOENT' });
    await chmod(prices, 0o755);
  });
});
