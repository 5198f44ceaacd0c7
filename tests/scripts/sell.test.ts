import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { COMPILE_CACHE } from '../support/compile-cache.ts';
import { NO_OUTSIDE } from '../support/no-outside.ts';
import { plant } from '../support/plant.ts';
import { until } from '../support/raw-http.ts';
import { SOLD, serveShop } from '../support/sold-service.ts';
import { makeTempDirectory } from '../support/temp.ts';

const SCRIPT = fileURLToPath(new URL('../../scripts/sell.ts', import.meta.url));

type Shop = Awaited<ReturnType<typeof serveShop>>;

/** Runs what `npm run sell -- …` runs, without a terminal. */
const run = (args: readonly string[], cwd?: string) => {
  const child = spawn(process.execPath, [SCRIPT, ...args], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd ?? '/nowhere', ...COMPILE_CACHE, ...NO_OUTSIDE },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const said = { out: '', err: '' };
  child.stdout.on('data', (chunk) => {
    said.out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    said.err += chunk;
  });
  return { child, said, ended: once(child, 'close').then(([code]) => code) };
};

const placeOf = ({ server }: Shop) => [
  '--api',
  server.url,
  '--token-file',
  join(server.directory, 'operator-token'),
];

/** What it says when it refuses. It must be one sentence or more, without a stack. */
const refusal = async (args: readonly string[], cwd?: string): Promise<string> => {
  const { said, ended } = run(args, cwd);
  expect(await ended).toBe(1);
  expect(said.err).not.toMatch(/\n\s+at /);
  return `${said.out}${said.err}`;
};

const states = async ({ server }: Shop) =>
  (await server.asOperator('GET', '/api/services')).body.services.map(
    ({ state }: { state: string }) => state,
  );

test('sells an agent until it is ended, and then its port is free', { tags: 'slow' }, async () => {
  const shop = await serveShop();
  const seller = run([SOLD, '--price', '5', '--about', 'Translations', ...placeOf(shop)]);
  await until(() => seller.said.out.includes('Press Ctrl+C to stop.'));
  const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(seller.said.out) ?? [];
  expect(await (await fetch(url)).json()).toMatchObject({ agent: SOLD, description: 'Translations' });
  expect((await (await shop.customer()).buy(url, { prompt: 'Hi' })).outcome).toBe('bought');
  seller.child.kill('SIGHUP');
  expect(await seller.ended).toBe(0);
  await expect(fetch(url)).rejects.toThrow();
  expect(await states(shop)).toEqual(['stopped']);
});

test('ends when the service was stopped elsewhere', { tags: 'slow' }, async () => {
  const shop = await serveShop();
  const seller = run([SOLD, '--price', '5', ...placeOf(shop)]);
  await until(() => seller.said.out.includes('Press Ctrl+C to stop.'));
  await shop.server.asOperator('POST', `/api/services/${SOLD}/stop`, {});
  expect(await seller.ended).toBe(1);
  expect(seller.said.out).toContain('no longer for sale');
});

test('sells an agent with tools only if that is accepted, and says what they allow', {
  tags: 'slow',
}, async () => {
  const shop = await serveShop({ files: { [`agents/${SOLD}/pi-args`]: '--behave\necho\n' } });
  const text = await refusal([SOLD, '--price', '5', ...placeOf(shop)]);
  expect(text).toContain('bash: run any program with your rights');
  expect(text).toContain('--yes-tools');
  expect(await states(shop)).toEqual([]);
  const seller = run([SOLD, '--price', '5', '--yes-tools', ...placeOf(shop)]);
  await until(() => seller.said.out.includes('is for sale'));
});

test('refuses what it can’t sell with a sentence that says why', { tags: 'slow' }, async () => {
  const shop = await serveShop();
  const place = placeOf(shop);
  const empty = await makeTempDirectory();
  const wrongToken = join(empty, 'token');
  await plant(empty, { token: `${'0'.repeat(64)}\n` });
  expect(await refusal([], empty)).toContain('Name one agent.');
  expect(await refusal([SOLD, 'scout', ...place])).toContain('Name one agent.');
  expect(await refusal(['nobody', '--price', '5', ...place])).toContain('There is no agent "nobody".');
  expect(await refusal([SOLD, ...place])).toContain('set a flat price');
  expect(await refusal([SOLD, '--price', 'five', ...place])).toContain('must be a whole number');
  expect(await refusal([SOLD, '--price', '0', ...place])).toContain('more than 0');
  expect(await refusal([SOLD, '--price', '5', '--margin', '1', ...place])).toContain('not both');
  expect(await refusal([SOLD, '--price', '5', '--port', '70000', ...place])).toContain('port');
  expect(await refusal([SOLD, '--price', '5', '--api', shop.server.url], empty)).toContain('--token-file');
  expect(
    await refusal([SOLD, '--price', '5', '--api', shop.server.url, '--token-file', wrongToken]),
  ).toContain("doesn't know this operator token");
  expect(await refusal([SOLD, '--price', '5', '--api', 'http://127.0.0.1:9', ...place.slice(2)])).toContain(
    'No dot-mi answers at http://127.0.0.1:9',
  );
  expect(await refusal([SOLD, '--price', '5', '--api', 'nowhere', ...place.slice(2)])).toContain('--api');
  expect(await states(shop)).toEqual([]);
});

test('a program that pretends to be dot-mi never gets the token', async () => {
  const token = 'f00dfeed'.repeat(8);
  const directory = await makeTempDirectory();
  await plant(directory, { token: `${token}\n` });
  const heard: string[] = [];
  const answers = [
    '{"status":"ok","proofs":["0000"]}',
    '{"status":"ok","proofs":"everything"}',
    '{"status":"ok"}',
    'null',
    '<html>',
  ];
  for (const answer of answers) {
    const hear = async (req: IncomingMessage) => {
      let body = '';
      for await (const chunk of req) body += chunk;
      heard.push(`${req.method} ${req.url}\n${req.rawHeaders.join('\n')}\n${body}`);
    };
    const pretender = createServer((req, res) => void hear(req).then(() => res.end(answer)));
    await new Promise<void>((resolve) => pretender.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void pretender.close());
    const url = `http://127.0.0.1:${(pretender.address() as AddressInfo).port}`;
    await refusal([SOLD, '--price', '5', '--api', url, '--token-file', join(directory, 'token')]);
  }
  expect(heard).toHaveLength(answers.length);
  expect(heard.join('\n')).not.toContain(token);
});
