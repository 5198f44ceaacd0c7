import { describe, expect, it } from 'vitest';
import { linkState, offersOf } from '../../src/renderer/src/features/links/use-links.ts';
import type { LinkEntry } from '../../src/shared/api/links.ts';

const entry = (name: string, rest: Partial<LinkEntry>): LinkEntry => ({
  name,
  kind: 'symlink',
  linksToShared: false,
  broken: false,
  ...rest,
});

describe('linkState', () => {
  it.each([
    ['shared', { linksToShared: true }],
    ['elsewhere', {}],
    ['broken', { broken: true }],
    ['local', { kind: 'directory' }],
    ['local', { kind: 'file' }],
  ] as const)('calls it %s when it is %j', (state, rest) => {
    expect(linkState(entry('x', rest))).toBe(state);
  });
});

describe('offersOf', () => {
  it('offers entries that are not linked, and says what already has the names of the others', () => {
    const catalog = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name }));
    const entries = [
      entry('a', { linksToShared: true }),
      entry('b', { kind: 'directory' }),
      entry('c', { broken: true }),
      entry('d', {}),
      entry('other', {}),
    ];
    expect(offersOf(catalog, entries)).toEqual([
      { shared: { name: 'b' }, takenBy: 'local' },
      { shared: { name: 'c' }, takenBy: 'broken' },
      { shared: { name: 'd' }, takenBy: 'elsewhere' },
      { shared: { name: 'e' }, takenBy: null },
    ]);
  });
});
