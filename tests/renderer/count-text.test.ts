import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it, vi } from 'vitest';
import { createCounter } from '../../src/renderer/src/features/files/count-text.ts';
import { createRandom, makeMarkdown } from '../bench/make-text.ts';

const AS_TEXT = { disallowedSpecial: new Set<string>() };
const never = () => Promise.resolve(false);
const count = (text: string) => createCounter()(text, never);

describe('createCounter', () => {
  it.each([
    '',
    'You are a scout.\n',
    'code {\n  a();\n}\n/path\n\n\n  indented\n',
    'one\n/two\n//three\n\t\ttabs\n \n x',
    '--- \n# Über 😀 العربية 中文\n',
    makeMarkdown(createRandom(7), 'Title', 20_000),
  ])('counts the tokens of a text in lines as the tokenizer counts the whole (%#)', async (text) => {
    expect((await count(text))?.tokens).toBe(encode(text, AS_TEXT).length);
  });

  it('treats text that looks like a control token as ordinary text', async () => {
    expect((await count('<|endoftext|>'))?.tokens).toBe(encode('<|endoftext|>', AS_TEXT).length);
  });

  it('counts sequences with a letter or a digit as words', async () => {
    expect((await count('# Two words\n- and (3) more … – don’t\n'))?.words).toBe(6);
  });

  it('counts a very long run of one letter', async () => {
    expect((await count('a'.repeat(100_000)))?.tokens).toBeGreaterThan(1000);
  });

  it('stops when a newer text arrives, and reuses what was counted', async () => {
    const counter = createCounter();
    const text = Array.from({ length: 3000 }, (_, index) => `Line ${index} of a text.\n`).join('');
    const isStale = vi.fn(() => Promise.resolve(true));
    expect(await counter(text, isStale)).toBeNull();
    expect(isStale).toHaveBeenCalledTimes(1);
    const asked = vi.fn(never);
    const full = await count(text);
    expect(await counter(text, asked)).toEqual(full);
    expect(asked.mock.calls.length).toBeLessThan(text.length / 20_000);
  });
});
