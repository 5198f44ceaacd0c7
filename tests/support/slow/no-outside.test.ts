import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { NO_OUTSIDE } from '../no-outside.ts';
import { makeRoot } from '../root.ts';
import { spawnServer } from '../server-process.ts';
import { makeTempDirectory } from '../temp.ts';

/** Runs a module in its own process, with the tests' guard. */
const runGuarded = async (code: string, more: Record<string, string> = {}) => {
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], {
    env: { PATH: process.env.PATH, ...NO_OUTSIDE, ...more },
  });
  return run.then(
    ({ stdout }) => ({ signal: null, stdout, stderr: '' }),
    ({ signal, stdout, stderr }: { signal: string | null; stdout: string; stderr: string }) => ({
      signal,
      stdout,
      stderr,
    }),
  );
};

describe('an attempt to reach another machine in a test', () => {
  // Nobody has 192.0.2.1 and example.invalid (RFC 5737, RFC 2606), in case the guard fails.
  test.for([
    ['fetch', 'await fetch("https://example.invalid/")', 'example.invalid'],
    ['fetch of an address', 'await fetch("http://192.0.2.1/")', '192.0.2.1'],
    ['a socket', 'import net from "node:net"; net.connect(80, "192.0.2.1")', '192.0.2.1'],
    [
      'a socket with options',
      'import net from "node:net"; net.connect({ port: 80, host: "192.0.2.1" })',
      '192.0.2.1',
    ],
    ['TLS', 'import tls from "node:tls"; tls.connect(443, "example.invalid")', 'example.invalid'],
    ['http', 'import http from "node:http"; http.get("http://192.0.2.1/")', '192.0.2.1'],
    ['https', 'import https from "node:https"; https.get("https://example.invalid/")', 'example.invalid'],
  ])('with %s ends its process at once', async ([, code, host]) => {
    const { signal, stderr, stdout } = await runGuarded(
      `setTimeout(() => console.log('alive'), 3000).unref(); ${code}; await new Promise((r) => setTimeout(r, 2000));`,
    );
    expect([signal, stdout, stderr]).toEqual([
      'SIGABRT',
      '',
      expect.stringContaining(`tried to reach ${host}.`),
    ]);
  });

  test('from a thread, too', async () => {
    const code = `
      import { Worker } from 'node:worker_threads';
      new Worker("fetch('http://192.0.2.1/').then(() => undefined, () => console.log('alive'))", { eval: true });`;
    // Output that a thread writes while its process ends may be lost.
    expect(await runGuarded(code)).toMatchObject({ signal: 'SIGABRT', stdout: '' });
  });

  test('doesn’t include requests to this one', async () => {
    const code = `
      import http from 'node:http';
      const server = http.createServer((_, response) => response.end('ok')).listen(0, '127.0.0.1', async () => {
        for (const host of ['127.0.0.1', 'localhost']) {
          const answer = await fetch('http://' + host + ':' + server.address().port).catch(() => undefined);
          console.log(host, answer ? await answer.text() : 'refused');
        }
        server.close();
        server.closeAllConnections();
      });`;
    const { signal, stdout } = await runGuarded(code);
    expect([signal, stdout.startsWith('127.0.0.1 ok\n')]).toEqual([null, true]);
  });
});

test('a server without configured price sources in its test is caught at its start', async () => {
  const { exited, stderr } = await spawnServer({ DOT_MI_ROOT: await makeRoot(), BTC_PRICE_SOURCES: '' });
  await exited;
  expect(stderr()).toContain('A test tried to reach api.coinbase.com.');
});

test('the environment of the tests fetches no price', async () => {
  const config = fileURLToPath(new URL('../../../src/server/config.ts', import.meta.url));
  const code = `
    import { readConfig } from ${JSON.stringify(config)};
    console.log(JSON.stringify(readConfig(${JSON.stringify(await makeTempDirectory())}).btcSources));`;
  const { stdout } = await runGuarded(code);
  const sources: { url?: string }[] = JSON.parse(stdout);
  for (const { url } of sources) expect(url).toMatch(/^http:\/\/127\.0\.0\.1:/);
});
