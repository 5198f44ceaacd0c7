import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testMint } from '../../support/mint/for-test.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { editA, serveWallet } from '../../support/wallet.ts';

const KEY = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';

/** The name and the hash of every file of a directory. */
const filesOf = async (directory: string) =>
  Promise.all(
    (await readdir(directory)).sort().map(async (name) => {
      const bytes = await readFile(join(directory, name));
      return [name, createHash('sha256').update(bytes).digest('hex')];
    }),
  );

test('a validation changes nothing: no byte of the wallet, no state and no total at the mint', {
  tags: 'slow',
}, async () => {
  const mint = await testMint({ keysets: [{ inputFeePpk: 100 }] });
  const wallet = await serveWallet(mint.url);
  expect((await wallet.receive(mint.issue(64))).status).toBe(200);
  const good = mint.issue(21, { memo: 'm' });
  const spent = mint.issue(8);
  mint.spend([spent]);
  const tokens = [
    good,
    spent,
    mint.issue(8, { badDleq: true }),
    mint.issue(8, { mintUrl: 'https://mint.invalid' }),
    mint.issue(8, { forged: true }),
    'cashuBnothing',
  ];
  const before = [await filesOf(wallet.directory), mint.totals(), mint.states(good)];
  const seen = mint.requests().length;
  for (const token of [...tokens, ...tokens]) expect((await wallet.validate(token)).status).toBe(200);
  expect([await filesOf(wallet.directory), mint.totals(), mint.states(good)]).toEqual(before);
  const asked = new Set(
    mint
      .requests()
      .slice(seen)
      .map(({ path }) => path),
  );
  expect([...asked].filter((path) => !/^\/v1\/(keys|keysets|info|checkstate)(\/|$)/.test(path))).toEqual([]);
  expect(asked).toContain('/v1/checkstate');

  // As if it had not been asked: the same answer, and then the token is taken.
  expect((await wallet.validate(good)).body).toEqual({
    valid: true,
    amount: 21,
    signaturesChecked: true,
    mint: mint.url,
    unit: 'sat',
    memo: 'm',
    proofs: 3,
    fee: 1,
    net: 20,
    message: 'This token is valid. It holds 21 sat, or 20 sat after the mint’s fee.',
  });
  expect((await wallet.receive(good)).body).toMatchObject({ success: true, amount: 20 });
  expect((await wallet.validate(good)).body).toMatchObject({ valid: false, reason: 'spent', amount: 21 });
});

test('returns what it can without the mint while the mint is away, and the rest is 503, never a guess', {
  tags: 'slow',
}, async () => {
  const mint = await testMint({ keysets: [{}, { unit: 'usd' }] });
  const wallet = await serveWallet(mint.url);
  const good = mint.issue(8);
  const bad = mint.issue(8, { badDleq: true });
  const told = [
    ['malformed', good.slice(0, -9), 0],
    ['wrong_mint', mint.issue(8, { mintUrl: 'https://mint.invalid/Bitcoin' }), 8],
    ['wrong_unit', mint.issue(9, { unit: 'usd' }), 9],
    ['locked', mint.issue(10, { p2pk: KEY }), 10],
  ] as const;
  await mint.away();
  // First without anything known of the mint, then with its keysets known.
  for (const isKnown of [false, true]) {
    for (const [reason, token, amount] of told) {
      const { status, body } = await wallet.validate(token);
      expect([isKnown, status, body]).toEqual([
        isKnown,
        200,
        expect.objectContaining({ valid: false, reason, amount }),
      ]);
    }
    const away = await wallet.validate(good);
    expect([isKnown, away.status, away.body.code]).toEqual([isKnown, 503, 'mint_unreachable']);
    expect(away.body).not.toHaveProperty('valid');
    await mint.back();
    expect((await wallet.validate(good)).body.valid).toBe(true);
    expect((await wallet.validate(bad)).body.reason).toBe('invalid_signature');
    await mint.away();
  }
  expect((await wallet.validate(told[1][1])).body.mint).toBe('https://mint.invalid/Bitcoin');
});

test('a mint that returns garbage, or no states, or limits us is 502, and one that drops or hangs is 503', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url, { mintTimeoutMs: PATIENCE_MS });
  const impatient = await serveWallet(mint.url, { mintTimeoutMs: 300 });
  const good = mint.issue(8);
  for (const path of ['/v1/keysets', '/v1/keys', '/v1/checkstate'] as const) {
    for (const body of ['text', 'empty', 'shape'] as const) {
      mint.fail(path, { kind: 'garbage', body });
      const { status, body: answer } = await wallet.validate(good);
      expect([path, body, status, answer.code]).toEqual([path, body, 502, 'mint_error']);
      mint.clearFaults();
    }
  }
  for (const fault of [
    { kind: 'drop' },
    { kind: 'hang' },
    { kind: 'cut' },
    { kind: 'status', status: 502, html: true },
    { kind: 'status', status: 429, retryAfterSeconds: 7 },
  ] as const) {
    mint.fail('/v1/checkstate', fault);
    const asked = fault.kind === 'hang' ? impatient : wallet;
    const { status, headers, body } = await asked.validate(good);
    const isLimited = fault.kind === 'status' && fault.status === 429;
    // It is there, and only asks for patience.
    const expected = isLimited ? [502, 'mint_error'] : [503, 'mint_unreachable'];
    expect([fault.kind, status, body.code]).toEqual([fault.kind, ...expected]);
    if (isLimited) expect(headers.get('retry-after')).toBe('7');
    mint.clearFaults();
  }
  mint.fail('/v1/checkstate', { kind: 'error', code: 1, detail: 'not\u0007 now\u202e' });
  const refused = await (await serveWallet(mint.url)).validate(good);
  expect([refused.status, refused.body.code]).toEqual([502, 'mint_error']);
  expect(refused.body.error).toMatch(/not now\.?$/);
});

test('tells the sender of each refused token what helps, and names the accepted mint', async () => {
  const mint = await testMint({ keysets: [{ inputFeePpk: 1_000 }, { unit: 'usd' }] });
  const wallet = await serveWallet(mint.url);
  const received = mint.issue(64);
  await wallet.receive(received);
  const spent = mint.issue(8);
  mint.spend([spent]);
  const pending = mint.issue(8);
  mint.setPending([pending]);
  const elsewhere = 'https://mint.invalid/Bitcoin';
  const cases = [
    [
      received,
      'spent',
      /^This token was already received: 63 sat on [\d-]+ at [\d:]+ UTC\. It can’t pay for anything else\. Please send another token\.$/,
    ],
    [spent, 'spent', 'This token was already spent. Please send another token.'],
    [
      pending,
      'pending',
      'The mint is still processing this token. Please wait a minute, then check it again.',
    ],
    [
      mint.issue(8, { mintUrl: elsewhere }),
      'wrong_mint',
      `This token is from ${elsewhere}. Please send one from ${mint.url}.`,
    ],
    [mint.issue(9, { unit: 'usd' }), 'wrong_unit', 'This token is in usd. Please send one in sats.'],
    [
      mint.issue(10, { p2pk: KEY }),
      'locked',
      'This token is locked to another key. Please send one without a lock.',
    ],
    [
      mint.issue(1),
      'below_fee',
      'The mint’s fee of 1 sat would use up this token of 1 sat. Please send a larger one.',
    ],
    [
      mint.issue(8, { badDleq: true }),
      'invalid_signature',
      'This token is invalid or forged. Please send another token.',
    ],
    ['hello', 'malformed', expect.stringContaining('copy it again')],
  ] as const;
  for (const [token, reason, message] of cases) {
    const { body } = await wallet.validate(token);
    expect(body).toMatchObject({
      valid: false,
      reason,
      message: message instanceof RegExp ? expect.stringMatching(message) : message,
    });
    expect(body.acceptedMints).toEqual(reason === 'wrong_mint' ? [mint.url] : undefined);
    if (reason === 'wrong_mint') {
      const refused = (await wallet.receive(token)).body;
      expect([refused.code, refused.acceptedMints]).toEqual([reason, [mint.url]]);
      expect(refused.error).toContain(mint.url);
    }
    // Of a spent token, nothing is left to receive.
    expect(body.net).toBe(reason === 'spent' || body.fee === undefined ? undefined : body.amount - body.fee);
  }
});

test('says of text that asks for sats what it is, and repeats no text that a token’s author chose freely', async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url);
  const invoice = 'lnbc210n1pvjluezpp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqf';
  const request = 'creqApWF0gaNhdGVub3N0cmFheKlucHJvZmlsZTFx';
  for (const [text, looksLike, name] of [
    [invoice, 'lightning_invoice', 'Lightning invoice'],
    [`lightning:${invoice.toUpperCase()}`, 'lightning_invoice', 'Lightning invoice'],
    [request, 'payment_request', 'Cashu payment request'],
  ] as const) {
    expect((await wallet.validate(text)).body).toEqual({
      valid: false,
      amount: 0,
      mint: '',
      reason: 'not_a_token',
      looksLike,
      message: `This is a ${name}, which asks for a payment. Please send a Cashu token, which starts with cashuA or cashuB.`,
    });
  }
  const odd = editA(mint.issue(8, { version: 'A' }), (json) => {
    json.unit = 'gold, call me';
  });
  expect((await wallet.validate(odd)).body.message).toBe(
    'This token is in another unit. Please send one in sats.',
  );
  const far = editA(mint.issue(8, { version: 'A' }), ({ token: [entry] }) => {
    Object.assign(entry ?? {}, { mint: 'call me' });
  });
  expect((await wallet.validate(far)).body.message).toMatch(/^This token is from another mint\. /);
});

test('an empty, missing or blank token, or an unknown field, is 400', async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url);
  const token = mint.issue(8);
  for (const path of ['/api/wallet/validate', '/api/wallet/receive']) {
    for (const [body, field] of [
      [{}, 'body.token'],
      [{ token: '' }, 'body.token'],
      [{ token: ' \n\t' }, 'body.token'],
      [{ token: null }, 'body.token'],
      [{ token: 5 }, 'body.token'],
      [{ token: [token] }, 'body.token'],
      [{ token, amount: 8 }, 'body.amount'],
      [[token], 'body'],
      [undefined, 'body'],
    ] as const) {
      const { status, body: answer } = await wallet.call('POST', path, body);
      expect([body, status, answer.code, answer.issues?.[0]?.path]).toEqual([
        body,
        400,
        'invalid_request',
        field,
      ]);
    }
  }
  expect(mint.requests()).toEqual([]);
  expect(mint.unspent([token])).toBe(8);
});

test('a response reveals no more of a token than its amount', async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url);
  const token = editA(mint.issue(8, { version: 'A', forged: true }), ({ token: [entry] }) => {
    Object.assign(entry?.proofs[0] ?? {}, { secret: 'the-secret-of-this-proof' });
  });
  mint.fail('/v1/swap', { kind: 'error', code: 1, detail: 'no' });
  for (const answer of [await wallet.validate(token), await wallet.receive(token)]) {
    expect(JSON.stringify(answer.body)).not.toMatch(/the-secret-of-this-proof|cashu[AB]ey/);
  }
});
