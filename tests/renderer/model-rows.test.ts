import { expect, test } from 'vitest';
import { toggleFavorite } from '../../src/renderer/src/models/favorites.ts';
import { choiceOf, modelRows } from '../../src/renderer/src/models/model-rows.ts';

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

const picked = (query: string, current?: string) =>
  modelRows({ choices, query, favorites: NONE, current }).flatMap((row) =>
    row.kind === 'heading' ? [] : [row.picks],
  );

test('a row is picked with its maker’s provider, so that pi finds one model, and a typed name as it is', () => {
  expect(picked('')).toEqual([
    'acme/one',
    'anthropic/claude-opus-5',
    'openai/gpt-5.9',
    'openai/gpt-5.10',
    'unheard-of',
  ]);
  expect(picked('gpt-5')).toEqual(['openai/gpt-5.9', 'openai/gpt-5.10', 'gpt-5']);
  expect(picked('haiku', 'claude-haiku-of-mine')).toEqual(['claude-haiku-of-mine', 'haiku']);
});

test('the search finds a model by the name that is picked, and offers it once', () => {
  expect(shown('anthropic/claude-opus-5')).toEqual(['# Anthropic', 'claude-opus-5']);
  expect(shown('openai/gpt')).toEqual(['# OpenAI', 'gpt-5.9', 'gpt-5.10', '+ openai/gpt']);
  expect(shown('azure/gpt-5.9')).toEqual(['+ azure/gpt-5.9']);
});

test('a model that was picked is found in the list', () => {
  expect(choiceOf(choices, 'openai/gpt-5.9')?.name).toBe('gpt-5.9');
  expect(choiceOf(choices, 'acme/one')?.name).toBe('acme/one');
  expect(choiceOf(choices, 'openai/gpt-4')).toBeUndefined();
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
