import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../support/free-port.ts';
import { testMint } from '../../support/mint/for-test.ts';
import { serveWallet } from '../../support/wallet.ts';

const ROUTE = '/api/wallet/mint-check';

const startTesting = async () => {
  const wallet = await serveWallet('http://127.0.0.1:1', { environment: { DEV_MODE: 'true' } });
  return { ...wallet, check: (mintUrl: string) => wallet.asOperator('POST', ROUTE, { mintUrl }) };
};

test('a mint says what it offers before the wallet uses it, also with test money', {
  tags: 'slow',
}, async () => {
  const mint = await testMint({ keysets: [{}, { unit: 'usd' }] });
  const { check } = await startTesting();
  const { status, body } = await check(`${mint.url}/`);
  expect([status, body]).toEqual([
    200,
    { mint: mint.url, name: 'dot-mi test mint', units: ['sat', 'usd'], lacks: [] },
  ]);
  // A check changes nothing at the mint.
  expect(mint.requests().filter(({ method }) => method !== 'GET')).toEqual([]);
});

test('a check names what the wallet needs and the mint lacks', async () => {
  const { check } = await startTesting();
  const dollars = await testMint({ keysets: [{ unit: 'usd' }] });
  expect((await check(dollars.url)).body).toMatchObject({ units: ['usd'], lacks: ['sat'] });
  const forgetful = await testMint({ info: { nuts: { 9: { supported: false } } } });
  expect((await check(forgetful.url)).body.lacks).toEqual(['NUT-09']);
});

test('a check says when nothing responds, when it isn’t a mint, and when the address can’t be one', {
  tags: 'slow',
}, async () => {
  const { check } = await startTesting();
  const { status, body } = await check(`http://127.0.0.1:${await freePort()}`);
  expect([status, body.code]).toEqual([503, 'mint_unreachable']);

  const other = createServer((_request, response) => {
    response.writeHead(302, { Location: 'https://mint.example' }).end();
  }).listen(0, '127.0.0.1');
  await once(other, 'listening');
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  const redirected = await check(`http://127.0.0.1:${port}`);
  expect([redirected.status, redirected.body.code]).toEqual([502, 'mint_error']);

  for (const mintUrl of [
    'nonsense',
    'ftp://mint.example',
    'https://me:pw@mint.example',
    'https://m.example?a=b',
  ]) {
    const refused = await check(mintUrl);
    expect([mintUrl, refused.status, refused.body.issues?.[0].path]).toEqual([mintUrl, 400, 'body.mintUrl']);
  }
});

test('only the operator checks a mint, because dot-mi then connects to any address', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url, { environment: { API_TOKEN: 'an-api-token-of-tests' } });
  const answer = await wallet.call(
    'POST',
    ROUTE,
    { mintUrl: mint.url },
    { Authorization: 'Bearer an-api-token-of-tests' },
  );
  expect([answer.status, answer.body.code]).toEqual([403, 'operator_required']);
  expect(mint.requests().filter(({ path }) => path === '/v1/info')).toEqual([]);
});

test('a mint that lists thousands of units gets a short response', { tags: 'slow' }, async () => {
  const { check } = await startTesting();
  const keysets = Array.from({ length: 5_000 }, (_, n) => ({
    id: `00${n}`,
    unit: `unit-${n}${'x'.repeat(1_000)}`,
    active: true,
  }));
  const hostile = createServer((_request, response) => {
    response.end(JSON.stringify({ name: 'y'.repeat(10_000), keysets }));
  }).listen(0, '127.0.0.1');
  await once(hostile, 'listening');
  onTestFinished(() => void hostile.close());
  const { body } = await check(`http://127.0.0.1:${(hostile.address() as AddressInfo).port}`);
  expect(body.lacks).toEqual(['sat', 'NUT-07', 'NUT-09']);
  expect(body.units).toHaveLength(20);
  expect(JSON.stringify(body).length).toBeLessThan(20_000);
});
