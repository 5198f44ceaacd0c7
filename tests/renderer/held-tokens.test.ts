import { afterEach, expect, it } from 'vitest';
import { followLinks, handLink } from '../../src/renderer/src/commands/opened-links.ts';
import { holdsTokens } from '../../src/renderer/src/features/wallet/held-tokens.ts';
import { tokenDesk } from '../../src/renderer/src/features/wallet/token-desk.ts';
import { tokenQueue } from '../../src/renderer/src/features/wallet/token-queue.ts';
import { releasedToken } from '../../src/renderer/src/features/wallet/use-release.ts';

afterEach(() => {
  while (tokenQueue.first()) tokenQueue.next();
  tokenDesk.type('');
});

it('a token in the field is held until the wallet has it', () => {
  expect(holdsTokens()).toBe(false);
  tokenDesk.type(' \n');
  expect(holdsTokens()).toBe(false);
  tokenDesk.type('cashuAone');
  expect(holdsTokens()).toBe(true);
  tokenDesk.begin();
  expect(holdsTokens()).toBe(true);
  const details = { error: 'Wait.', code: 'redemption_pending' as const, operationId: 'o1' };
  tokenDesk.refused('cashuAone', { code: 'redemption_pending', message: 'Wait.', status: 202, details });
  expect(holdsTokens()).toBe(false);
  tokenDesk.ended('o1', { code: 'token_spent', message: 'Spent.' });
  expect(holdsTokens()).toBe(true);
});

it('a token that waits behind another is held, why a link was not taken is none', () => {
  tokenQueue.add({ problem: 'tooLong' });
  expect(holdsTokens()).toBe(false);
  tokenDesk.type('cashuAone');
  tokenQueue.add({ token: 'cashuAtwo' });
  tokenDesk.type('');
  expect(holdsTokens()).toBe(true);
});

it('a link that the wallet did not take yet is held', () => {
  handLink('cashu:cashuAone');
  expect(holdsTokens()).toBe(true);
  followLinks(() => undefined)();
  expect(holdsTokens()).toBe(false);
});

it('a released token is held until it is put away', () => {
  releasedToken.set({ operationId: 'o1', token: 'cashuAone', amount: 1, inWallet: false });
  expect(holdsTokens()).toBe(true);
  releasedToken.set(null);
  expect(holdsTokens()).toBe(false);
});
