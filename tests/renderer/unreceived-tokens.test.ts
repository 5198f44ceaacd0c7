import { afterEach, expect, it } from 'vitest';
import { unsaved } from '../../src/renderer/src/drafts/unsaved.ts';
import {
  keepReleased,
  releasedToken,
} from '../../src/renderer/src/features/wallet/history/released-token.ts';
import { receiveStore } from '../../src/renderer/src/features/wallet/receive/receive-store.ts';
import { tokenQueue } from '../../src/renderer/src/features/wallet/receive/token-queue.ts';
import { holdsTokens } from '../../src/renderer/src/features/wallet/receive/unreceived-tokens.ts';
import { followLinks, handLink } from '../../src/renderer/src/shell/intents.ts';

afterEach(() => {
  while (tokenQueue.first()) tokenQueue.next();
  receiveStore.type('');
});

it('a token in the field is held until the wallet has it', () => {
  expect(holdsTokens()).toBe(false);
  receiveStore.type(' \n');
  expect(holdsTokens()).toBe(false);
  receiveStore.type('cashuAone');
  expect(holdsTokens()).toBe(true);
  receiveStore.begin();
  expect(holdsTokens()).toBe(true);
  const details = { error: 'Wait.', code: 'redemption_pending' as const, operationId: 'o1' };
  receiveStore.refused('cashuAone', { code: 'redemption_pending', message: 'Wait.', status: 202, details });
  expect(holdsTokens()).toBe(false);
  receiveStore.ended('o1', { code: 'token_spent', message: 'Spent.' });
  expect(holdsTokens()).toBe(true);
});

it('leaving loses a token only if the text is a whole one, and text otherwise', () => {
  const whole = `cashuA${btoa(JSON.stringify({ token: [] }))}`;
  const losses = [whole, whole.slice(0, -4), 'cashuA-not-a-token', 'hello'].map((text) => {
    receiveStore.type(text);
    return unsaved.losses();
  });
  expect(losses).toEqual([['token'], ['text'], ['text'], []]);
});

it('text that isn’t a token is not held, nor is a token that this wallet received', () => {
  receiveStore.type('hello');
  expect(holdsTokens()).toBe(false);
  receiveStore.type('cashuAmine');
  expect(holdsTokens()).toBe(true);
  receiveStore.owns('cashuAmine');
  expect(holdsTokens()).toBe(false);
  receiveStore.type('cashuAmine\ncashuAother');
  expect(holdsTokens()).toBe(true);
  receiveStore.type('cashuAagain');
  receiveStore.begin();
  receiveStore.refused('cashuAagain', {
    code: 'token_spent',
    message: 'Spent.',
    status: 409,
    details: {
      error: 'Spent.',
      code: 'token_spent',
      operationId: 'o2',
      receivedAt: '2026-11-20T10:00:00.000Z',
    },
  });
  expect(holdsTokens()).toBe(false);
});

it('a token that waits behind another is held, and the reason why a link was refused isn’t', () => {
  tokenQueue.add({ problem: 'tooLong' });
  expect(holdsTokens()).toBe(false);
  receiveStore.type('cashuAone');
  tokenQueue.add({ token: 'cashuAtwo' });
  receiveStore.type('');
  expect(holdsTokens()).toBe(true);
});

it('a link that the wallet has not consumed yet is held', () => {
  handLink('cashu:cashuAone');
  expect(holdsTokens()).toBe(true);
  followLinks(() => undefined)();
  expect(holdsTokens()).toBe(false);
});

it('a released token is held until it is dismissed', () => {
  expect(keepReleased({ operationId: 'o1', token: 'cashuAone', amount: 1, inWallet: false })).toBe(true);
  expect(holdsTokens()).toBe(true);
  releasedToken.set(null);
  expect(holdsTokens()).toBe(false);
});

it('a released send leaves no token in the page, because its sats are back in the wallet', () => {
  expect(keepReleased({ operationId: 'o2', amount: 64, inWallet: true })).toBe(false);
  expect(releasedToken.get()).toBeNull();
  expect(holdsTokens()).toBe(false);
});
