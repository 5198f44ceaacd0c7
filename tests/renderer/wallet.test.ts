import { describe, expect, it } from 'vitest';
import { pickPositions } from '../../src/renderer/src/features/wallet/backup/mnemonic.ts';
import { outcomeOf } from '../../src/renderer/src/features/wallet/check-proofs.ts';
import {
  dayOf,
  directionOf,
  fateOf,
  startsDay,
  titleOf,
} from '../../src/renderer/src/features/wallet/history/history-entry.ts';
import { linePoints } from '../../src/renderer/src/money/balance-chart.tsx';
import { wallet } from '../../src/renderer/src/strings/wallet.ts';
import { ERRORS } from '../../src/shared/api/errors.ts';
import {
  type Balance,
  INVALID_REASONS,
  OPERATION_KINDS,
  OPERATION_STATES,
  REASON_CODES,
} from '../../src/shared/api/wallet.ts';
import { hostOf, isMintUrl } from '../../src/shared/mint-url.ts';

describe('isMintUrl', () => {
  it('accepts web addresses only, as MINT_URL does', () => {
    expect(['https://mint.example/Bitcoin', 'http://127.0.0.1:3338'].filter(isMintUrl)).toHaveLength(2);
    const wrong = [
      'nonsense',
      '',
      'ftp://mint.example',
      'https://a:b@mint.example',
      'https://mint.example/?x',
    ];
    expect(wrong.filter(isMintUrl)).toEqual([]);
  });
});

describe('titleOf', () => {
  const charge = { id: 'c', state: 'settled' } as const;
  it.each([
    [{ kind: 'receive' }, 'Receive'],
    [{ kind: 'receive', charge }, 'Sale'],
    [{ kind: 'receive', charge, label: 'translation' }, 'Sale · translation'],
    [{ kind: 'send', charge, label: 'translation' }, 'Change from a sale'],
    [{ kind: 'send', charge: { id: 'c', state: 'refunded' } }, 'Refund of a sale'],
    [{ kind: 'send', label: 'translation' }, 'Send'],
  ] as const)('calls %o “%s”', (entry, title) => {
    expect(titleOf(entry)).toBe(title);
  });
});

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

describe('the outcome of a check', () => {
  const holding = (balance: number, unconfirmed?: number): Balance => ({
    balance,
    pending: 0,
    mint: 'https://mint.example',
    unit: 'sat',
    devMode: false,
    seed: 'present',
    ...(unconfirmed === undefined ? {} : { unconfirmed }),
  });
  it.each([
    ['all back in the balance', holding(60, 40), holding(100), 'The mint confirmed all sats.'],
    ['nothing to confirm', holding(60), holding(60), 'The mint confirmed all sats.'],
    ['some left', holding(60, 40), holding(92, 8), 'The mint still hasn’t confirmed 8 sat.'],
    ['more than before', holding(60, 40), holding(28, 72), 'The mint still hasn’t confirmed 72 sat.'],
    ['spent elsewhere', holding(60, 40), holding(60), 'The history shows any that were spent elsewhere.'],
    ['a part spent', holding(60, 40), holding(92), 'The history shows any that were spent elsewhere.'],
  ])('%s', (_, before, after, sentence) => {
    expect(outcomeOf(before, after)).toContain(sentence);
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

  it('name every kind of an operation, and the states that are exceptions', () => {
    for (const kind of OPERATION_KINDS) expect(words.history.kinds[kind]).toBeTruthy();
    // What nobody asked for is explained.
    for (const kind of ['swap', 'recovered', 'spent_elsewhere'] satisfies (typeof OPERATION_KINDS)[number][])
      expect(words.history.kindHints[kind]).toMatch(/\.$/);
    expect(OPERATION_STATES.filter((state) => !(state in words.history.states))).toEqual(['completed']);
  });
});

describe('the days of the history', () => {
  const today = new Date(2026, 10, 23).getTime();
  it.each([
    [new Date(2026, 10, 23, 23, 59), 'Today'],
    [new Date(2026, 10, 24, 9), 'Today'],
    [new Date(2026, 10, 22, 0, 0), 'Yesterday'],
    [new Date(2026, 10, 21, 23, 59), 'Saturday, November 21'],
    [new Date(2025, 11, 31, 12), 'December 31, 2025'],
  ])('%s is %s', (at, name) => {
    expect(dayOf(at.getTime(), today)).toBe(name);
  });

  it('a day starts with its first entry in the list', () => {
    const entries = [
      [23, 14],
      [23, 9],
      [22, 23],
    ].map(([day = 0, hour = 0]) => ({ createdAt: new Date(2026, 10, day, hour).toISOString() }));
    expect(entries.map((_, index) => startsDay(entries, index))).toEqual([true, false, true]);
  });
});

it('the chart of the balance rises to the right for a growing balance, and is level for a constant one', () => {
  expect(linePoints([0, 50, 100])).toBe('2,42 88,22 174,2');
  expect(linePoints([7, 7])).toBe('2,22 174,22');
});

it('asks for three different words in ascending order, also with a random source at its ends', () => {
  for (const random of [() => 0, () => 0.999_999, Math.random]) {
    const picked = pickPositions(12, random);
    expect(new Set(picked).size).toBe(3);
    expect(picked).toEqual(picked.toSorted((a, b) => a - b));
    expect(picked.every((position) => position >= 1 && position <= 12)).toBe(true);
  }
});
