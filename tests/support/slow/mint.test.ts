import {
  Amount,
  createDLEQProof,
  getDecodedToken,
  getTokenMetadata,
  hasValidDleq,
  pointFromHex,
  verifyDLEQProof,
} from '@cashu/cashu-ts';
import { describe, expect, test } from 'vitest';
import { askMint, openWallet, prepareSwap, sumOf } from '../mint/client.ts';
import { testMint } from '../mint/for-test.ts';
import { makeKeyset, pointOfSecret, signPoint } from '../mint/keyset.ts';
import { makeInvoice } from '../mint/lightning.ts';

const PRIVATE_KEY = '1'.repeat(64);
const PUBLIC_KEY = '034f355bdcb7cc0af728ef3cceb9615d90684bb5b2ca5f859ab0f0b704075871aa';

describe('a wallet of cashu-ts', () => {
  test('mints, sends, receives, restores and melts, and every sat is accounted for', async () => {
    const mint = await testMint({ keysets: [{ inputFeePpk: 100 }] });
    const wallet = await openWallet(mint.url);
    const quote = await wallet.createMintQuoteBolt11(1000);
    expect((await wallet.checkMintQuoteBolt11(quote.quote)).state).toBe('PAID');
    const minted = await wallet.mintProofsBolt11(1000, quote);
    expect(mint.totals().issued).toBe(1000);

    const { keep, send } = await wallet.send(333, minted);
    const received = await wallet.receive({ mint: mint.url, unit: 'sat', proofs: send });
    const { issued, fees } = mint.totals();
    expect(sumOf(keep) + sumOf(received) + fees).toBe(issued);
    expect(fees).toBe(2);

    const { proofs } = await wallet.restore(0, 50);
    const states = await wallet.groupProofsByState(proofs);
    expect(sumOf(states.unspent)).toBe(sumOf(keep) + sumOf(received));

    const meltQuote = await wallet.createMeltQuoteBolt11(makeInvoice(200));
    const { change, quote: paid } = await wallet.meltProofsBolt11(meltQuote, keep);
    expect(paid.state).toBe('PAID');
    const after = mint.totals();
    expect(sumOf(received) + sumOf(change)).toBe(after.issued - after.melted - after.fees);
    await expect(wallet.meltProofsBolt11(meltQuote, received)).rejects.toMatchObject({ code: 20006 });
  });

  test('follows a rotation: old proofs are spent for new ones', async () => {
    const mint = await testMint({ keysets: [{ version: 1 }] });
    const token = mint.issue(21);
    const [old] = mint.keysets();
    const stale = await openWallet(mint.url);
    const { id } = mint.rotate({ inputFeePpk: 1000 });
    await expect(stale.receive(token)).rejects.toMatchObject({ code: 12002 });
    await stale.loadMint(true);
    await stale.keyChain.ensureKeysetKeys(old?.id ?? '');
    stale.bindKeyset(id);
    const proofs = await stale.receive(token);
    expect(new Set(proofs.map((proof) => proof.id))).toEqual(new Set([id]));
    expect(id).toMatch(/^01[0-9a-f]{64}$/);
    expect(await askMint(mint.url, '/v1/keysets')).toMatchObject({
      body: { keysets: [{ active: false }, { id, unit: 'sat', active: true, input_fee_ppk: 1000 }] },
    });
  });

  test('gets DLEQ proofs that it can verify', async () => {
    const mint = await testMint();
    const wallet = await openWallet(mint.url);
    const proofs = await wallet.receive(mint.issue(7), { requireDleq: true });
    expect(proofs.every((proof) => hasValidDleq(proof, wallet.getKeyset()))).toBe(true);
    await expect(wallet.receive(mint.issue(7, { badDleq: true }))).rejects.toThrow('DLEQ');
  });

  test('works below a path, and for other units', async () => {
    const mint = await testMint({ path: '/Bitcoin', keysets: [{}, { unit: 'usd' }] });
    expect(mint.url).toMatch(/:\d+\/Bitcoin$/);
    const wallet = await openWallet(`${mint.url}/`, 'usd');
    expect(sumOf(await wallet.receive(mint.issue(5, { unit: 'usd' })))).toBe(5);
    expect(mint.totals('usd')).toMatchObject({ issued: 5, spent: 5 });
    expect(mint.totals()).toMatchObject({ issued: 0, spent: 0 });
  });
});

test('its own DLEQ proofs verify like those of cashu-ts', () => {
  const key = makeKeyset('seed', 0, {}).keys.get(8);
  if (!key) throw new Error('no key');
  const blinded = pointOfSecret('anything');
  const { point, dleq } = signPoint(key, blinded);
  const verify = (e: Uint8Array, s: Uint8Array) =>
    verifyDLEQProof({ e, s }, blinded, pointFromHex(point), key.point);
  expect(verify(Buffer.from(dleq.e, 'hex'), Buffer.from(dleq.s, 'hex'))).toBe(true);
  const theirs = createDLEQProof(blinded, Buffer.from(key.scalar.toString(16).padStart(64, '0'), 'hex'));
  expect(verify(theirs.e, theirs.s)).toBe(true);
  expect(verify(theirs.e, Buffer.from(dleq.s, 'hex'))).toBe(false);
});

describe('a swap is refused', () => {
  const setUp = async () => {
    const mint = await testMint({ keysets: [{}, { unit: 'usd' }], limits: { maxInputs: 3, maxOutputs: 8 } });
    const wallet = await openWallet(mint.url);
    const swap = (body: unknown) => askMint(mint.url, '/v1/swap', body);
    return { mint, wallet, swap };
  };

  test('for a token that is spent, even with other outputs', async () => {
    const { mint, wallet, swap } = await setUp();
    const token = mint.issue(3);
    await wallet.receive(token);
    expect(await swap(await prepareSwap(wallet, token))).toMatchObject({
      status: 400,
      body: { code: 11001 },
    });
  });

  test('when it does not add up', async () => {
    const { mint, wallet, swap } = await setUp();
    const { inputs, outputs } = await prepareSwap(wallet, mint.issue(3));
    for (const wrong of [outputs.slice(1), [...outputs, { ...outputs[0], B_: inputs[0]?.C }], []]) {
      expect(await swap({ inputs, outputs: wrong })).toMatchObject({ status: 400, body: { code: 11005 } });
    }
    expect((await swap({ inputs, outputs })).status).toBe(200);
  });

  test('when it leaves out the fee, which is rounded up', async () => {
    const { mint, swap } = await setUp();
    mint.rotate({ inputFeePpk: 1 });
    const costly = await prepareSwap(await openWallet(mint.url), mint.issue(3));
    expect(costly.outputs.map(({ amount }) => amount)).toEqual([2]);
    const [output] = costly.outputs;
    const whole = [
      { ...output, amount: 1 },
      { ...output, B_: costly.inputs[0]?.C },
    ];
    expect((await swap({ ...costly, outputs: whole })).body.code).toBe(11005);
    expect((await swap(costly)).status).toBe(200);
    expect(mint.totals().fees).toBe(1);
  });

  test('for outputs of a keyset that is inactive, unknown, or for another unit', async () => {
    const { mint, wallet, swap } = await setUp();
    const { inputs, outputs } = await prepareSwap(wallet, mint.issue(1));
    const [, usd] = mint.keysets();
    const to = (id: string | undefined) => swap({ inputs, outputs: [{ ...outputs[0], id }] });
    expect((await to(usd?.id)).body.code).toBe(11010);
    expect((await to('00ffffffffffffff')).body.code).toBe(12001);
    mint.rotate();
    expect((await swap({ inputs, outputs })).body.code).toBe(12002);
  });

  test('for proofs of a keyset that was dropped or has expired', async () => {
    const { mint, wallet, swap } = await setUp();
    const body = await prepareSwap(wallet, mint.issue(1));
    const old = mint.keysets()[0]?.id ?? '';
    mint.rotate({ hideOld: true });
    expect((await swap(body)).body.code).toBe(12001);
    expect((await askMint(mint.url, `/v1/keys/${old}`)).body.code).toBe(12001);
    expect(JSON.stringify((await askMint(mint.url, '/v1/keysets')).body)).not.toContain(old);
    mint.setKeyset(old, { listed: true, active: true });
    expect((await swap(body)).status).toBe(200);
    mint.rotate({ finalExpirySeconds: 4_000_000_000 });
    const expiring = await prepareSwap(await openWallet(mint.url), mint.issue(1));
    mint.setTime(4_000_000_000);
    expect((await swap(expiring)).body.code).toBe(12003);
    mint.setTime();
    expect((await swap(expiring)).status).toBe(200);
  });

  test('for outputs that were signed before', async () => {
    const { mint, wallet, swap } = await setUp();
    const first = await prepareSwap(wallet, mint.issue(2));
    const second = await prepareSwap(wallet, mint.issue(2));
    expect((await swap(first)).status).toBe(200);
    expect((await swap({ ...second, outputs: first.outputs })).body.code).toBe(11003);
    expect((await swap(second)).status).toBe(200);
  });

  test('for pending inputs, until they no longer are', async () => {
    const { mint, wallet, swap } = await setUp();
    const token = mint.issue(3);
    const body = await prepareSwap(wallet, token);
    mint.setPending([token]);
    expect((await swap(body)).body.code).toBe(11002);
    expect(mint.states(token)).toEqual(['PENDING', 'PENDING']);
    expect(mint.unspent([token])).toBe(3);
    mint.clearPending([token]);
    expect((await swap(body)).status).toBe(200);
  });

  test('for forged proofs, duplicates, odd amounts, too many and no body at all', async () => {
    const { mint, wallet, swap } = await setUp();
    const forged = mint.issue(3, { forged: 1, withoutDleq: true });
    expect((await swap(await prepareSwap(wallet, forged))).body.code).toBe(10001);
    expect([mint.totals().issued, mint.unspent([forged])]).toEqual([2, 2]);
    const { inputs, outputs } = await prepareSwap(wallet, mint.issue(2));
    const [input] = inputs;
    const [output] = outputs;
    expect((await swap({ inputs: [input, input], outputs })).body.code).toBe(11007);
    expect((await swap({ inputs, outputs: [output, output] })).body.code).toBe(11008);
    for (const amount of [3, 4]) {
      const changed = { inputs: [{ ...input, amount }], outputs: [{ ...output, amount }] };
      expect((await swap(changed)).body.code).toBe(10001);
    }
    expect((await swap({ inputs: [input, input, input, input], outputs })).body.code).toBe(11014);
    expect((await swap({ inputs: 'all' })).status).toBe(422);
    expect((await askMint(mint.url, '/v1/nothing')).status).toBe(404);
    expect((await swap({ inputs, outputs })).status).toBe(200);
  });

  test('for locked proofs without the signature of their key', async () => {
    const { mint, wallet, swap } = await setUp();
    const token = mint.issue(1, { p2pk: PUBLIC_KEY });
    const unsigned = await prepareSwap(wallet, token);
    expect((await swap(unsigned)).body.code).toBe(10001);
    const signed = await prepareSwap(wallet, token, PRIVATE_KEY);
    const witness = JSON.stringify({ signatures: ['0'.repeat(128)] });
    const wrong = signed.inputs.map((input) => ({ ...input, witness }));
    expect((await swap({ ...signed, inputs: wrong })).body.code).toBe(10001);
    expect((await swap(signed)).status).toBe(200);
  });
});

describe('tokens', () => {
  test('of both versions decode to the requested contents', async () => {
    const mint = await testMint({ keysets: [{ version: 1 }, {}], path: '/Bitcoin' });
    const [old, young] = mint.keysets().map(({ id }) => id);
    if (!old || !young) throw new Error('two keysets were asked for');
    const asA = mint.issue(100, { version: 'A', memo: 'thanks', keysetId: old, proofCount: 10 });
    expect(asA).toMatch(/^cashuA/);
    const decoded = getDecodedToken(asA, []);
    expect(decoded).toMatchObject({ mint: mint.url, memo: 'thanks', unit: 'sat' });
    expect([decoded.proofs.length, sumOf(decoded.proofs)]).toEqual([10, 100]);

    const asB = mint.issue(48, { memo: 'both', keysetIds: [old, young], split: [16, 32] });
    expect(asB).toMatch(/^cashuB/);
    expect(getTokenMetadata(asB)).toMatchObject({ amount: Amount.from(48), memo: 'both', unit: 'sat' });
    // A version-2 keyset id is shortened in it, so it means nothing without the mint's list.
    expect(() => getDecodedToken(asB, [])).toThrow('short keyset ID');
    expect(getDecodedToken(asB, [old, young]).proofs.map(({ id }) => id)).toEqual([old, young]);
    expect(mint.totals().issued).toBe(148);
  });

  test('of a thousand proofs are created in a second or two, and swapped just as fast', async () => {
    const mint = await testMint();
    const token = mint.issue(5000, { proofCount: 1000, withoutDleq: true });
    const wallet = await openWallet(mint.url);
    expect(sumOf(await wallet.receive(token))).toBe(5000);
  });

  test('that somebody else spends are spent', async () => {
    const mint = await testMint();
    const token = mint.issue(9);
    expect(mint.unspent([token, token])).toBe(9);
    mint.spend([token]);
    expect(mint.states(token)).toEqual(['SPENT', 'SPENT']);
    expect([mint.unspent([token]), mint.totals().melted]).toEqual([0, 9]);
  });
});
