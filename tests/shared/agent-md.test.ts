import { expect, test } from 'vitest';
import { parseAgentFile, withAgentFileModel } from '../../src/pi/agent-md.ts';

// By a URL, because its types come from pi, which isn't installed here.
const { parseAgentFile: asExtension } = await import(
  new URL('../../resources/starter-root/shared/extensions/agent-prompt.ts', import.meta.url).href
);

test.for([
  '',
  'Only a body.\n',
  '---\ntools: read, grep\nmodel: openrouter/qwen/qwen3-coder\n---\n\nBody.\n',
  '---\r\ntools: [read, "bash"] # all\r\nmodel: none\r\n---\r\nBody.\r\n',
  '\uFEFF---\ntools:\n  - read\nother: 1\n---\n',
  '---\ntools: read\nnever closed\n',
])('reads AGENT.md as its extension does: %j', (text) => {
  const { problems: _, ...expected } = asExtension(text);
  expect(parseAgentFile(text)).toEqual(expected);
});

test.for([
  ['---\nmodel: openai/gpt-5\n---\nmodel: openai/gpt-5\n', '---\nmodel: a/b\n---\nmodel: openai/gpt-5\n'],
  ['---\r\nmodel:  "openai/gpt-5" # fast\r\n---\r\n', '---\r\nmodel:  "a/b" # fast\r\n---\r\n'],
  ['---\nmodel: a/1\ntools: read\nmodel: a/2\n---\n', '---\nmodel: a/1\ntools: read\nmodel: a/b\n---\n'],
])('sets the model in AGENT.md and changes nothing else: %j', ([before, after]) => {
  expect(withAgentFileModel(before ?? '', 'a/b')).toBe(after);
});

test.for([
  ['---\ntools: read\n---\n', 'a/b'],
  ['Only a body.\n', 'a/b'],
  ['---\nmodel: openai/gpt-5\n---\n', 'without-provider'],
])('leaves an AGENT.md that can’t name the model: %j', ([text, name]) => {
  expect(withAgentFileModel(text ?? '', name ?? '')).toBeUndefined();
});
