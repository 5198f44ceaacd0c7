import { watch, writeFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { etagOf } from '../../support/etag.ts';
import { modelRows, modelsText, servePricing } from './serve-pricing.ts';

const PATH = '/api/pricing/models';

test('writes the prices, which count at once, and the etag is that of the file', async () => {
  const { asOperator, get, tokens, models } = await servePricing();
  const wanted = modelRows({ 'b model': [2.5, 10], a: [0, 0], 'z/é🦊': [1e-9, 1e9] });
  const { status, body, headers } = await asOperator('PUT', PATH, { models: wanted });
  const written = await readFile(models);
  expect([status, body]).toEqual([200, { ok: true, etag: etagOf(written) }]);
  expect(headers.get('etag')).toBe(etagOf(written));
  expect(Object.entries(JSON.parse(written.toString()).models)).toEqual(Object.entries(wanted));
  // For people: one line a model, and the source and date that were there.
  expect(written.toString().split('\n')).toHaveLength(3 + 2 + 5);

  const list = await get(PATH);
  expect(list.body).toEqual({ models: wanted, etag: etagOf(written) });
  expect(list.headers.get('etag')).toBe(etagOf(written));
  expect((await tokens('b model')).body.input_sats_per_token).toBe(250 / 64_000);
  expect((await tokens('claude-haiku-4-5')).status).toBe(404);
  // Nothing is left beside it.
  expect((await readdir(dirname(models))).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

test('is for the operator alone', async () => {
  const { call, models } = await servePricing();
  const before = await readFile(models, 'utf8');
  for (const [method, path] of [
    ['PUT', PATH],
    ['POST', '/api/pricing/import'],
  ] as const) {
    for (const headers of [{}, { Authorization: 'Bearer wrong' }]) {
      const { status, body } = await call(method, path, { models: {} }, headers);
      const refusal = 'Authorization' in headers ? [401, 'unauthorized'] : [403, 'operator_required'];
      expect([method, status, body.code]).toEqual([method, ...refusal]);
    }
  }
  expect(await readFile(models, 'utf8')).toBe(before);
});

test('an empty list is valid, and so are names such as __proto__', { tags: 'slow' }, async () => {
  const { asOperator, get, tokens, models } = await servePricing();
  expect((await asOperator('PUT', PATH, { models: {} })).status).toBe(200);
  expect((await get(PATH)).body.models).toEqual({});
  const body = `{"models":{"__proto__":{"input_usd_per_million":1,"output_usd_per_million":2},"constructor":{"input_usd_per_million":3,"output_usd_per_million":4}}}`;
  expect((await asOperator('PUT', PATH, body)).status).toBe(200);
  expect(await readFile(models, 'utf8')).toContain(
    '"__proto__": {"input_usd_per_million":1,"output_usd_per_million":2}',
  );
  expect(Object.keys((await get(PATH)).body.models)).toEqual(['__proto__', 'constructor']);
  expect((await tokens('__proto__')).body.output_sats_per_token).toBe(200 / 64_000);
});

test('names every bad row, and then writes nothing', { tags: 'slow' }, async () => {
  const { asOperator, models } = await servePricing();
  const before = await readFile(models, 'utf8');
  const body = `{"models":{
    "good": {"input_usd_per_million":1,"output_usd_per_million":1},
    "negative": {"input_usd_per_million":-1,"output_usd_per_million":1},
    "text": {"input_usd_per_million":1,"output_usd_per_million":"1"},
    "null": null,
    "half": {"input_usd_per_million":1},
    "endless": {"input_usd_per_million":1e400,"output_usd_per_million":1},
    "": {"input_usd_per_million":1,"output_usd_per_million":1},
    "__proto__": [],
    "more": {"input_usd_per_million":1,"output_usd_per_million":1,"cache_usd_per_million":1}
  }}`;
  const answer = await asOperator('PUT', PATH, body);
  expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
  const paths = answer.body.issues.map(({ path }: { path: string }) => path);
  expect(new Set(paths)).toEqual(
    new Set([
      ...['negative', 'text', 'null', 'half', 'endless', '', '__proto__'].map(
        (name) => `body.models.${name}`,
      ),
      'body.models.more.cache_usd_per_million',
    ]),
  );
  for (const { message } of answer.body.issues) expect(message).toMatch(/must|doesn’t accept this field/);

  for (const wrong of [
    '{}',
    '{"models":null}',
    '{"models":[]}',
    '{"models":"x"}',
    '{"models":{},"source":"me"}',
    '[]',
    'null',
  ]) {
    const refused = await asOperator('PUT', PATH, wrong);
    expect([wrong, refused.status, refused.body.code, refused.body.issues.length]).toEqual([
      wrong,
      400,
      'invalid_request',
      1,
    ]);
  }
  expect((await asOperator('PUT', PATH, '{"models":')).body.code).toBe('invalid_json');
  expect(await readFile(models, 'utf8')).toBe(before);
});

test('with If-Match overwrites only what was read', async () => {
  const { asOperator, get, models } = await servePricing();
  const { etag } = (await get(PATH)).body;
  const put = (rows: Parameters<typeof modelRows>[0], ifMatch: string) =>
    asOperator('PUT', PATH, { models: modelRows(rows) }, { 'If-Match': ifMatch });

  const first = await put({ a: [1, 1] }, etag);
  expect(first.status).toBe(200);
  // The other writer has read what was there before: its edit would be lost, or lose ours.
  const late = await put({ b: [2, 2] }, etag);
  expect([late.status, late.body.code, late.body.etag]).toEqual([412, 'file_changed', first.body.etag]);
  expect((await get(PATH)).body.models).toEqual(modelRows({ a: [1, 1] }));
  expect((await put({ b: [2, 2] }, `"0", ${first.body.etag}`)).status).toBe(200);

  // An editor writes in between: seen too.
  const before = (await get(PATH)).body.etag;
  await writeFile(models, modelsText({ edited: [1, 1] }));
  expect((await put({ c: [3, 3] }, before)).status).toBe(412);
  expect((await put({ c: [3, 3] }, '*')).status).toBe(200);
  for (const never of ['"0"', 'W/"0"', `W/${(await get(PATH)).body.etag}`]) {
    expect([never, (await put({ d: [4, 4] }, never)).status]).toEqual([never, 412]);
  }
  for (const wrong of ['', `${(await get(PATH)).body.etag}x`]) {
    expect([wrong, (await put({ d: [4, 4] }, wrong)).status]).toEqual([wrong, 400]);
  }
  await rm(models);
  expect((await put({ d: [4, 4] }, '*')).status).toBe(412);
  await expect(readFile(models)).rejects.toMatchObject({ code: 'ENOENT' });
  expect((await asOperator('PUT', PATH, { models: modelRows({ d: [4, 4] }) })).status).toBe(200);
});

test('an editor that saves while the new file is being written is noticed, and its edit stays', async () => {
  const { asOperator, get, models } = await servePricing();
  const large = modelRows(
    Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`model-${i}`, [i, i] as const])),
  );
  const edited = modelsText({ edited: [1, 1] });
  const attempt = async () => {
    await writeFile(models, modelsText({ before: [1, 1] }));
    const { etag } = (await get(PATH)).body;
    const watcher = watch(dirname(models), (_, name) => {
      if (!name?.endsWith('.tmp')) return;
      watcher.close();
      writeFileSync(models, edited);
    });
    const { status } = await asOperator('PUT', PATH, { models: large }, { 'If-Match': etag });
    watcher.close();
    return status;
  };
  // The editor is nearly always in time.
  const statuses: number[] = [];
  while (statuses.at(-1) !== 412 && statuses.length < 20) statuses.push(await attempt());
  expect(statuses.at(-1)).toBe(412);
  expect(await readFile(models, 'utf8')).toBe(edited);
});

test('of ten writers who have read the same, one wins and nine get an error', { tags: 'slow' }, async () => {
  const { asOperator, get } = await servePricing();
  for (let round = 0; round < 5; round++) {
    const { etag } = (await get(PATH)).body;
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        asOperator(
          'PUT',
          PATH,
          { models: modelRows({ [`writer-${round}-${i}`]: [i, i] }) },
          { 'If-Match': etag },
        ),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(412)]);
    const winner = answers.findIndex(({ status }) => status === 200);
    expect(Object.keys((await get(PATH)).body.models)).toEqual([`writer-${round}-${winner}`]);
    expect((await get(PATH)).body.etag).toBe(answers[winner]?.body.etag);
  }
});

test('a reader of the file sees the old or the new prices, never a part', { tags: 'slow' }, async () => {
  const { asOperator, models } = await servePricing();
  const version = (price: number) =>
    modelRows(
      Object.fromEntries(Array.from({ length: 1500 }, (_, i) => [`model-${i}`, [price, price] as const])),
    );
  await asOperator('PUT', PATH, { models: version(0) });
  let writing = true;
  const seen = new Set<number>();
  const readOn = async () => {
    while (writing) {
      const rows = Object.values<{ input_usd_per_million: number }>(
        JSON.parse(await readFile(models, 'utf8')).models,
      );
      expect(rows).toHaveLength(1500);
      const prices = new Set(rows.map((row) => row.input_usd_per_million));
      expect(prices.size).toBe(1);
      for (const price of prices) seen.add(price);
    }
  };
  const readers = [readOn(), readOn()];
  for (let price = 1; price <= 20; price++) await asOperator('PUT', PATH, { models: version(price) });
  writing = false;
  await Promise.all(readers);
  expect(seen.size).toBeGreaterThan(3);
});

test('a file that cannot be used is fixed by writing it', { tags: 'slow' }, async () => {
  const { asOperator, get, models } = await servePricing();
  await writeFile(models, '{');
  const broken = (await get(PATH)).body;
  expect(broken.configError).toContain('not valid JSON');
  expect(broken.etag).toBe(etagOf('{'));
  const put = await asOperator(
    'PUT',
    PATH,
    { models: modelRows({ a: [1, 1] }) },
    { 'If-Match': broken.etag },
  );
  expect(put.status).toBe(200);
  expect((await get(PATH)).body.configError).toBeUndefined();

  await rm(dirname(models), { recursive: true });
  expect((await asOperator('PUT', PATH, { models: modelRows({ a: [1, 1] }) })).status).toBe(200);
  expect((await get(PATH)).body.configError).toBeUndefined();

  await rm(models);
  await mkdir(models);
  const refused = await asOperator('PUT', PATH, { models: {} });
  expect([refused.status, refused.body.code]).toEqual([409, 'not_a_file']);
  expect((await readdir(dirname(models))).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

test('keeps the file’s other content in its place', async () => {
  const { asOperator, models } = await servePricing();
  const before = JSON.parse(await readFile(models, 'utf8'));
  expect(Object.keys(before)).toEqual(['source', 'date', 'models']);
  await writeFile(
    models,
    JSON.stringify({ ...before, notes: { mine: ['a', { b: null }] }, ['__proto__']: 'kept' }),
  );
  const wanted = modelRows({ a: [1, 2] });
  const { body } = await asOperator('PUT', PATH, { models: wanted });
  const text = await readFile(models, 'utf8');
  expect(body.etag).toBe(etagOf(text));
  expect(Object.entries(JSON.parse(text))).toEqual([
    ['source', before.source],
    ['date', before.date],
    ['models', wanted],
    ['notes', { mine: ['a', { b: null }] }],
    ['__proto__', 'kept'],
  ]);
  // Nothing of a file that is no JSON.
  await writeFile(models, '{"source": "mine", nonsense');
  await asOperator('PUT', PATH, { models: wanted });
  expect(JSON.parse(await readFile(models, 'utf8'))).toEqual({ models: wanted });
});
