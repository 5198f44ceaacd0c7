import { describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../src/renderer/src/api/client.ts';
import { createUnsaved } from '../../src/renderer/src/drafts/unsaved.ts';
import { createSendStore, type SendIntent } from '../../src/renderer/src/features/wallet/send/send-store.ts';
import { readSendInput } from '../../src/renderer/src/features/wallet/send/use-send.ts';
import type { ErrorCode } from '../../src/shared/api/errors.ts';
import type { Problem } from '../../src/shared/api/problem.ts';
import type { HistoryEntry } from '../../src/shared/api/wallet.ts';
import { makeSessionStore } from '../support/session-store.ts';

const makeDesk = (storage = makeSessionStore()) => {
  let count = 0;
  return createSendStore(() => `key${++count}`, createUnsaved(storage));
};
type Desk = ReturnType<typeof makeDesk>;

const refusal = (status: number, code: ErrorCode, more: Partial<Problem> = {}): ApiError =>
  new ApiError(status, code, 'No.', { error: 'No.', code, ...more });
const offline = new ApiError(0, 'offline', 'Nothing answers.');
const SENT = { token: 'cashuBx', amount: 5, fee: 1, operationId: 'one' };
const ENTRY: HistoryEntry = {
  id: 'one',
  kind: 'send',
  state: 'completed',
  amount: 5,
  fee: 1,
  token: 'cashuBx',
  createdAt: '2026-01-02T03:04:05.000Z',
  updatedAt: '2026-01-02T03:04:06.000Z',
};
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

  it('starts no other send until the history settles one whose response was lost', () => {
    const store = makeDesk();
    const first = begin(store, 21);
    store.refused(first, offline);
    expect(store.get().stage).toMatchObject({ kind: 'unsure', intent: first });
    store.type({ amount: '5' });
    expect([store.begin(5, ''), store.begin(21, '')]).toEqual([null, null]);
    store.settled(first, ENTRY);
    const found = { token: 'cashuBx', amount: 5, fee: 1, operationId: 'one' };
    const sent = { ...found, replayed: true, createdAt: ENTRY.createdAt };
    expect(store.get()).toEqual({ amount: '', memo: '', stage: { kind: 'sent', sent } });
    // The same content again is another send, which gets a token of its own.
    store.sent(begin(store), SENT);
    expect(begin(store, 21).key).toBe('key3');
    // An answer about an earlier send changes nothing.
    store.settled(first, ENTRY);
    expect(store.get().stage).toEqual({ kind: 'sending' });
  });

  it.each([
    ['no entry, so it never arrived', undefined, offline, { kind: 'refused', code: 'not_made' }],
    [
      'no entry, and the wallet had said why',
      undefined,
      refusal(503, 'mint_unreachable'),
      { kind: 'refused', code: 'mint_unreachable', message: 'No.' },
    ],
    ['a pending entry', { state: 'pending' }, offline, { kind: 'pending', operationId: 'one' }],
    [
      'a failed entry',
      { state: 'failed', error: { code: 'mint_refused', error: 'Closed.' } },
      offline,
      { kind: 'refused', code: 'mint_refused', message: 'Closed.' },
    ],
  ] as const)('settles a lost answer by %s', (_, entry, error, stage) => {
    const store = makeDesk();
    store.type({ amount: '5' });
    const intent = begin(store);
    store.refused(intent, error);
    store.settled(intent, entry && { ...ENTRY, ...entry });
    expect(store.get()).toMatchObject({ amount: '5', stage });
  });

  it('uses a new key after a definite response, and for another memo', () => {
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
  ])('settles a send after a reload when %s', (_, meanwhile) => {
    const storage = makeSessionStore();
    const store = makeDesk(storage);
    const intent = begin(store);
    meanwhile(store, intent);
    const reloaded = makeDesk(storage);
    const stage = { kind: 'unsure', intent, refusal: null };
    expect(reloaded.get()).toEqual({ amount: '5', memo: '', stage });
    expect(reloaded.begin(5, '')).toBeNull();
    reloaded.settled(intent, undefined);
    expect(reloaded.get()).toMatchObject({ amount: '5', stage: { kind: 'refused', code: 'not_made' } });
    // What was typed stays, and nobody asks about the send again.
    expect(makeDesk(storage).get()).toEqual({ amount: '5', memo: '', stage: { kind: 'idle' } });
  });

  it('starts empty after a refusal, and if another build stored the send', () => {
    const storage = makeSessionStore();
    const store = makeDesk(storage);
    store.refused(begin(store), refusal(422, 'insufficient_funds'));
    expect(storage.size).toBe(0);
    begin(store);
    const stored = storage.getItem('dot-mi.unsaved') ?? '';
    expect(makeDesk(storage).get().stage.kind).toBe('unsure');
    storage.setItem('dot-mi.unsaved', stored.replace('"build":"', '"build":"another '));
    expect(makeDesk(storage).get()).toEqual({ amount: '', memo: '', stage: { kind: 'idle' } });
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
