import { describe, expect, it } from 'vitest';
import { createTokenDesk } from '../../src/renderer/src/features/wallet/token-desk.ts';
import { createTokenQueue } from '../../src/renderer/src/features/wallet/token-queue.ts';

const make = () => {
  const desk = createTokenDesk(() => 'key');
  return { desk, queue: createTokenQueue(desk) };
};

describe('createTokenQueue', () => {
  it('fills a free field in, and leaves what is typed', () => {
    const { desk, queue } = make();
    queue.add({ token: 'cashuBone' });
    expect([desk.get().text, queue.first()]).toEqual(['cashuBone', null]);
    desk.type('typed');
    queue.add({ token: 'cashuBtwo' });
    expect([desk.get().text, queue.first()]).toEqual(['typed', { token: 'cashuBtwo' }]);
  });

  it('offers one token after the other, and none of them twice', () => {
    const { desk, queue } = make();
    for (const token of ['cashuBone', 'cashuBtwo', 'cashuBthree', 'cashuBtwo', 'cashuBone'])
      queue.add({ token });
    expect([desk.get().text, queue.first()]).toEqual(['cashuBone', { token: 'cashuBtwo' }]);
    queue.next();
    expect([desk.get().text, queue.first()]).toEqual(['cashuBtwo', { token: 'cashuBthree' }]);
    queue.next();
    expect([desk.get().text, queue.first()]).toEqual(['cashuBthree', null]);
  });

  it('keeps a token waiting while another one is on its way', () => {
    const { desk, queue } = make();
    queue.add({ token: 'cashuBone' });
    desk.begin();
    queue.add({ token: 'cashuBtwo' });
    queue.next();
    expect([desk.get().text, queue.first()]).toEqual(['cashuBone', { token: 'cashuBtwo' }]);
    desk.received('cashuBone', { amount: 1, fee: 0 });
    queue.next();
    expect([desk.get().text, queue.first()]).toEqual(['cashuBtwo', null]);
  });

  it('keeps what is dropped or pasted while a token is on its way, whether that one is received or refused', () => {
    const { desk, queue } = make();
    queue.type('cashu:cashuBone');
    expect([desk.get().text, queue.first()]).toEqual(['cashu:cashuBone', null]);
    desk.begin();
    for (const text of ['cashuBone', 'cashu:cashuBtwo\n', ' \n', 'cashuBthree', 'cashuBtwo'])
      queue.type(text);
    desk.received('cashuBone', { amount: 1, fee: 0 });
    expect([desk.get().text, queue.first()]).toEqual(['', { token: 'cashuBtwo' }]);
    queue.next();
    desk.begin();
    queue.type('cashuBfour');
    desk.refused('cashuBtwo', { code: 'token_spent', message: 'No.', status: 409, details: undefined });
    expect([desk.get().text, queue.first()]).toEqual(['cashuBtwo', { token: 'cashuBthree' }]);
    queue.next();
    queue.next();
    expect([desk.get().text, queue.first()]).toEqual(['cashuBfour', null]);
    queue.type('typed over it');
    expect([desk.get().text, queue.first()]).toEqual(['typed over it', null]);
  });

  it('says a problem until the next link comes or it is dismissed, and loses no token for it', () => {
    const { desk, queue } = make();
    desk.type('typed');
    queue.add({ problem: 'wrongScheme' });
    expect(queue.first()).toEqual({ problem: 'wrongScheme' });
    queue.add({ problem: 'tooLong' });
    expect(queue.first()).toEqual({ problem: 'tooLong' });
    queue.next();
    expect(queue.first()).toBeNull();
    queue.add({ token: 'cashuBone' });
    queue.add({ problem: 'tooLong' });
    queue.next();
    expect([desk.get().text, queue.first()]).toEqual(['cashuBone', { problem: 'tooLong' }]);
  });
});
