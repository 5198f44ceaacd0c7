import { expect, test } from 'vitest';
import { makerOf, withMakersProvider } from '../../src/pi/model-maker.ts';

test.each([
  ['claude-haiku-4-5', 'anthropic/claude-haiku-4-5'],
  ['gpt-5.4', 'openai/gpt-5.4'],
  ['o3-mini', 'openai/o3-mini'],
  ['gemini-2.5-pro', 'google/gemini-2.5-pro'],
  ['grok-4.7', 'xai/grok-4.7'],
  ['deepseek-v4-pro', 'deepseek/deepseek-v4-pro'],
  ['devstral-latest', 'mistral/devstral-latest'],
  ['glm-5.3', 'zai/glm-5.3'],
  ['kimi-k2.7-code', 'moonshotai/kimi-k2.7-code'],
  ['MiniMax-M3', 'minimax/MiniMax-M3'],
])('pi finds %s as %s', (name, full) => {
  expect(withMakersProvider(name)).toBe(full);
  expect(makerOf(full)).toBe(makerOf(name));
});

test('a name stays if it has a provider, or if pi’s provider of its maker doesn’t offer it', () => {
  const names = ['openrouter/x-ai/grok-4.7', 'qwen3-coder', 'llama-4', 'gemma-3-27b', 'gpt-oss-120b', 'mine'];
  expect(names.map(withMakersProvider)).toEqual(names);
});
