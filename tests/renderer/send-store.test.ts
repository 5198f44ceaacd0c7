import { describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../src/renderer/src/api/client.ts';
import type { SendIntent } from '../../src/renderer/src/features/wallet/send/persisted-send.ts';
import { createSendStore } from '../../src/renderer/src/features/wallet/send/send-store.ts';
import { readSendInput } from '../../src/renderer/src/features/wallet/send/use-send.ts';
import type { SessionStore } from '../../src/renderer/src/session-store.ts';
import type { ErrorCode } from '../../src/shared/api/errors.ts';
import type { Problem } from '../../src/shared/api/problem.ts';
import { makeSessionStore } from '../support/session-store.ts';

const makeDesk = (storage?: SessionStore) => {
  let count = 0;
  return createSendStore(() => `key${++count}`, storage);
};
type Desk = ReturnType<typeof makeDesk>;

const refusal = (status: number, code: ErrorCode, more: Partial<Problem> = {}): ApiError =>
  new ApiError(status, code, 'No.', { error: 'No.', code, ...more });
const offline = new ApiError(0, 'offline', 'Nothing answers.');
const SENT = { token: 'cashuBx', amount: 5, fee: 1, operationId: 'one' };
const begin = (store: Desk, amount = 5, memo = '') => {
  const intent = store.begin(amount, memo);
  if (!intent) throw new Error('busy');
  return intent;
};

describe('createSendStore', () => {
  it('starts nothing twice, and accepts no other text meanwhile', () => {
    const store = makeDesk();
    store.type({ amount: '5' });
    expect(store.begin(5, '')).toEqual({ amount: 5, memo: '', key: 'key1' });
    expect(store.begin(5, '')).toBeNull();
    store.type({ amount: '6' });
    expect(store.get()).toMatchObject({ amount: '5', stage: { kind: 'sending' } });
  });

  it('keeps the key after a lost answer, also when something else was typed in between', () => {
    const store = makeDesk();
    store.refused(begin(store), offline);
    expect(store.get().stage).toMatchObject({ kind: 'refused', code: 'offline' });
    store.type({ amount: '7' });
    expect(store.get().stage).toEqual({ kind: 'idle' });
    store.refused(begin(store, 7), refusal(503, 'mint_unreachable'));
    expect(begin(store).key).toBe('key1');
  });

  it('uses a new key after a definite answer, and for another memo', () => {
    const store = makeDesk();
    store.refused(begin(store), refusal(422, 'insufficient_funds'));
    const second = begin(store);
    expect(second.key).toBe('key2');
    store.sent(second, SENT);
    expect(store.get()).toEqual({ amount: '', memo: '', stage: { kind: 'sent', sent: SENT } });
    expect(begin(store, 5, 'again').key).toBe('key3');
  });

  it('follows a pending send with its key to its token', () => {
    const store = makeDesk();
    const intent = begin(store);
    store.refused(intent, refusal(503, 'send_pending', { operationId: 'one' }));
    expect(store.get().stage).toEqual({ kind: 'pending', operationId: 'one', intent });
    expect(store.begin(5, '')).toBeNull();
    store.sent(intent, SENT);
    expect(store.get().stage).toEqual({ kind: 'sent', sent: SENT });
    store.clear();
    expect(begin(store).key).toBe('key2');
  });

  it('says why a pending send failed, and gives the next one a new key', () => {
    const store = makeDesk();
    const intent = begin(store);
    store.refused(intent, refusal(503, 'send_pending', { operationId: 'one' }));
    store.failed(intent, { code: 'mint_refused', message: 'Closed.' });
    expect(store.get().stage).toEqual({ kind: 'refused', code: 'mint_refused', message: 'Closed.' });
    expect(begin(store).key).toBe('key2');
  });

  it('keeps following a pending send after a reload of the page, to its token', () => {
    const storage = makeSessionStore();
    const store = makeDesk(storage);
    const intent = begin(store, 5, 'for tea');
    store.refused(intent, refusal(503, 'send_pending', { operationId: 'one' }));
    const reloaded = makeDesk(storage);
    expect(reloaded.get()).toEqual({
      amount: '5',
      memo: 'for tea',
      stage: { kind: 'pending', operationId: 'one', intent },
    });
    expect(reloaded.begin(5, 'for tea')).toBeNull();
    reloaded.sent(intent, SENT);
    // SECURITY: nothing of a token is kept.
    expect(storage.size).toBe(0);
    expect(makeDesk(storage).get().stage).toEqual({ kind: 'idle' });
  });

  it.each([
    ['no answer came before', () => {}],
    ['the answer was lost before', (store: Desk, intent: SendIntent) => store.refused(intent, offline)],
  ])('sends nothing automatically after a reload when %s, and retries with the same key', (_, meanwhile) => {
    const storage = makeSessionStore();
    const store = makeDesk(storage);
    meanwhile(store, begin(store));
    const reloaded = makeDesk(storage);
    expect(reloaded.get()).toEqual({ amount: '5', memo: '', stage: { kind: 'idle' } });
    expect(begin(reloaded).key).toBe('key1');
  });

  it('starts empty after a refusal, and if the stored send cannot be read', () => {
    const storage = makeSessionStore();
    const store = makeDesk(storage);
    store.refused(begin(store), refusal(422, 'insufficient_funds'));
    expect(storage.size).toBe(0);
    const empty = { amount: '', memo: '', stage: { kind: 'idle' } };
    for (const kept of ['{', '{"amount":-1}', 'null']) {
      storage.setItem('dot-mi.unfinished-send', kept);
      expect(makeDesk(storage).get()).toEqual(empty);
    }
  });

  it('keeps the token while the next send is typed, and notifies its listeners', () => {
    const store = makeDesk();
    const told = vi.fn();
    const stop = store.subscribe(told);
    store.sent(begin(store), SENT);
    store.type({ amount: '9' });
    expect(store.get()).toMatchObject({ amount: '9', stage: { kind: 'sent' } });
    expect(told).toHaveBeenCalledTimes(3);
    stop();
    store.clear();
    expect(told).toHaveBeenCalledTimes(3);
  });
});

describe('readSendInput', () => {
  it.each([
    ['', '', { status: 'empty' }],
    ['1', ' a ', { status: 'ok', amount: 1, memo: 'a' }],
    ['1,000', '', { status: 'ok', amount: 1000, memo: '' }],
    ['1001', '', { status: 'wrong', amount: 'tooMuch', memo: undefined }],
    ['2,100,000,000,000,000', '', { status: 'wrong', amount: 'tooMuch', memo: undefined }],
    ['9007199254740993', '', { status: 'wrong', amount: 'notWhole', memo: undefined }],
    ['0', '', { status: 'wrong', amount: 'notWhole', memo: undefined }],
    ['1.5', '', { status: 'wrong', amount: 'notWhole', memo: undefined }],
    // Where a comma begins the decimals, that is not 15.
    ['1,5', '', { status: 'wrong', amount: 'notWhole', memo: undefined }],
    ['-1', '', { status: 'wrong', amount: 'notWhole', memo: undefined }],
    ['', 'x'.repeat(1001), { status: 'wrong', amount: undefined, memo: 'memoTooLong' }],
  ] as const)('reads “%s” and a memo', (amount, memo, expected) => {
    expect(readSendInput({ amount, memo }, 1000)).toEqual(expected);
  });
});
