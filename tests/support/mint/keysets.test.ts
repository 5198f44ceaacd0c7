import { Keyset as CashuKeyset, hashToCurve } from '@cashu/cashu-ts';
import { expect, test } from 'vitest';
import { makeTempDirectory } from '../temp.ts';
import { askMint, openWallet, prepareSwap, sumOf } from './client.ts';
import { testMint } from './for-test.ts';
import { makeKeyset, parsePoint, pointOfSecret } from './keyset.ts';

test('an expired keyset is refused for inputs and outputs, and still listed and restored', async () => {
  const mint = await testMint();
  mint.setTime(1_800_000_000);
  const expiring = mint.rotate({ expiresInSeconds: 3600, keepOld: true });
  expect(expiring.finalExpirySeconds).toBe(1_800_003_600);
  const lasting = mint.keysets()[0]?.id ?? '';
  const wallet = await openWallet(mint.url);
  wallet.bindKeyset(expiring.id);
  const swap = (body: unknown) => askMint(mint.url, '/v1/swap', body);

  const done = await prepareSwap(wallet, mint.issue(1, { keysetId: expiring.id }));
  const { body: signed } = await swap(done);
  const toExpiring = await prepareSwap(wallet, mint.issue(1, { keysetId: lasting }));
  wallet.bindKeyset(lasting);
  const fromExpiring = await prepareSwap(wallet, mint.issue(1, { keysetId: expiring.id }));

  mint.setTime(expiring.finalExpirySeconds);
  expect(await swap(toExpiring)).toMatchObject({ status: 400, body: { code: 12003 } });
  expect(await swap(fromExpiring)).toMatchObject({ status: 400, body: { code: 12003 } });
  expect(toExpiring.outputs[0]?.id).toBe(expiring.id);
  expect((await askMint(mint.url, '/v1/restore', { outputs: done.outputs })).body).toEqual({
    outputs: done.outputs,
    signatures: signed.signatures,
  });
  const listed = { id: expiring.id, final_expiry: 1_800_003_600 };
  expect((await askMint(mint.url, '/v1/keysets')).body.keysets).toContainEqual(
    expect.objectContaining(listed),
  );
  expect((await askMint(mint.url, `/v1/keys/${expiring.id}`)).body.keysets).toMatchObject([listed]);

  mint.setKeyset(expiring.id, { active: false });
  expect((await swap(toExpiring)).body.code).toBe(12002);
  mint.setTime(1_800_003_599);
  expect((await swap(fromExpiring)).status).toBe(200);
});

test.each([1, 2] as const)(
  'an unverifiable keyset of version %d works, but its id is not that of its keys',
  async (version) => {
    const directory = await makeTempDirectory();
    const first = await testMint({ directory });
    const { id } = first.rotate({ unverifiable: true, version, inputFeePpk: 100, keepOld: true });
    await first.close();
    const mint = await testMint({ directory });
    const { body } = await askMint(mint.url, '/v1/keysets');
    expect(body.keysets).toContainEqual({
      id,
      unit: 'sat',
      active: true,
      input_fee_ppk: 100,
      final_expiry: 0,
    });
    const { keysets } = (await askMint(mint.url, '/v1/keys')).body;
    const keys = keysets.find((keyset: { id: string }) => keyset.id === id);
    expect((await askMint(mint.url, `/v1/keys/${id}`)).body.keysets).toEqual([keys]);
    expect(CashuKeyset.verifyKeysetId(keys)).toBe(false);
    expect(keysets.filter(CashuKeyset.verifyKeysetId)).toHaveLength(1);

    const good = mint.keysets()[0]?.id ?? '';
    const wallet = await openWallet(mint.url);
    wallet.bindKeyset(good);
    const swapBody = await prepareSwap(wallet, mint.issue(2, { keysetId: good }));
    const outputs = swapBody.outputs.map((output) => ({ ...output, id }));
    expect((await askMint(mint.url, '/v1/swap', { ...swapBody, outputs })).status).toBe(200);
    expect(mint.unspent([mint.issue(5, { keysetId: id })])).toBe(5);
  },
);

test('a keyset whose keys are no longer served stays listed and usable', async () => {
  const mint = await testMint();
  const wallet = await openWallet(mint.url);
  const id = mint.keysets()[0]?.id ?? '';
  mint.setKeyset(id, { keysServed: false });
  expect((await askMint(mint.url, '/v1/keys')).body).toEqual({ keysets: [] });
  expect(await askMint(mint.url, `/v1/keys/${id}`)).toMatchObject({ status: 400, body: { code: 12001 } });
  expect((await askMint(mint.url, '/v1/keysets')).body.keysets).toMatchObject([{ id, active: true }]);
  expect(mint.keysets()).toMatchObject([{ id, keysServed: false, listed: true }]);
  expect(sumOf(await wallet.receive(mint.issue(5)))).toBe(5);
  mint.setKeyset(id, { keysServed: true });
  expect((await askMint(mint.url, `/v1/keys/${id}`)).body.keysets).toHaveLength(1);
});

test('hash_to_curve and point parsing match cashu-ts', () => {
  for (let count = 0; count < 50; count += 1) {
    const theirs = hashToCurve(new TextEncoder().encode(`secret ${count}`)).toHex(true);
    expect(pointOfSecret(`secret ${count}`).toHex(true)).toBe(theirs);
    expect(parsePoint(theirs)?.toHex(true)).toBe(theirs);
  }
  const off = `02${'0'.repeat(63)}5`;
  for (const wrong of ['', '02', off, `04${'0'.repeat(64)}`, `02${'f'.repeat(64)}`]) {
    expect(parsePoint(wrong)).toBeUndefined();
  }
  const { keys } = makeKeyset('seed', 3, {});
  expect(new Set([...keys.values()].map(({ scalar }) => scalar)).size).toBe(keys.size);
});
