import { expect, test } from 'vitest';
import {
  askFor,
  chargeOf,
  hashOf,
  holdCharge,
  openAndPay,
  payCharge,
  REQUEST,
  refundOf,
  releaseCharge,
  settleCharge,
} from '../../../support/charges.ts';
import { followEvents } from '../../../support/follow.ts';
import { testMint } from '../../../support/mint/for-test.ts';
import type { TestMint } from '../../../support/mint/test-mint.ts';
import { plant } from '../../../support/plant.ts';
import { until } from '../../../support/raw-http.ts';
import { editA, type WalletServer } from '../../../support/wallet.ts';
import { as, bearer, createKey } from '../../../support/wallet-callers.ts';
import { earn, startCopy } from '../../../support/wallet-copies.ts';
import { findSecrets, secretsOfToken } from '../../../torture/secrets.ts';

/** Money leaves against proof: a charge belongs to who opened it, and its customer proves a payment. */

const SCOPES = ['charge', 'receive', 'read-agents', 'prices'];

/** A server with a seller's key, and everybody else who may try to use what the seller has. */
const startMarket = async (mint: TestMint) => {
  const wallet = await startCopy(mint);
  await plant(wallet.rootPath, { 'agents/courier/SYSTEM.md': 'You carry.\n' });
  const caller = async (agent?: string) => as(wallet, await createKey(wallet, agent, SCOPES));
  const seller = await caller('scout');
  const others: Readonly<Record<string, WalletServer>> = {
    anyone: wallet,
    'another key of the same agent': await caller('scout'),
    'another agent’s key': await caller('courier'),
    'a key of no agent': await caller(),
  };
  return { wallet, seller, others };
};

const textOf = ({ status, body }: { status: number; body: unknown }) => [status, JSON.stringify(body)];

test('the change of five finished charges goes to who opened them, whoever repeats the request', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const { wallet, seller, others } = await startMarket(mint);
  const finish: [again: (caller: WalletServer) => ReturnType<typeof settleCharge>, token: string][] = [];
  const paidWith: string[] = [];
  for (let count = 0; count < 5; count++) {
    const { id, token } = await holdCharge(seller, mint, 8);
    const again = (caller: WalletServer) =>
      count < 3 ? settleCharge(caller, id, 3) : releaseCharge(caller, id);
    const { body } = await again(seller);
    finish.push([again, (body.change ?? body.refund).token]);
    paidWith.push(token);
  }
  const secrets = finish.flatMap(([, token]) => [token, ...secretsOfToken(token)]);
  const ids = (await seller.call('GET', '/api/charges')).body.charges.map(({ id }: { id: string }) => id);
  expect(ids).toHaveLength(5);

  const leaks: string[] = [];
  const note = (who: string, what: string, answer: { status: number; body: unknown }) => {
    const text = JSON.stringify(answer.body);
    const isRefused = answer.status >= 400 || text === '{"charges":[]}';
    if (!isRefused || findSecrets(text, [...secrets, ...ids]).length > 0)
      leaks.push(`${who}: ${what} ${answer.status}`);
  };
  for (const [who, caller] of Object.entries(others)) {
    note(who, 'list', await caller.call('GET', '/api/charges'));
    for (const [index, id] of ids.entries()) {
      note(who, `read ${index}`, await caller.call('GET', `/api/charges/${id}`));
      note(who, `settle ${index}`, await settleCharge(caller, id, 3));
      note(who, `release ${index}`, await releaseCharge(caller, id));
      note(who, `pay ${index}`, await caller.call('POST', `/api/charges/${id}/pay`, { token: paidWith[0] }));
      note(
        who,
        `refund without token ${index}`,
        await caller.call('POST', '/api/charges/refund', { chargeId: id }),
      );
      note(who, `refund ${index}`, await refundOf(caller, paidWith[index] ?? ''));
    }
  }
  expect(leaks).toEqual([]);

  for (const [again, token] of finish)
    for (const owner of [seller, { ...wallet, call: wallet.asOperator }]) {
      const { body } = await again(owner);
      expect((body.change ?? body.refund).token).toBe(token);
    }
  for (const token of paidWith) expect((await refundOf(seller, token)).status).toBe(200);
});

test('nobody else lists, reads, pays, settles or releases a charge, and all get the same answer as for none', async () => {
  const mint = await testMint();
  const { seller, others } = await startMarket(mint);
  const held = await holdCharge(seller, mint, 8);
  const { body: open } = await askFor(seller, 4);
  const token = mint.issue(4);
  const said = async (caller: WalletServer, id: string, paidWith: string) =>
    (
      await Promise.all([
        caller.call('GET', `/api/charges/${id}`),
        caller.call('POST', `/api/charges/${id}/pay`, { token }),
        settleCharge(caller, id, 3),
        releaseCharge(caller, id),
        refundOf(caller, paidWith),
      ])
    ).map(textOf);
  for (const [who, caller] of Object.entries(others)) {
    const ofNone = await said(caller, 'no-such-charge', mint.issue(4));
    expect([who, ofNone.map(([status]) => status)]).toEqual([who, [404, 404, 404, 404, 404]]);
    expect([who, await said(caller, held.id, held.token)]).toEqual([who, ofNone]);
    expect([who, await said(caller, open.id, token)]).toEqual([who, ofNone]);
    // The same request of another caller is another charge.
    const { body: paid } = await openAndPay(caller, 4, mint.issue(4));
    expect([who, paid.state, paid.id === open.id]).toEqual([who, 'held', false]);
  }
  expect(mint.unspent([token])).toBe(4);
  expect([(await chargeOf(seller, held.id)).state, (await chargeOf(seller, open.id)).state]).toEqual([
    'held',
    'open',
  ]);
});

test('a charge that was opened without a key belongs to who knows its id, which no other response contains', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const { wallet, others } = await startMarket(mint);
  const { body: quoted } = await askFor(wallet, 4);
  expect(quoted.id).toMatch(/^[0-9a-f]{32}$/);
  // The hash of a request is not a secret, and neither is the token to the one who paid with it.
  const token = mint.issue(4, { withoutDleq: true });
  const { body: paid } = await openAndPay(wallet, 4, token);
  expect([paid.state, paid.id === quoted.id]).toEqual(['held', false]);
  const repeated = await openAndPay(wallet, 4, token);
  expect([repeated.status, repeated.body.code, JSON.stringify(repeated.body).includes(paid.id)]).toEqual([
    409,
    'token_spent',
    false,
  ]);
  const { prepaidKey } = (await wallet.call('POST', '/api/prepaid-balances', { token: mint.issue(8) })).body;
  const order = { amount: 2, requestHash: hashOf('x'), prepaidKey };
  const { body: use } = await wallet.call('POST', '/api/charges/open-and-pay', order);
  const again = await wallet.call('POST', '/api/charges/open-and-pay', order);
  expect([use.state, again.status, again.body.code]).toEqual(['held', 409, 'already_paid']);

  for (const [who, caller] of Object.entries(others)) {
    if (who === 'anyone') continue;
    for (const { id } of [quoted, paid, use]) {
      expect([who, (await caller.call('GET', `/api/charges/${id}`)).status]).toEqual([who, 404]);
      expect([who, (await releaseCharge(caller, id)).status]).toEqual([who, 404]);
    }
    expect([who, (await refundOf(caller, token)).status]).toEqual([who, 404]);
  }
  expect((await releaseCharge(wallet, paid.id)).body.refund.amount).toBe(4);
  expect((await refundOf(wallet, token)).body.refund.amount).toBe(4);
});

test('a refund needs every proof of the token that paid', { tags: 'slow' }, async () => {
  const mint = await testMint();
  const { seller } = await startMarket(mint);
  const { body: charge } = await askFor(seller, 1);
  const token = mint.issue(13, { version: 'A', withoutDleq: true });
  await payCharge(seller, charge.id, token);
  await settleCharge(seller, charge.id, 3);
  // The customer got this proof from somebody who still knows it.
  const part = editA(token, ({ token: [entry] }) => void entry?.proofs.splice(1));
  const refused = await refundOf(seller, part);
  expect([refused.status, refused.body.code]).toEqual([404, 'charge_not_found']);
  expect((await refundOf(seller, token)).body.refund.amount).toBe(10);
});

test('a token without one of the proofs that paid gets nothing of the payment, by any route', async () => {
  const mint = await testMint();
  const { wallet, seller } = await startMarket(mint);
  const issue = () => mint.issue(13, { version: 'A', withoutDleq: true });
  const partsOf = (token: string) =>
    [0, 1, 2].flatMap((at) =>
      [
        (proofs: unknown[]) => proofs.splice(at, 1),
        (proofs: unknown[]) => proofs.splice(0, 3, proofs[at]),
      ].map((leave) => editA(token, ({ token: [entry] }) => void leave(entry?.proofs ?? []))),
    );
  const deposit = issue();
  const { prepaidKey } = (await seller.call('POST', '/api/prepaid-balances', { token: deposit })).body;
  const token = issue();
  const { body: charge } = await openAndPay(seller, 4, token);
  expect(charge.state).toBe('held');

  for (const part of [...partsOf(deposit), ...partsOf(token)]) {
    for (const answer of [
      await seller.call('POST', '/api/prepaid-balances', { token: part }),
      await openAndPay(seller, 4, part),
      await payCharge(seller, charge.id, part),
      await seller.receive(part),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([409, 'token_spent']);
      // Not even what it paid, or when.
      expect(Object.keys(answer.body).sort()).toEqual(['code', 'error']);
    }
    expect((await refundOf(seller, part)).body.code).toBe('charge_not_found');
    const { body: validation } = await wallet.validate(part);
    expect(validation).toMatchObject({ valid: false, reason: 'spent' });
    expect(Object.keys(validation)).not.toContain('operationId');
    expect(Object.keys(validation)).not.toContain('receivedAmount');
  }

  expect((await openAndPay(seller, 4, token)).body).toEqual(charge);
  // Until here, nobody has used the key, so it could still be replaced.
  const { body } = await seller.call('POST', '/api/prepaid-balances/read', { prepaidKey });
  expect(body).toMatchObject({ available: 13 });
  const [part = ''] = partsOf(deposit);
  const toppedUp = await seller.call('POST', '/api/prepaid-balances/top-up', { prepaidKey, token: part });
  expect(toppedUp.body.code).toBe('token_spent');
});

test('no event about money reaches a caller without a token, and no operation reaches a key', async () => {
  const mint = await testMint();
  const { wallet, seller } = await startMarket(mint);
  const key = await createKey(wallet, 'courier', [...SCOPES, 'spend'], { satsPerDay: 100 });
  const ofAnyone = await followEvents(wallet.url);
  const ofKey = await followEvents(wallet.url, bearer(key));
  const ofOperator = await followEvents(wallet.url, bearer(wallet.operatorToken));
  const { id } = await holdCharge(seller, mint, 8);
  await settleCharge(seller, id, 3);
  await earn(wallet, mint, 4);
  const { operationId } = (await wallet.asOperator('POST', '/api/wallet/send', { amount: 2 })).body;
  await createKey(wallet);
  // These two are later than all of those.
  await wallet.asOperator('PUT', '/api/pricing/models', { models: {} });
  const isLast = ({ name }: { name: string }) => name === 'price';
  await until(() => [ofAnyone, ofKey, ofOperator].every(({ events }) => events.some(isLast)));

  const names = ({ events }: typeof ofKey) => new Set(events.map(({ name }) => name));
  expect([...names(ofOperator)]).toEqual(expect.arrayContaining(['charge', 'wallet', 'keys']));
  for (const name of ['charge', 'wallet', 'services', 'keys', 'requests', 'settings', 'drafts'])
    expect([name, names(ofAnyone).has(name as 'charge')]).toEqual([name, false]);
  expect(names(ofKey).has('charge')).toBe(false);
  const shown = ofKey.events.filter(({ name }) => name === 'wallet').map(({ data }) => data);
  expect(shown.length).toBeGreaterThan(0);
  expect(shown.filter((data) => !('operation' in data) || data.operation !== null)).toEqual([]);
  expect(JSON.stringify([ofAnyone.events, ofKey.events])).not.toContain(operationId);
  expect(JSON.stringify([ofAnyone.events, ofKey.events])).not.toContain(id);
});

test('only the operator and the key that made a send read its operation', { tags: 'slow' }, async () => {
  const mint = await testMint();
  const { wallet, seller } = await startMarket(mint);
  await earn(wallet, mint, 64);
  const spend = { satsPerDay: 100 };
  const own = as(wallet, await createKey(wallet, 'scout', ['spend'], spend));
  const other = as(wallet, await createKey(wallet, 'scout', ['spend', 'receive'], spend));
  const sent = await own.call('POST', '/api/wallet/send', { amount: 5, memo: 'for the printer' });
  expect(sent.status).toBe(201);
  const byOperator = await wallet.asOperator('POST', '/api/wallet/send', { amount: 7, memo: 'rent' });
  const reclaimed = await wallet.asOperator(
    'POST',
    `/api/wallet/operations/${byOperator.body.operationId}/reclaim`,
  );
  const { id } = await holdCharge(seller, mint, 8);
  await settleCharge(seller, id, 3);
  const history = (await wallet.asOperator('GET', '/api/wallet/history')).body.entries;
  const change = history.find(
    ({ kind, charge }: { kind: string; charge?: object }) => kind === 'send' && charge,
  );
  const payment = history.find(
    ({ kind, charge }: { kind: string; charge?: object }) => kind === 'receive' && charge,
  );

  const read = async (caller: WalletServer, operation: string) =>
    (await caller.call('GET', `/api/wallet/operations/${operation}`)).body.kind ?? 'not found';
  const operator = { ...wallet, call: wallet.asOperator };
  const seen = async (operation: string) =>
    Promise.all([operator, own, other, wallet].map((caller) => read(caller, operation)));
  expect(await seen(sent.body.operationId)).toEqual(['send', 'send', 'not found', 'not found']);
  const hidden = ['not found', 'not found', 'not found'];
  expect(await seen(byOperator.body.operationId)).toEqual(['send', ...hidden]);
  expect(await seen(reclaimed.body.operationId)).toEqual(['reclaim', ...hidden]);
  expect(await seen(change.id)).toEqual(['send', ...hidden]);
  expect(await seen(payment.id)).toEqual(['receive', ...hidden]);
  expect(await read(seller, payment.id)).toBe('receive');
  // An ordinary receive can be read by anyone who was told its id.
  const { operationId } = (await wallet.receive(mint.issue(4))).body;
  expect(await seen(operationId)).toEqual(['receive', 'receive', 'receive', 'receive']);
});

test('a prepaid balance needs its key and who opened it, to be read, topped up, drawn from or refunded', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const { wallet, seller, others } = await startMarket(mint);
  const token = mint.issue(32, { withoutDleq: true });
  const { prepaidKey } = (await seller.call('POST', '/api/prepaid-balances', { token })).body;
  const added = mint.issue(4);
  const about = (caller: WalletServer) => [
    () => caller.call('POST', '/api/prepaid-balances/read', { prepaidKey }),
    () => caller.call('POST', '/api/prepaid-balances/top-up', { prepaidKey, token: added }),
    () => caller.call('POST', '/api/charges/open-and-pay', { amount: 5, requestHash: REQUEST, prepaidKey }),
    () => caller.call('POST', '/api/prepaid-balances/refund', { prepaidKey }),
  ];
  for (const [who, caller] of Object.entries(others)) {
    for (const call of about(caller))
      expect([who, (await call()).body.code]).toEqual([who, 'prepaid_balance_not_found']);
    const opened = await caller.call('POST', '/api/prepaid-balances', { token });
    expect([who, opened.body.code]).toEqual([who, 'token_spent']);
  }
  expect(mint.unspent([added])).toBe(4);
  // Whoever knows the key of the balance through its seller, and nobody through another one.
  for (const call of about(seller).slice(0, 3)) expect((await call()).status).toBe(200);
  expect((await refundOf(seller, token)).body.code).toBe('charge_is_deposit');
  const { charges } = (await seller.call('GET', '/api/charges?state=held')).body;
  const use = charges.find(({ amount }: { amount: number }) => amount === 5);
  await settleCharge(seller, use.id, 5);
  const refund = await seller.call('POST', '/api/prepaid-balances/refund', { prepaidKey });
  expect(refund.body.refund.amount).toBe(31);
  const repeated = await wallet.asOperator('POST', '/api/prepaid-balances/refund', { prepaidKey });
  expect(repeated.body.refund).toEqual(refund.body.refund);
});
