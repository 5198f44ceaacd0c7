import { expect, test } from 'vitest';
import { parseAgentFile } from '../../src/pi/agent-md.ts';

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
