import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { makeTempDirectory } from '../../temp.ts';
import { askMint, openWallet, prepareSwap } from '../client.ts';
import { testMint, testMintProcess } from '../for-test.ts';

test('keeps everything across SIGKILL and a start with the same directory and port', async () => {
  const mint = await testMintProcess({ keysets: [{ inputFeePpk: 100 }], path: '/Bitcoin' });
  const tokens = [await mint.issue(64), await mint.issue(32)];
  const [token = ''] = tokens;
  const wallet = await openWallet(mint.url);
  const body = await prepareSwap(wallet, token);
  await mint.fail('/v1/swap', { kind: 'drop', when: 'after' });
  await expect(askMint(mint.url, '/v1/swap', body)).rejects.toThrow();
  const before = { keysets: await mint.keysets(), totals: await mint.totals() };

  const pid = mint.pid();
  await mint.kill();
  await expect(mint.totals()).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
  await mint.start();
  expect(mint.pid()).not.toBe(pid);

  expect({ keysets: await mint.keysets(), totals: await mint.totals() }).toEqual(before);
  expect(await mint.states(token)).toEqual(['SPENT']);
  expect((await askMint(mint.url, '/v1/swap', body)).body.code).toBe(11001);
  const { body: restored } = await askMint(mint.url, '/v1/restore', { outputs: body.outputs });
  const total = restored.signatures.reduce((sum: number, { amount }: { amount: number }) => sum + amount, 0);
  const { issued, fees } = await mint.totals();
  expect(total + (await mint.unspent(tokens)) + fees).toBe(issued);
});

test('a mint in its own process has every control', async () => {
  const mint = await testMintProcess({ limits: { limitStyle: 'nutshell' } });
  const local = await testMint();
  const controls = Object.entries(local).filter(([, value]) => typeof value === 'function');
  const own = ['away', 'back', 'close'];
  expect(Object.keys(mint)).toEqual(
    expect.arrayContaining(controls.map(([name]) => name).filter((name) => !own.includes(name))),
  );

  const { id, finalExpirySeconds = 0 } = await mint.rotate({ expiresInSeconds: 60 });
  await mint.setTime(finalExpirySeconds);
  await mint.setTime();
  await mint.setKeyset(id, { keysServed: false });
  expect((await askMint(mint.url, `/v1/keys/${id}`)).body.code).toBe(12001);
  await mint.setKeyset(id, { keysServed: true });
  const token = await mint.issue(3);
  const body = await prepareSwap(await openWallet(mint.url), token);
  await mint.setLimits({ maxInputs: 1 });
  expect((await askMint(mint.url, '/v1/swap', body)).status).toBe(422);
  await mint.setLimits({ maxInputs: 2 });
  await mint.setOutputsPending(body.outputs.map(({ B_ }) => B_));
  expect((await askMint(mint.url, '/v1/swap', body)).body.code).toBe(11004);
  await mint.setOutputsPending([]);
  await mint.setRateLimit({ requests: 0, seconds: 60 });
  expect((await askMint(mint.url, '/v1/swap', body)).status).toBe(429);
  await mint.setRateLimit();
  expect((await askMint(mint.url, '/v1/swap', body)).status).toBe(200);
  expect(await mint.requestCount('/v1/swap')).toBe(4);
  expect(await mint.outstanding()).toBe(3);
  expect(await mint.unspentOf([body.inputs[0]?.C ?? ''])).toEqual(['UNSPENT']);
});

test('refuses a directory from an older test mint', async () => {
  const directory = await makeTempDirectory();
  const old = new DatabaseSync(join(directory, 'mint.sqlite'));
  old.exec('CREATE TABLE meta (seed TEXT NOT NULL)');
  old.close();
  await expect(testMint({ directory })).rejects.toThrow('older test mint. Use another directory');
});

test('killed at any moment, it has executed a swap completely or not at all', async () => {
  const mint = await testMintProcess();
  const wallet = await openWallet(mint.url);
  const tokens: string[] = [];
  const bodies: Awaited<ReturnType<typeof prepareSwap>>[] = [];
  for (let count = 0; count < 12; count += 1) tokens.push(await mint.issue(8));
  for (const token of tokens) bodies.push(await prepareSwap(wallet, token));
  const swaps = bodies.map((body) => askMint(mint.url, '/v1/swap', body).catch(() => undefined));
  await Promise.race(swaps);
  await mint.kill();
  await Promise.all(swaps);
  await mint.start();
  for (const [at, { outputs }] of bodies.entries()) {
    const { signatures } = (await askMint(mint.url, '/v1/restore', { outputs })).body;
    const [state] = await mint.states(tokens[at] ?? '');
    expect(signatures.length).toBe(state === 'SPENT' ? 1 : 0);
  }
});

test('two mints from one directory, one after the other, are the same mint', async () => {
  const directory = await makeTempDirectory();
  const first = await testMint({ directory, keysets: [{ version: 1 }] });
  const token = first.issue(7, { mintUrl: 'http://127.0.0.1:1' });
  first.rotate();
  const keysets = first.keysets();
  await first.close();
  const second = await testMint({ directory });
  expect(second.keysets()).toEqual(keysets);
  expect(second.unspent([token])).toBe(7);
});

test('says so when its port is taken, and when a control is refused', async () => {
  const mint = await testMintProcess();
  await expect(testMint({ port: mint.port })).rejects.toThrow(`port ${mint.port} is taken`);
  await expect(mint.issue(3, { proofCount: 9 })).rejects.toThrow('3 cannot be 9 powers of two');
  expect(mint.stderr()).toBe('');
});
