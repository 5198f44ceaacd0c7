import { access, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testMint } from '../../../support/mint/for-test.ts';
import type { TestMint } from '../../../support/mint/test-mint.ts';
import { serveWallet, type WalletServer } from '../../../support/wallet.ts';

const KEY = `02${'79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'}`;
const DEV = { DEV_MODE: 'true' };
const PATH = '/api/wallet/test-tokens';

interface Listed {
  id: string;
  amount: number;
  memo?: string;
  receivedAt: string;
}

const list = async (wallet: WalletServer): Promise<Listed[]> => {
  const { status, body } = await wallet.asOperator('GET', PATH);
  expect(status).toBe(200);
  return body.tokens;
};

const redeem = (wallet: WalletServer, id: string) => wallet.asOperator('POST', `${PATH}/${id}/redeem`);

const drop = (wallet: WalletServer, id: string) => wallet.asOperator('DELETE', `${PATH}/${id}`);

const refusalOf = ({ status, body }: { status: number; body: { code: string } }) => [status, body.code];

/** Receives tokens in DEV_MODE, then opens the real wallet of the same directory. */
const receiveInDevMode = async (mint: TestMint, tokens: string[]) => {
  const dev = await serveWallet(mint.url, { environment: DEV });
  for (const token of tokens) {
    const { status, body } = await dev.receive(token);
    expect([status, body.simulated]).toEqual([200, true]);
  }
  expect(await list(dev)).toEqual([]);
  await dev.close();
  return serveWallet(mint.url, { directory: dev.directory });
};

test('tokens of this mint that were received in DEV_MODE can be redeemed after it, once', async () => {
  const mint = await testMint({ keysets: [{ inputFeePpk: 1000 }, { unit: 'usd' }] });
  const real = mint.issue(21, { memo: 'coffee', proofCount: 3 });
  const wallet = await receiveInDevMode(mint, [
    real,
    // The same token again, as mail or a link would carry it.
    ` cashu:${real.slice(0, 40)}\n${real.slice(40)} `,
    mint.issue(5, { mintUrl: 'https://another.invalid' }),
    mint.issue(6, { unit: 'usd' }),
    'nonsense',
    mint.issue(8, { mintUrl: `${mint.url}//` }),
  ]);
  const tokens = await list(wallet);
  expect(tokens).toEqual([
    { id: expect.any(String), amount: 21, memo: 'coffee', receivedAt: expect.any(String) },
    { id: expect.any(String), amount: 8, receivedAt: expect.any(String) },
  ]);
  expect(Math.abs(Date.parse(tokens[0]?.receivedAt ?? '') - Date.now())).toBeLessThan(60_000);
  expect(mint.requests('/v1/swap')).toEqual([]);
  const id = tokens[0]?.id ?? '';

  for (const [method, path] of [
    ['GET', PATH],
    ['POST', `${PATH}/${id}/redeem`],
    ['DELETE', `${PATH}/${id}`],
  ] as const)
    expect((await wallet.call(method, path)).status).toBe(403);

  const { status, body } = await redeem(wallet, id);
  expect([status, body]).toEqual([200, { amount: 18, fee: 3, operationId: expect.any(String) }]);
  expect(await wallet.balance()).toBe(18);
  expect((await wallet.asOperator('GET', '/api/wallet/history')).body.entries).toMatchObject([
    { id: body.operationId, kind: 'receive', amount: 18, state: 'completed' },
  ]);
  expect(refusalOf(await redeem(wallet, id))).toEqual([404, 'test_token_not_found']);
  expect(await list(wallet)).toEqual(tokens.slice(1));
  await wallet.close();

  // DEV_MODE keeps its own history and balance.
  const dev = await serveWallet(mint.url, { directory: wallet.directory, environment: DEV });
  expect((await dev.asOperator('GET', '/api/wallet/history')).body.entries).toHaveLength(6);
});

test('a token leaves the list when it can never be redeemed, and stays after any other failure', async () => {
  const mint = await testMint({ keysets: [{ inputFeePpk: 1000 }] });
  const spent = mint.issue(4);
  const wallet = await receiveInDevMode(mint, [
    spent,
    mint.issue(5, { forged: true }),
    mint.issue(6, { p2pk: KEY }),
    mint.issue(2, { proofCount: 2 }),
    mint.issue(16),
  ]);
  mint.spend([spent]);
  const [first, forged, locked, dust, good] = await list(wallet);
  const answers = new Map<string, unknown>();
  for (const token of [first, forged, locked, dust])
    answers.set(token?.id ?? '', refusalOf(await redeem(wallet, token?.id ?? '')));
  expect([...answers.values()]).toEqual([
    [409, 'token_spent'],
    [422, 'invalid_signature'],
    [422, 'token_locked'],
    [422, 'amount_below_fee'],
  ]);
  expect((await list(wallet)).map(({ id }) => id)).toEqual([locked?.id, dust?.id, good?.id]);

  await mint.away();
  expect(refusalOf(await redeem(wallet, good?.id ?? ''))).toEqual([503, 'mint_unreachable']);
  expect(await list(wallet)).toHaveLength(3);
  await mint.back();
  expect((await redeem(wallet, good?.id ?? '')).body).toMatchObject({ amount: 15, fee: 1 });

  for (const each of [locked, dust]) {
    const { status, body } = await drop(wallet, each?.id ?? '');
    expect([status, body]).toEqual([200, { ok: true }]);
    expect(refusalOf(await drop(wallet, each?.id ?? ''))).toEqual([404, 'test_token_not_found']);
  }
  expect(await list(wallet)).toEqual([]);
});

test('requests at the same time take turns, and a token still pays once', async () => {
  const mint = await testMint();
  const wallet = await receiveInDevMode(
    mint,
    [1, 2, 4, 8].map((amount) => mint.issue(amount)),
  );
  const tokens = await list(wallet);
  const lists = await Promise.all(Array.from({ length: 8 }, () => list(wallet)));
  for (const each of lists) expect(each).toEqual(tokens);
  const answers = await Promise.all(
    [...tokens, ...tokens].map(async ({ id }) => (await redeem(wallet, id)).status),
  );
  expect(answers.filter((status) => status === 200)).toHaveLength(4);
  expect(await wallet.balance()).toBe(15);
  expect(await list(wallet)).toEqual([]);
});

test('tokens of another mint are offered when MINT_URL names it', async () => {
  const [one, two] = [await testMint(), await testMint()];
  const wallet = await receiveInDevMode(one, [one.issue(1), two.issue(2)]);
  const [ofOne] = await list(wallet);
  expect(ofOne?.amount).toBe(1);
  await wallet.close();
  const other = await serveWallet(two.url, { directory: wallet.directory });
  const listed = await list(other);
  expect(listed.map(({ amount }) => amount)).toEqual([2]);
  expect(refusalOf(await redeem(other, ofOne?.id ?? ''))).toEqual([404, 'test_token_not_found']);
  expect(refusalOf(await drop(other, ofOne?.id ?? ''))).toEqual([404, 'test_token_not_found']);
  expect((await redeem(other, listed[0]?.id ?? '')).body.amount).toBe(2);
});

test('the list is empty while another dot-mi in DEV_MODE has the tokens, and DEV_MODE itself refuses', async () => {
  const mint = await testMint();
  const dev = await serveWallet(mint.url, { environment: DEV });
  await dev.receive(mint.issue(8));
  const wallet = await serveWallet(mint.url, { directory: dev.directory });
  expect(await list(wallet)).toEqual([]);
  const { entries } = (await dev.asOperator('GET', '/api/wallet/history')).body;
  for (const call of [redeem, drop]) {
    expect(refusalOf(await call(wallet, entries[0].id))).toEqual([404, 'test_token_not_found']);
    expect(refusalOf(await call(dev, entries[0].id))).toEqual([409, 'dev_mode']);
  }
  await dev.close();
  expect((await list(wallet)).map(({ id }) => id)).toEqual([entries[0].id]);
});

test('without a DEV_MODE database the list is empty and none is created, and a damaged one stays unchanged', async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url);
  const path = join(wallet.directory, 'dev-wallet.sqlite');
  expect(await list(wallet)).toEqual([]);
  expect(refusalOf(await drop(wallet, 'x'))).toEqual([404, 'test_token_not_found']);
  await expect(access(path)).rejects.toThrow();

  const damage = 'not a database\n'.repeat(1000);
  await writeFile(path, damage);
  expect(await list(wallet)).toEqual([]);
  expect(refusalOf(await redeem(wallet, 'x'))).toEqual([404, 'test_token_not_found']);
  expect(await readFile(path, 'utf8')).toBe(damage);
  expect((await wallet.receive(mint.issue(8))).status).toBe(200);
});
