import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { COMPILE_CACHE } from '../support/compile-cache.ts';
import { NO_OUTSIDE } from '../support/no-outside.ts';
import { until } from '../support/raw-http.ts';
import { serveWallet } from '../support/wallet.ts';

const SCRIPT = fileURLToPath(new URL('../../scripts/test-mint.ts', import.meta.url));

/** Runs what `npm run test-mint -- …` runs. */
const run = (...args: string[]) => {
  const child = spawn(process.execPath, [SCRIPT, ...args], {
    env: { PATH: process.env.PATH, ...COMPILE_CACHE, ...NO_OUTSIDE },
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

test('anyone can try the wallet: one command starts a mint, another issues a token, and the wallet receives it', {
  tags: 'slow',
}, async () => {
  const mint = run('--port', '0', '--fee', '100');
  await until(() => /http:\/\/127\.0\.0\.1:\d+/.test(mint.said.out));
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(mint.said.out)?.[0] ?? '';
  const token = run('token', '21', '--memo', 'for a try', '--mint', url);
  expect(await token.ended).toBe(0);
  const text = token.said.out.trim();
  expect(text).toMatch(/^cashuB\S+$/);
  const wallet = await serveWallet(url);
  expect((await wallet.validate(text)).body).toMatchObject({ valid: true, amount: 21, memo: 'for a try' });
  expect((await wallet.receive(text)).body).toMatchObject({ success: true, amount: 20, fee: 1 });
  mint.child.kill('SIGTERM');
  await mint.ended;
  const alone = run('token', '1', '--mint', url);
  expect(await alone.ended).toBe(1);
  expect(alone.said.err).toContain('npm run test-mint');
  expect(alone.said.err.trim().split('\n')).toHaveLength(1);
});
