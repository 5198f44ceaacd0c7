import { describe, expect, it } from 'vitest';
import { createReceiveStore } from '../../src/renderer/src/features/wallet/receive/receive-store.ts';
import { createTokenQueue } from '../../src/renderer/src/features/wallet/receive/token-queue.ts';

const make = () => {
  const store = createReceiveStore(() => 'key');
  return { store, queue: createTokenQueue(store) };
};

describe('createTokenQueue', () => {
  it('fills in an empty field, and keeps what is typed', () => {
    const { store, queue } = make();
    queue.add({ token: 'cashuBone' });
    expect([store.get().text, queue.first()]).toEqual(['cashuBone', null]);
    store.type('typed');
    queue.add({ token: 'cashuBtwo' });
    expect([store.get().text, queue.first()]).toEqual(['typed', { token: 'cashuBtwo' }]);
  });

  it('offers one token after another, and none of them twice', () => {
    const { store, queue } = make();
    for (const token of ['cashuBone', 'cashuBtwo', 'cashuBthree', 'cashuBtwo', 'cashuBone'])
      queue.add({ token });
    expect([store.get().text, queue.first()]).toEqual(['cashuBone', { token: 'cashuBtwo' }]);
    queue.next();
    expect([store.get().text, queue.first()]).toEqual(['cashuBtwo', { token: 'cashuBthree' }]);
    queue.next();
    expect([store.get().text, queue.first()]).toEqual(['cashuBthree', null]);
  });

  it('keeps a token waiting while another one is being received', () => {
    const { store, queue } = make();
    queue.add({ token: 'cashuBone' });
    store.begin();
    queue.add({ token: 'cashuBtwo' });
    queue.next();
    expect([store.get().text, queue.first()]).toEqual(['cashuBone', { token: 'cashuBtwo' }]);
    store.received('cashuBone', { amount: 1, fee: 0 });
    queue.next();
    expect([store.get().text, queue.first()]).toEqual(['cashuBtwo', null]);
  });

  it('keeps what is dropped or pasted while a token is being received, whether that one is received or refused', () => {
    const { store, queue } = make();
    queue.type('cashu:cashuBone');
    expect([store.get().text, queue.first()]).toEqual(['cashu:cashuBone', null]);
    store.begin();
    for (const text of ['cashuBone', 'cashu:cashuBtwo\n', ' \n', 'cashuBthree', 'cashuBtwo'])
      queue.type(text);
    store.received('cashuBone', { amount: 1, fee: 0 });
    expect([store.get().text, queue.first()]).toEqual(['', { token: 'cashuBtwo' }]);
    queue.next();
    store.begin();
    queue.type('cashuBfour');
    store.refused('cashuBtwo', { code: 'token_spent', message: 'No.', status: 409, details: undefined });
    expect([store.get().text, queue.first()]).toEqual(['cashuBtwo', { token: 'cashuBthree' }]);
    queue.next();
    queue.next();
    expect([store.get().text, queue.first()]).toEqual(['cashuBfour', null]);
    queue.type('typed over it');
    expect([store.get().text, queue.first()]).toEqual(['typed over it', null]);
  });

  it('keeps each of several tokens that are pasted while another one is being received', () => {
    const { store, queue } = make();
    queue.type('cashuBone');
    store.begin();
    queue.type('cashuBtwo\ncashuBthree\n');
    store.received('cashuBone', { amount: 1, fee: 0 });
    queue.next();
    expect([store.get().text, queue.first()]).toEqual(['cashuBtwo', { token: 'cashuBthree' }]);
  });

  it('shows a problem until the next link arrives or it is dismissed, and loses no token meanwhile', () => {
    const { store, queue } = make();
    store.type('typed');
    queue.add({ problem: 'wrongScheme' });
    expect(queue.first()).toEqual({ problem: 'wrongScheme' });
    queue.add({ problem: 'tooLong' });
    expect(queue.first()).toEqual({ problem: 'tooLong' });
    queue.next();
    expect(queue.first()).toBeNull();
    queue.add({ token: 'cashuBone' });
    queue.add({ problem: 'tooLong' });
    queue.next();
    expect([store.get().text, queue.first()]).toEqual(['cashuBone', { problem: 'tooLong' }]);
  });
});
