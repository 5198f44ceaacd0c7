import { expect, test } from 'vitest';
import { MOST_PROMPT_BYTES, mostTokens, soldFacts } from '../../src/shared/sale-terms.ts';

/** What a sale costs at most, and what a stranger could do. */

const prompt = (more: Partial<Parameters<typeof soldFacts>[0]> = {}) => ({
  totalTokens: 400,
  model: { name: 'gpt-5.4' },
  tools: [],
  notes: [],
  ...more,
});

test.each([
  {
    name: 'one call reads the prompt of the agent and of the customer',
    tools: [],
    bytes: 1_000,
    input: 1_000,
  },
  { name: 'an odd byte counts as a token', tools: [], bytes: 1_001, input: 1_001 },
  { name: 'an empty prompt still has a message', tools: [], bytes: 0, input: 500 },
  {
    name: 'each of eight calls with tools also reads what was written before',
    tools: ['read'],
    bytes: 1_000,
    input: 8 * 1_000 + 7 * 200,
  },
])('$name', ({ tools, bytes, input }) => {
  expect(mostTokens({ promptTokens: 400, tools }, bytes, 200)).toEqual({
    maxInputTokens: input,
    maxOutputTokens: 200,
    maxRequests: tools.length > 0 ? 8 : 1,
  });
});

test('the longest prompt has more tokens than any shorter one', () => {
  const inputOf = (bytes: number) => mostTokens({ promptTokens: 0, tools: [] }, bytes, 1).maxInputTokens;
  for (let bytes = 1; bytes <= MOST_PROMPT_BYTES; bytes++)
    expect(inputOf(bytes)).toBeGreaterThanOrEqual(inputOf(bytes - 1));
});

test.each([
  { name: 'an agent without tools', argv: ['pi', '--no-tools'], more: {}, tools: [] },
  { name: 'its short form', argv: ['pi', '-nt'], more: {}, tools: [] },
  { name: 'pi’s own tools', argv: ['pi'], more: { tools: ['read', 'bash'] }, tools: ['read', 'bash'] },
  {
    name: 'extensions, MCP servers and tools that nobody knows, each once',
    argv: ['pi', '--no-builtin-tools'],
    more: {
      notes: ['extensions', 'mcp_tools', 'mcp_unknown', 'unknown_tools', 'other'].map((code) => ({ code })),
    },
    tools: ['extensions', 'mcp', 'unknown'],
  },
  {
    name: 'no tools, which also keeps out those of extensions',
    argv: ['pi', '--no-tools'],
    more: { notes: [{ code: 'extensions' }] },
    tools: [],
  },
  {
    name: 'a tool that is on in spite of --no-tools',
    argv: ['pi', '--no-tools', '--tools', 'read'],
    more: { tools: ['read'], notes: [{ code: 'extensions' }] },
    tools: ['read', 'extensions'],
  },
  {
    name: 'an argument that only looks like the flag',
    argv: ['pi', '--no-tools=true'],
    more: { notes: [{ code: 'extensions' }] },
    tools: ['extensions'],
  },
])('a stranger could use: $name', ({ argv, more, tools }) => {
  expect(soldFacts(prompt(more), argv)).toEqual({ model: 'gpt-5.4', promptTokens: 400, tools });
});

test('an agent whose files name no model has none', () => {
  expect(soldFacts(prompt({ model: null }), ['pi', '--no-tools']).model).toBeNull();
});
