import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { testMint } from '../../../support/mint/for-test.ts';
import type { Fault, FaultPath } from '../../../support/mint/test-mint.ts';
import { until } from '../../../support/raw-http.ts';
import { makeTempDirectory } from '../../../support/temp.ts';
import { spawnWaiting, walletEnvironment } from '../../../support/wallet-process.ts';
import { followWallet } from '../../../support/wallet-recovery.ts';
import { ask, type Question, readHistory } from '../../../torture/ask.ts';
import { findSecrets, secretsOfToken, secretsOfWallet } from '../../../torture/secrets.ts';

/** The crash test (harness.ts) searches the logs of its servers in the same way. */

const PUBLIC_KEY = `02${'79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'}`;

/** A server at trace level whose logs, answers and events are kept. */
const listenIn = async (mintUrl: string) => {
  const directory = await makeTempDirectory();
  await mkdir(join(directory, 'root'));
  const server = spawnWaiting(directory).start({
    environment: walletEnvironment(mintUrl),
    mintTimeoutMs: 400,
    requestDeadlineMs: 900,
    decisionTimes: { confirmAfterMs: 100 },
  });
  onTestFinished(() => server.kill());
  const address = await server.listening;
  // biome-ignore lint/suspicious/noExplicitAny: the follower asks for the address alone
  const events = await followWallet(address as any);
  const heard: string[] = [];
  const post = async (path: string, body: unknown, key?: string): Promise<Answer> => {
    const question: Question = { method: 'POST', path, body, key };
    const reply = await ask(address, question);
    // A send is asked for its token; everything else is overheard.
    if (reply && !(path.endsWith('/send') && reply.status === 201)) heard.push(JSON.stringify(reply));
    return reply ?? { status: 0, body: {} };
  };
  return { directory, server, address, events, heard, post };
};

type Answer = { status: number; body: Record<string, string> };

test('no token, secret, signature, blinding factor or word is in a log, an error, an operation or an event', async () => {
  const mint = await testMint({ keysets: [{ inputFeePpk: 100 }] });
  const { directory, server, address, events, heard, post } = await listenIn(mint.url);
  const tokens: string[] = [];
  const codes = new Set<string>();
  const issue = (...parameters: Parameters<typeof mint.issue>): string => {
    const token = mint.issue(...parameters);
    tokens.push(token);
    return token;
  };
  const receive = async (token: string, key?: string) => {
    await post('/api/wallet/validate', { token });
    const { status, body } = await post('/api/wallet/receive', { token }, key);
    codes.add(status === 200 ? 'received' : (body.code ?? 'no code'));
  };

  await receive(issue(100), 'key');
  await receive(issue(5, { forged: true }));
  await receive(issue(5, { badDleq: true }));
  await receive(issue(5, { p2pk: PUBLIC_KEY }));
  await receive(issue(5, { mintUrl: 'https://mint.example.com' }));
  await receive(issue(1, { withoutDleq: true }));
  const spent = issue(9);
  mint.spend([spent]);
  await receive(spent);
  const broken = issue(33, { version: 'A' });
  for (const text of [
    broken.slice(0, -9),
    `${broken}${broken}`,
    `${broken.slice(0, 40)} ${broken.slice(50)}`,
  ]) {
    await receive(text);
    await post('/api/wallet/receive', { tokens: text });
    await post('/api/wallet/receive', text);
    await post('/api/wallet/receive', { token: { text } });
    await post(`/api/wallet/operations/${encodeURIComponent(text)}/reclaim`, undefined);
    await ask(address, {
      method: 'GET',
      path: `/api/wallet/history?cursor=${encodeURIComponent(text)}`,
    }).then((reply) => heard.push(JSON.stringify(reply)));
  }

  const faults: [FaultPath, Fault][] = [
    ['/v1/swap', { kind: 'drop', when: 'after' }],
    ['/v1/swap', { kind: 'garbage', when: 'after' }],
    ['/v1/swap', { kind: 'signatures', dleq: true }],
    ['/v1/swap', { kind: 'amounts' }],
    ['/v1/swap', { kind: 'status', status: 503 }],
    ['/v1/swap', { kind: 'hang', times: 1 }],
    ['/v1/swap', { kind: 'error', code: 10_001, detail: 'Proof could not be verified' }],
    ['/v1/swap', { kind: 'error', code: 20_003, detail: 'not today' }],
    ['/v1/restore', { kind: 'garbage', body: 'shape' }],
    ['/v1/checkstate', { kind: 'cut' }],
  ];
  for (const [path, fault] of faults) {
    if (path !== '/v1/swap') mint.fail('/v1/swap', { kind: 'drop', when: 'after' });
    mint.fail(path, fault);
    await receive(issue(20, { withoutDleq: true }));
    await post('/api/wallet/send', { amount: 3, memo: 'a memo' });
    mint.clearFaults();
  }
  await mint.away();
  await receive(issue(20, { withoutDleq: true }));
  await mint.back();

  const isCalm = async () => (await readHistory(address)).every(({ state }) => state !== 'pending');
  await until(isCalm);
  const sent = await post('/api/wallet/send', { amount: 7 });
  await post(`/api/wallet/operations/${sent.body.operationId}/reclaim`, undefined);
  await post(`/api/wallet/operations/${sent.body.operationId}/reclaim`, undefined);
  const { body: seed } = (await ask(address, { method: 'GET', path: '/api/wallet/seed' })) ?? {};
  await post('/api/wallet/restore', { mnemonic: seed.mnemonic });
  await post('/api/wallet/restore', { mnemonic: `${seed.mnemonic} zoo` });
  await post('/api/wallet/restore', { words: seed.mnemonic });
  for (const { id } of await readHistory(address)) {
    const operation = await ask(address, { method: 'GET', path: `/api/wallet/operations/${id}` });
    heard.push(JSON.stringify(operation));
  }
  await until(() => events.events.length > 0);
  await server.stop();

  // All kinds of failures were there.
  for (const code of [
    'received',
    'mint_refused',
    'invalid_signature',
    'token_locked',
    'wrong_mint',
    'amount_below_fee',
  ])
    expect(codes).toContain(code);
  for (const code of ['token_spent', 'malformed_token', 'redemption_pending', 'mint_unreachable'])
    expect(codes).toContain(code);
  expect(server.stderr()).toContain('operation completed');

  const secrets = [
    ...tokens.flatMap(secretsOfToken),
    ...secretsOfWallet(join(directory, 'data/wallet')),
    seed.mnemonic,
    address.operatorToken,
  ];
  expect(secrets.length).toBeGreaterThan(100);
  expect(findSecrets(server.stderr(), secrets)).toEqual([]);
  expect(findSecrets(heard.join('\n'), secrets)).toEqual([]);
  expect(findSecrets(events.text(), secrets)).toEqual([]);
});

test('the search finds what it should: whole, in part, encoded, words in a row', () => {
  const secret = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
  const words = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
  const within = (text: string) => findSecrets(`{"level":30,"msg":"${text}"}`, [secret, words]);
  expect(within(`a proof ${secret} of it`)).toHaveLength(1);
  expect(within(`x${secret.slice(5, 40)}x`)).toHaveLength(1);
  expect(within(Buffer.from(secret).toString('base64url'))).toHaveLength(1);
  expect(within('wave sausage worth')).toHaveLength(1);
  expect(within('the year of a winner: nothing')).toEqual([]);
});
