import { describe, expect, it } from 'vitest';
import { freeCopyId, neighborOf } from '../../src/renderer/src/features/agents/use-agents.ts';
import { matcher } from '../../src/renderer/src/ui/matches.ts';
import { isAgentId, nextFreeId } from '../../src/shared/api/names.ts';

describe('freeCopyId', () => {
  it('uses the first free number', () => {
    expect(freeCopyId('scout', new Set())).toBe('scout-copy');
    expect(freeCopyId('scout', new Set(['scout-copy', 'scout-copy-2']))).toBe('scout-copy-3');
  });

  it('stays a valid id when the original has the maximum length', () => {
    const id = 'x'.repeat(64);
    const copy = freeCopyId(id, new Set([`${'x'.repeat(59)}-copy`]));
    expect([copy.length, isAgentId(copy)]).toEqual([64, true]);
  });
});

describe('nextFreeId', () => {
  it('counts on from 2, and stays a valid id', () => {
    expect(nextFreeId('scout', new Set(['scout']))).toBe('scout-2');
    expect(nextFreeId('scout', new Set(['scout', 'scout-2', 'scout-3']))).toBe('scout-4');
    const next = nextFreeId('x'.repeat(64), new Set());
    expect([next.length, isAgentId(next)]).toEqual([64, true]);
  });
});

describe('matcher', () => {
  it('finds every word in any of the texts, whatever the case', () => {
    const matches = matcher('  GIT branch ');
    expect(matches('git-summary', 'Summarise a branch.')).toBe(true);
    expect(matches('git-summary', undefined)).toBe(false);
    expect(matcher(' ')()).toBe(true);
  });
});

describe('neighborOf', () => {
  it('is the agent after the deleted ones, or else the one before them', () => {
    const ids = ['a', 'b', 'c', 'd'];
    const next = (...deleted: string[]) => neighborOf(ids, new Set(deleted));
    expect([next('b'), next('b', 'c'), next('d'), next('c', 'd'), next('a', 'd')]).toEqual([
      'c',
      'd',
      'c',
      'b',
      'b',
    ]);
    expect(next(...ids)).toBeNull();
    expect(next('gone')).toBeNull();
  });
});
