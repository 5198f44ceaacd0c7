import { describe, expect, it } from 'vitest';
import { createLinkQueue } from '../../src/renderer/src/features/wallet/link-queue.ts';
import { createTokenDesk } from '../../src/renderer/src/features/wallet/token-desk.ts';

const make = () => {
  const desk = createTokenDesk(() => 'key');
  return { desk, queue: createLinkQueue(desk) };
};

describe('createLinkQueue', () => {
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
