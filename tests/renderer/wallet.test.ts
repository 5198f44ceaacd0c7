import { describe, expect, it } from 'vitest';
import { directionOf, fateOf } from '../../src/renderer/src/features/wallet/history/history-entry.ts';
import { hostOf } from '../../src/renderer/src/features/wallet/mint-url.ts';
import { wallet } from '../../src/renderer/src/strings/wallet.ts';
import { ERRORS } from '../../src/shared/api/errors.ts';
import {
  INVALID_REASONS,
  OPERATION_KINDS,
  OPERATION_STATES,
  REASON_CODES,
} from '../../src/shared/api/wallet.ts';

describe('directionOf', () => {
  it.each([
    ['receive', 'completed', 'in'],
    ['receive', 'pending', 'in'],
    ['reclaim', 'completed', 'in'],
    ['restore', 'completed', 'in'],
    ['send', 'completed', 'out'],
    ['send', 'pending', 'out'],
    ['swap', 'completed', 'none'],
    ['recovered', 'completed', 'in'],
    ['spent_elsewhere', 'completed', 'out'],
  ] as const)('a %s that is %s goes %s', (kind, state, direction) => {
    expect(directionOf({ kind, state })).toBe(direction);
  });

  it.each(OPERATION_KINDS)('a failed %s moved nothing', (kind) => {
    expect(directionOf({ kind, state: 'failed' })).toBe('none');
  });
});

describe('fateOf', () => {
  const send = { kind: 'send', state: 'completed' } as const;
  it.each([
    [{ ...send, spent: false }, 'unspent'],
    [{ ...send, spent: true }, 'redeemed'],
    [{ ...send, spent: true, reclaimed: true }, 'reclaimed'],
    [send, null],
    [{ ...send, state: 'pending', spent: false }, null],
    [{ kind: 'receive', state: 'completed', spent: true }, null],
  ] as const)('of %j is %s', (entry, fate) => {
    expect(fateOf(entry)).toBe(fate);
  });
});

describe('hostOf', () => {
  it.each([
    ['https://mint.minibits.cash/Bitcoin', 'mint.minibits.cash'],
    ['http://127.0.0.1:3338', '127.0.0.1:3338'],
    // A lookalike shows itself.
    ['https://mínt.example', 'xn--mnt-rma.example'],
    ['no address', 'no address'],
    ['mailto:someone', 'mailto:someone'],
    ['', ''],
  ])('of %s is %s', (url, host) => {
    expect(hostOf(url)).toBe(host);
  });
});

describe('the texts of the wallet', () => {
  const words = wallet;

  it('write amounts whole, with separators', () => {
    expect(words.sats(1234)).toBe('1,234 sat');
    expect(words.sats(2_099_999_997_690_000)).toBe('2,099,999,997,690,000 sat');
    expect(words.balance.pending(21)).toBe('+ 21 sat pending');
    expect(words.receive.done(100, 1)).toBe('Received 100 sat, fee 1 sat');
    expect(words.receive.done(100, undefined)).toBe('Received 100 sat');
    expect(words.receive.done(undefined, undefined)).toBe('Received');
  });

  it.each(INVALID_REASONS)('say what to do about a token that is %s', (reason) => {
    expect(ERRORS[REASON_CODES[reason]].advice).toMatch(/\.$/);
  });

  it('name every kind and state of an operation', () => {
    for (const kind of OPERATION_KINDS) expect(words.history.kinds[kind]).toBeTruthy();
    for (const kind of OPERATION_KINDS) expect(words.history.kindHints[kind]).toMatch(/\.$/);
    for (const state of OPERATION_STATES) expect(words.history.states[state]).toBeTruthy();
  });
});
