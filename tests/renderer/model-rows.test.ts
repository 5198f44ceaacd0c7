import { expect, test } from 'vitest';
import { toggleFavorite } from '../../src/renderer/src/models/favorites.ts';
import { modelRows } from '../../src/renderer/src/models/model-rows.ts';

const choices = ['gpt-5.10', 'claude-opus-5', 'gpt-5.9', 'unheard-of', 'acme/one', 'With spaces'].map(
  (name) => ({
    name,
    price: null,
  }),
);
const NONE: ReadonlySet<string> = new Set();

const shown = (query: string, favorites = NONE, current?: string) =>
  modelRows({ choices, query, favorites, current }).map((row) =>
    row.kind === 'heading' ? `# ${row.title}` : `${row.kind === 'typed' ? '+ ' : ''}${row.choice.name}`,
  );

test('models are grouped by maker, and those that pi-args can’t hold are left out', () => {
  expect(shown('')).toEqual([
    ...['# acme', 'acme/one', '# Anthropic', 'claude-opus-5'],
    ...['# OpenAI', 'gpt-5.9', 'gpt-5.10', '# Other', 'unheard-of'],
  ]);
});

test('favorites come first, and a model in use that the list lacks before them', () => {
  const favorites = new Set(['unheard-of', 'gpt-5.9', 'gone']);
  expect(shown('', favorites, 'ollama/qwen').slice(0, 4)).toEqual([
    'ollama/qwen',
    '# Favorites',
    'gpt-5.9',
    'unheard-of',
  ]);
  expect(shown('', favorites, 'gpt-5.9').slice(0, 2)).toEqual(['# Favorites', 'gpt-5.9']);
});

test('the search finds words of the name and of the maker, and offers what was typed', () => {
  expect(shown('openai 9')).toEqual(['# OpenAI', 'gpt-5.9']);
  expect(shown('GPT-5.9')).toEqual(['# OpenAI', 'gpt-5.9']);
  expect(shown(' gpt-5 ')).toEqual(['# OpenAI', 'gpt-5.9', 'gpt-5.10', '+ gpt-5']);
  expect(shown('ollama/qwen3:8b')).toEqual(['+ ollama/qwen3:8b']);
  expect(shown('two words')).toEqual([]);
});

test('a favorite is kept by name, newest first, and a damaged text is none', () => {
  let text: string | null = '{"not":"a list"}';
  const kept = {
    get: () => text,
    set: (_name: string, next: string | null) => {
      text = next;
    },
  };
  toggleFavorite('a', kept);
  toggleFavorite('b', kept);
  expect(text).toBe('["b","a"]');
  for (let index = 0; index < 200; index++) toggleFavorite(`model-${index}`, kept);
  expect(JSON.parse(String(text))).toHaveLength(100);
  text = '["a"]';
  toggleFavorite('a', kept);
  expect(text).toBeNull();
});
