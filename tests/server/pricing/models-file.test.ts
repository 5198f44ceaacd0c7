import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { chmod, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { RESOURCES_DIRECTORY } from '../../../src/server/locations.ts';
import { systemClock } from '../../../src/server/platform/clock.ts';
import { createModelsFile } from '../../../src/server/pricing/models-file.ts';
import { makeClock } from '../../support/clock.ts';
import { etagOf } from '../../support/etag.ts';
import { giveToUnprivilegedUser, noUnprivilegedUser, unprivilegedUser } from '../../support/nobody.ts';
import { readJson } from '../../support/raw-http.ts';
import { makeRoot } from '../../support/root.ts';
import { startServerProcess } from '../../support/server-process.ts';
import { makeTempDirectory } from '../../support/temp.ts';
import { modelRows, modelsText, type PricingServer, servePricing } from './serve-pricing.ts';

const BUNDLED = join(RESOURCES_DIRECTORY, 'model_pricing.json');

const serveModels = async (text: string, options: { clock?: ReturnType<typeof makeClock> } = {}) => {
  const directory = await makeTempDirectory();
  await writeFile(join(directory, 'model_pricing.json'), text);
  return servePricing({ directory, ...options });
};

/** What the list says of a model, and what is said of the file. */
const look = async ({ get }: PricingServer, name = 'a') => {
  const { status, body, headers } = await get('/api/pricing/models');
  return {
    status,
    input: body.models?.[name]?.input_usd_per_million,
    configError: body.configError,
    etag: body.etag,
    header: headers.get('etag'),
  };
};

describe('an edit counts with the very next request', () => {
  test('200 edits of the same size, one right after the other', { tags: 'slow' }, async () => {
    const server = await serveModels(modelsText({ a: [100, 1] }));
    for (let i = 0; i < 200; i++) {
      writeFileSync(server.models, modelsText({ a: [200 + i, 1] }));
      const { input_sats_per_token } = (await server.tokens('a')).body;
      expect(input_sats_per_token).toBe(((200 + i) * 100) / 64_000);
    }
  });

  test('500 edits that leave its size, and often its times, as they were', { tags: 'slow' }, async () => {
    const path = join(await makeTempDirectory(), 'model_pricing.json');
    const file = createModelsFile(path, systemClock, etagOf);
    for (let i = 0; i < 500; i++) {
      writeFileSync(path, modelsText({ a: [200 + i, 1] }));
      expect((await file.read()).models?.get('a')?.input_usd_per_million).toBe(200 + i);
    }
  });

  test('also of a file that was settled for long, an edit that reverts it, and a replacement', async () => {
    const clock = makeClock(new Date().toISOString());
    const server = await serveModels(modelsText({ a: [1, 1] }), { clock });
    const edits: [what: string, edit: (text: string) => Promise<void>][] = [
      ['in place', (text) => writeFile(server.models, text)],
      [
        'by rename',
        async (text) => {
          await writeFile(`${server.models}.new`, text);
          await rename(`${server.models}.new`, server.models);
        },
      ],
      [
        'behind a link',
        async (text) => {
          await writeFile(`${server.models}.target`, text);
          await rm(server.models);
          await symlink(`${server.models}.target`, server.models);
        },
      ],
      ['of a link’s target', (text) => writeFile(`${server.models}.target`, text)],
    ];
    let price = 1;
    for (const [what, edit] of edits) {
      // Read when it is no longer young, it is trusted until its times change.
      clock.pass(10_000);
      expect([what, (await look(server)).input]).toEqual([what, price]);
      expect([what, (await look(server)).input]).toEqual([what, price]);
      await sleep(20);
      price += 1;
      await edit(modelsText({ a: [price, 1] }));
      expect([what, (await look(server)).input]).toEqual([what, price]);
    }
  });

  test('simultaneous requests all get what was written before them', async () => {
    const server = await serveModels(modelsText({ a: [1, 1] }));
    for (let i = 2; i < 12; i++) {
      const early = server.tokens('a');
      writeFileSync(server.models, modelsText({ a: [i, 1] }));
      const answers = await Promise.all(Array.from({ length: 20 }, () => server.tokens('a')));
      for (const { body } of answers) expect(body.input_sats_per_token).toBe((i * 100) / 64_000);
      await early;
    }
  });
});

describe('a file that cannot be used', () => {
  const GOOD = modelsText({ a: [1, 2] });
  const BAD: Readonly<Record<string, [text: string, problem: RegExp]>> = {
    'half-written': [GOOD.slice(0, 30), /not valid JSON \(line 1, column \d+\)/],
    'half-written on a later line': [
      '{\n  "models": {\n    "a": {\n',
      /not valid JSON \(line [345], column \d+\)/,
    ],
    'with a comma too many': ['{\n"models": {\n"a": {},\n}\n}', /not valid JSON \(line 4, column 1\)/],
    empty: ['', /empty/],
    blank: [' \n\t\n', /empty/],
    'with a comment': [`// prices\n${GOOD}`, /not valid JSON \(line 1,/],
    'with single quotes': ["{'models': {}}", /not valid JSON \(line 1,/],
    'of zeros': ['\0'.repeat(100), /not valid JSON/],
    'of another kind': ['<html></html>', /not valid JSON \(line 1,/],
    'a list': ['[]', /\{"models"/],
    null: ['null', /\{"models"/],
    'a string': ['"models"', /\{"models"/],
    'without models': ['{"prices": {}}', /\{"models"/],
    'with models that are a list': ['{"models": []}', /\{"models"/],
    'with models that are null': ['{"models": null}', /\{"models"/],
    'with models of its prototype': ['{"__proto__": {"models": {}}}', /\{"models"/],
    'larger than 8 MiB': [`${GOOD}${' '.repeat(8 * 1024 * 1024)}`, /larger than the limit of 8 MiB/],
  };

  test('is reported, while the last good version is used', async () => {
    const server = await serveModels(GOOD);
    const good = await look(server);
    expect(good).toMatchObject({ status: 200, input: 1, configError: undefined });
    for (const [what, [text, problem]] of Object.entries(BAD)) {
      await writeFile(server.models, text);
      const { status, input, configError } = await look(server);
      expect([what, status, input]).toEqual([what, 200, 1]);
      expect([what, configError]).toEqual([what, expect.stringMatching(problem)]);
      expect(configError).not.toContain(server.models);
      const { body } = await server.tokens('a');
      expect([what, body.input_sats_per_token]).toEqual([what, 100 / 64_000]);
      // And nothing of it stays once the file is good again.
      await writeFile(server.models, GOOD);
      expect(await look(server)).toEqual(good);
    }
  });

  test('is 500 from the start on until it is valid, and the error says how to fix it', {
    tags: 'slow',
  }, async () => {
    for (const what of ['half-written', 'empty', 'a list', 'larger than 8 MiB']) {
      const [text, problem] = BAD[what] ?? ['', /./];
      const server = await serveModels(text);
      for (const path of ['/api/pricing/models', '/api/pricing/tokens?model=a']) {
        const { status, body } = await server.get(path);
        expect([what, status, body.code]).toEqual([what, 500, 'pricing_config_invalid']);
        expect(body.error).toMatch(problem);
        expect(body.error).toMatch(/Ask the operator to fix this\.$/);
        expect(body.error).not.toContain('last good version');
      }
      // What the user has written, however bad, is not written over.
      expect((await readFile(server.models, 'utf8')) === text).toBe(true);
      await writeFile(server.models, GOOD);
      expect(await look(server)).toMatchObject({ status: 200, input: 1, configError: undefined });
    }
  });

  test('is valid with the byte order mark of a Windows editor', { tags: 'slow' }, async () => {
    const server = await serveModels(`\uFEFF${GOOD}`);
    expect(await look(server)).toMatchObject({ status: 200, input: 1, configError: undefined });
    await writeFile(server.models, `\uFEFF{\r\n"models": {\r\n"a": null }}`);
    expect((await look(server)).configError).toContain('line 3');
  });

  test('leaves its last good version in use when it is deleted, and a new file applies immediately', async () => {
    const server = await serveModels(GOOD);
    for (let price = 2; price < 5; price++) {
      await rm(server.models);
      const gone = await look(server);
      expect(gone).toMatchObject({ status: 200, input: price - 1, etag: null, header: null });
      expect(gone.configError).toMatch(/doesn’t exist.*last good version/);
      await writeFile(server.models, modelsText({ a: [price, 1] }));
      expect(await look(server)).toMatchObject({ input: price, configError: undefined });
    }
    // The whole directory, too; and a running server doesn't write the defaults again.
    await rm(join(server.models, '..'), { recursive: true });
    expect(await look(server)).toMatchObject({ status: 200, input: 4, etag: null });
    await mkdir(join(server.models, '..'));
    expect(await look(server)).toMatchObject({ status: 200, input: 4, etag: null });
  });

  test('never hangs a request when it is a directory, a pipe, a socket or a device', async ({ skip }) => {
    skip(process.platform === 'win32', 'Windows has none of these');
    const server = await serveModels(GOOD);
    const stands: [what: string, stand: () => Promise<unknown>, problem: RegExp][] = [
      ['a directory', () => mkdir(server.models), /not a regular file/],
      ['a pipe', async () => execFileSync('mkfifo', [server.models]), /not a regular file/],
      [
        'a socket',
        async () => {
          const socket = createServer();
          await new Promise<void>((resolve) => socket.listen(server.models, resolve));
          onTestFinished(() => void socket.close());
        },
        /can’t be read/,
      ],
      ['a device', () => symlink('/dev/zero', server.models), /not a regular file/],
      ['a dangling link', () => symlink('nowhere', server.models), /doesn’t exist/],
      ['a link to itself', () => symlink('model_pricing.json', server.models), /doesn’t exist/],
    ];
    for (const [what, stand, problem] of stands) {
      await rm(server.models, { recursive: true });
      await stand();
      const { status, input, configError, etag } = await look(server);
      expect([what, status, input, etag]).toEqual([what, 200, 1, null]);
      expect([what, configError]).toEqual([what, expect.stringMatching(problem)]);
    }
    await rm(server.models);
    await writeFile(server.models, modelsText({ a: [9, 9] }));
    expect(await look(server)).toMatchObject({ input: 9, configError: undefined });
  });
});

describe('the defaults', () => {
  test('are written at the first start, byte for byte', async () => {
    const directory = join(await makeTempDirectory(), 'a', 'b');
    const { models, get } = await servePricing({ directory });
    expect(await readFile(models)).toEqual(await readFile(BUNDLED));
    expect((await get('/api/pricing/models')).body.configError).toBeUndefined();
  });

  test('never overwrite what the operator has there, not even an empty file', { tags: 'slow' }, async () => {
    for (const text of ['', '{', modelsText({ mine: [1, 1] })]) {
      const server = await serveModels(text);
      expect(await readFile(server.models, 'utf8')).toBe(text);
    }
    const directory = await makeTempDirectory();
    await symlink('elsewhere.json', join(directory, 'model_pricing.json'));
    const { get, models } = await servePricing({ directory });
    expect((await get('/api/pricing/models')).body.code).toBe('pricing_config_invalid');
    await expect(readFile(models)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('are valid, have at least thirty models, all with positive prices, and name source and date', async () => {
    const bundled = JSON.parse(await readFile(BUNDLED, 'utf8'));
    expect(bundled.source).toMatch(/models\.dev/);
    expect(bundled.date).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(Number.isNaN(Date.parse(bundled.date))).toBe(false);
    const { get } = await servePricing();
    const { models, configError } = (await get('/api/pricing/models')).body;
    expect(configError).toBeUndefined();
    expect(models).toEqual(bundled.models);
    const rows: [string, Record<string, number>][] = Object.entries(models);
    expect(rows.length).toBeGreaterThanOrEqual(30);
    for (const [name, { input_usd_per_million: input = 0, output_usd_per_million: output = 0 }] of rows) {
      expect([name, input > 0, output >= input, output < 1000]).toEqual([name, true, true, true]);
    }
  });
});

test('an unreadable file leaves the last good version', { tags: 'slow' }, async ({ skip }) => {
  const why = noUnprivilegedUser();
  skip(why !== undefined, why);
  const [root, data] = [await makeRoot(), await makeTempDirectory()];
  const models = join(data, 'model_pricing.json');
  await writeFile(models, modelsText({ a: [1, 2] }));
  await giveToUnprivilegedUser([data, models]);
  const { url } = await startServerProcess(
    { DOT_MI_ROOT: root, MODEL_PRICING_PATH: models },
    data,
    unprivilegedUser,
  );
  const list = () => readJson(fetch(`${url}/api/pricing/models`));
  expect((await list()).configError).toBeUndefined();
  await chmod(models, 0o000);
  expect(await list()).toMatchObject({
    models: modelRows({ a: [1, 2] }),
    configError: expect.stringContaining('EACCES'),
    etag: null,
  });
  await chmod(models, 0o644);
  expect((await list()).configError).toBeUndefined();
});
