import { CompletionContext } from '@codemirror/autocomplete';
import { EditorState } from '@codemirror/state';
import { expect, test } from 'vitest';
import {
  completePiArgs,
  piArgsPlace,
} from '../../src/renderer/src/features/files/editor/pi-args-completion.ts';

/** What is offered at "|" in a text, and what it would replace. */
const offered = (marked: string, explicit = false) => {
  const position = marked.indexOf('|');
  const text = marked.replace('|', '');
  const context = new CompletionContext(EditorState.create({ doc: text }), position, explicit);
  const result = completePiArgs(() => ['gpt-5', 'claude-opus-5', 'Not an argument'])(context);
  return (
    result && {
      replaces: text.slice(result.from, position),
      labels: result.options.map(({ label }) => label),
    }
  );
};

test('flags are offered where an argument begins with a dash, and by Ctrl+Space anywhere', () => {
  expect(offered('--mo|')).toMatchObject({
    replaces: '--mo',
    labels: expect.arrayContaining(['--model', '--tools']),
  });
  expect(offered('--tools read -|')?.labels).toContain('--no-skills');
  expect(offered('hel|')).toBeNull();
  expect(offered('|')).toBeNull();
  expect(offered('|', true)?.labels).toContain('--model');
  expect(offered('--no-skills |', true)?.labels).toContain('--model');
});

test('the values of a flag are offered after it, on the same line or the next', () => {
  const models = ['openai/gpt-5', 'anthropic/claude-opus-5'];
  expect(offered('--model\ngp|')).toEqual({ replaces: 'gp', labels: models });
  expect(offered('--provider azure\n--model\ngp|')?.labels).toEqual(['gpt-5', 'claude-opus-5']);
  expect(offered('--model\n# which?\ngp|')?.replaces).toBe('gp');
  expect(offered('--model g|')?.replaces).toBe('g');
  expect(offered('--model\n|')).toBeNull();
  expect(offered('--model\n|', true)?.labels).toEqual(models);
  expect(offered('--thinking\nh|')?.labels).toContain('xhigh');
  expect(offered('--tools\nread,b|')).toMatchObject({
    replaces: 'b',
    labels: expect.arrayContaining(['bash']),
  });
  // pi-args says nothing about other texts.
  expect(offered('--system-prompt\ny|')).toBeNull();
  expect(offered('--model\ngpt-5\nh|')).toBeNull();
});

test('nothing is offered in a comment', () => {
  expect(offered('# --mo|', true)).toBeNull();
  expect(piArgsPlace('--model\n# gpt', 13)).toBeNull();
});
