import { describe, expect, it } from 'vitest';
import { agentIdProblem } from '../../src/renderer/src/features/agents/agent-id-problem.ts';
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

describe('agentIdProblem', () => {
  it.each([
    ['Blue Otter', 'An id can’t have spaces. Try “blue-otter”.'],
    ['scout ', 'An id can’t have spaces. Try “scout”.'],
    ['Café/Bot!', 'An id can’t have “é”. Try “cafe-bot”.'],
    ['a..b', 'An id can’t have “..”. Try “a.b”.'],
    ['-x', 'An id must start with a letter or digit. Try “x”.'],
    ['gpt-5.', 'An id can’t end with “.”. Try “gpt-5”.'],
    ['x'.repeat(70), `An id can have at most 64 characters. Try “${'x'.repeat(64)}”.`],
    ['nul', 'Windows reserves this name.'],
    ['日本', 'An id can’t have “日”.'],
  ])('says what is wrong with %s, in a line with a suggestion', (id, problem) => {
    expect(agentIdProblem(id)).toBe(problem);
  });

  it('has nothing against an id, or an empty field', () => {
    expect(['', 'scout', 'Scout_2.0'].map(agentIdProblem)).toEqual([undefined, undefined, undefined]);
  });
});

describe('matcher', () => {
  it('takes either apostrophe for the other', () => {
    expect(matcher("write an agent's file")('Write an agent’s file')).toBe(true);
    expect(matcher('agent’s')("an agent's file")).toBe(true);
    expect(matcher("agents'")('an agent’s file')).toBe(false);
  });

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
