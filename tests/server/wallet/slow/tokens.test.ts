import { expect, test } from 'vitest';
import { testMint } from '../../../support/mint/for-test.ts';
import type { TestMint } from '../../../support/mint/test-mint.ts';
import { until } from '../../../support/raw-http.ts';
import { editA, readRows, serveWallet, type WalletServer } from '../../../support/wallet.ts';

/** Validates and redeems a token, and checks that every sat is somewhere. */
const redeem = async (mint: TestMint, wallet: WalletServer, token: string, amount: number, fee = 0) => {
  const before = await wallet.balance();
  expect((await wallet.validate(token)).body).toMatchObject({
    valid: true,
    amount,
    mint: expect.any(String),
    fee,
  });
  const { status, body } = await wallet.receive(token);
  expect([status, body]).toEqual([
    200,
    { success: true, amount: amount - fee, mint: mint.url, fee, operationId: expect.any(String) },
  ]);
  expect((await wallet.balance()) - before).toBe(amount - fee);
  const { issued, melted, fees } = mint.totals();
  expect(await wallet.balance()).toBe(issued - melted - fees);
};

test('accepts a token in any spelling: versions, prefixes, whitespace, padding, the other alphabet', async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url);
  const a = () => mint.issue(8, { version: 'A' });
  const b = () => mint.issue(8);
  const standard = (token: string) =>
    `${token.slice(0, 6)}${token.slice(6).replaceAll('-', '+').replaceAll('_', '/')}`;
  const padded = (token: string) => {
    const payload = token.slice(6);
    return `${token}${'='.repeat((4 - (payload.length % 4)) % 4)}`;
  };
  const mailed = (token: string) => token.replaceAll(/(.{64})/g, '$1\r\n');
  for (const [form, make] of Object.entries({
    cashuA: () => a(),
    cashuB: () => b(),
    'cashu:A': () => `cashu:${a()}`,
    'cashu:B': () => `cashu:${b()}`,
    'CASHU:': () => `CASHU:${b()}`,
    'cashu://': () => `cashu://${b()}`,
    'web+cashu://': () => `web+cashu://${a()}`,
    'whitespace around': () => ` \t\n${b()}\r\n `,
    'line breaks within': () => `  cashu:\n${mailed(b())}\n`,
    'line breaks within A': () => mailed(a()),
    'padded A': () => padded(a()),
    'padded B': () => padded(b()),
    'other alphabet A': () => standard(a()),
    'other alphabet B': () => standard(padded(b())),
  })) {
    await redeem(mint, wallet, make(), 8).catch((error: unknown) => {
      throw new Error(`${form}: ${error}`, { cause: error });
    });
  }
});

test('accepts tokens of keysets of both versions, several in one token, and reports their memo', async () => {
  const mint = await testMint({ keysets: [{ version: 1 }, { version: 2 }, { version: 2 }] });
  const wallet = await serveWallet(mint.url);
  const [one = '', two = '', three = ''] = mint.keysets().map(({ id }) => id);
  expect([one, two]).toEqual([expect.stringMatching(/^00.{14}$/), expect.stringMatching(/^01.{64}$/)]);
  await redeem(mint, wallet, mint.issue(5, { keysetId: one }), 5);
  await redeem(mint, wallet, mint.issue(5, { keysetId: one, version: 'A' }), 5);
  // Version 4 has short ids of keysets of version 2; version 3 has them whole here.
  const short = mint.issue(5, { keysetId: two });
  expect(Buffer.from(short.slice(6), 'base64url').includes(Buffer.from(two, 'hex'))).toBe(false);
  await redeem(mint, wallet, short, 5);
  await redeem(mint, wallet, mint.issue(5, { keysetId: two, version: 'A' }), 5);
  const shortA = editA(mint.issue(5, { keysetId: two, version: 'A' }), ({ token }) => {
    for (const proof of token[0]?.proofs ?? []) proof.id = two.slice(0, 16);
  });
  await redeem(mint, wallet, shortA, 5);

  const memo = 'thanks · ありがとう 🙏';
  for (const version of ['A', 'B'] as const) {
    const token = mint.issue(100, { version, keysetIds: [one, two, three], proofCount: 9, memo });
    expect((await wallet.validate(token)).body).toMatchObject({ valid: true, memo, proofs: 9, unit: 'sat' });
    await redeem(mint, wallet, token, 100);
  }
  const { entries } = (await wallet.asOperator('GET', '/api/wallet/history?limit=1')).body;
  expect(entries).toMatchObject([{ kind: 'receive', state: 'completed', amount: 100, fee: 0, memo }]);
});

test('the fee is rounded up once over all inputs, whatever their keysets', async () => {
  const mint = await testMint({
    keysets: [{ inputFeePpk: 100 }, { inputFeePpk: 250, version: 1 }, { inputFeePpk: 1000 }],
  });
  const wallet = await serveWallet(mint.url);
  const [low = '', middle = '', high = ''] = mint.keysets().map(({ id }) => id);
  await redeem(mint, wallet, mint.issue(64, { keysetId: low, proofCount: 10, withoutDleq: true }), 64, 1);
  await redeem(mint, wallet, mint.issue(64, { keysetId: low, proofCount: 11, withoutDleq: true }), 64, 2);
  // 3 * 100 + 3 * 250 = 1050: rounded by keyset it would be 1 + 1, by input 6.
  await redeem(
    mint,
    wallet,
    mint.issue(64, { keysetIds: [low, middle], proofCount: 6, withoutDleq: true }),
    64,
    2,
  );
  // 2 * 100 + 2 * 250 = 700.
  await redeem(
    mint,
    wallet,
    mint.issue(64, { keysetIds: [low, middle], proofCount: 4, withoutDleq: true }),
    64,
    1,
  );
  await redeem(mint, wallet, mint.issue(64, { keysetId: high, proofCount: 7, withoutDleq: true }), 64, 7);
  expect(mint.totals().fees).toBe(13);
});

test('accepts a token of 1,000 proofs', { tags: 'slow' }, async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url);
  await redeem(mint, wallet, mint.issue(5000, { proofCount: 1000, withoutDleq: true }), 5000);
});

test('accepts proofs of an inactive keyset, and of one that is newer than the known ones', async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url);
  await redeem(mint, wallet, mint.issue(8), 8);
  const old = mint.issue(16);
  mint.rotate({ version: 1, inputFeePpk: 1 });
  // The wallet asks for unknown keysets once a second at most.
  await until(async () => (await wallet.validate(mint.issue(32))).body.valid);
  const { body: ofNew } = await wallet.receive(mint.issue(32));
  expect(ofNew).toMatchObject({ success: true, amount: 31, fee: 1 });
  expect((await wallet.receive(old)).body).toMatchObject({ success: true, amount: 16, fee: 0 });
  expect(await wallet.balance()).toBe(8 + 16 + 31);
});

test('follows a rotation that it did not know of when it created its outputs', async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url);
  await redeem(mint, wallet, mint.issue(8), 8);
  const old = mint.issue(16);
  const { id } = mint.rotate();
  await redeem(mint, wallet, old, 16);
  await wallet.close();
  const rows = await readRows(wallet.directory, 'SELECT keyset_id AS id FROM proofs WHERE amount = 16');
  expect(rows).toEqual([{ id }]);
});

test('the mint of a token may be written differently: case of the host, slashes, under a path', async () => {
  const mint = await testMint({ path: '/Bitcoin' });
  const { port } = mint;
  const wallet = await serveWallet(`http://localhost:${port}/Bitcoin`);
  for (const mintUrl of [
    `http://localhost:${port}/Bitcoin`,
    `http://localhost:${port}/Bitcoin/`,
    `http://localhost:${port}/Bitcoin//`,
    `HTTP://LOCALHOST:${port}/Bitcoin`,
    `http://LocalHost:0${port}/Bitcoin/`,
  ]) {
    const { status, body } = await wallet.receive(mint.issue(4, { mintUrl }));
    expect([mintUrl, status, body.mint]).toEqual([mintUrl, 200, `http://localhost:${port}/Bitcoin`]);
  }
  // A path is told apart by its case (RFC 3986, 6.2.2.1).
  const { body } = await wallet.receive(mint.issue(4, { mintUrl: `http://localhost:${port}/bitcoin` }));
  expect(body.code).toBe('wrong_mint');
});

test('a MINT_URL with a slash at its end or its default port is the same mint', async () => {
  const mint = await testMint({ path: '/Bitcoin' });
  const slashed = await serveWallet(`${mint.url}/`);
  await redeem(mint, slashed, mint.issue(4), 4);

  const token = (url: string) => mint.issue(1, { p2pk: `02${'a'.repeat(64)}`, mintUrl: url });
  const wallet = await serveWallet('https://mint.invalid:443');
  // What is locked is told without the mint, and wrong_mint comes before it.
  expect((await wallet.validate(token('https://MINT.invalid/'))).body.reason).toBe('locked');
  expect((await wallet.validate(token('https://mint.invalid:444'))).body.reason).toBe('wrong_mint');
  expect((await wallet.validate(token('http://mint.invalid'))).body.reason).toBe('wrong_mint');
});

test('accepts a cashuA that lists the same mint twice, even spelled in two ways', async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url);
  const twoEntries = (otherUrl: string) =>
    editA(mint.issue(48, { version: 'A' }), ({ token: [entry], ...rest }) => ({
      ...rest,
      token: entry?.proofs.map((proof, at) => ({ mint: at === 0 ? mint.url : otherUrl, proofs: [proof] })),
    }));
  await redeem(mint, wallet, twoEntries(mint.url), 48);
  await redeem(mint, wallet, twoEntries(`${mint.url}/`), 48);
  const withoutUnit = editA(mint.issue(3, { version: 'A' }), ({ unit: _unit, ...rest }) => rest);
  await redeem(mint, wallet, withoutUnit, 3);
});
