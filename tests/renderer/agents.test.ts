import { describe, expect, it } from 'vitest';
import { freeCopyId } from '../../src/renderer/src/features/agents/use-agents.ts';
import { matcher } from '../../src/renderer/src/ui/matches.ts';
import { isAgentId } from '../../src/shared/api/names.ts';

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

describe('matcher', () => {
  it('finds every word in any of the texts, whatever the case', () => {
    const matches = matcher('  GIT branch ');
    expect(matches('git-summary', 'Summarise a branch.')).toBe(true);
    expect(matches('git-summary', undefined)).toBe(false);
    expect(matcher(' ')()).toBe(true);
  });
});
