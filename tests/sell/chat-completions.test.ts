import { describe, expect, test } from 'vitest';
import { OrderError, readChat, readOrder, writeChat } from '../../src/sell/chat-completions.ts';

/** What customers ask for, in our own form and in OpenAI's, and what they get. */

const user = (content: unknown) => ({ role: 'user', content });
const chat = (...messages: unknown[]) => ({ model: 'translator', messages });

/** A value nested thousands of levels deep, as JSON can hold it. */
const deep = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);

const HOSTILE: readonly unknown[] = [
  undefined,
  null,
  true,
  0,
  '',
  'prompt',
  [],
  [{ prompt: 'Hi' }],
  {},
  deep(5_000),
  JSON.parse('{"__proto__":{"prompt":"Hi","messages":[{"role":"user","content":"Hi"}]}}'),
];

describe('an order', () => {
  test.each([
    [{ prompt: 'Hi' }, { prompt: 'Hi', maxOutputTokens: undefined }],
    [
      { prompt: ' Hi\n', maxOutputTokens: 5 },
      { prompt: ' Hi\n', maxOutputTokens: 5 },
    ],
    [
      { prompt: 'Hi', maxOutputTokens: null, other: 1 },
      { prompt: 'Hi', maxOutputTokens: undefined },
    ],
    [{ prompt: '/exit @file ☕\u0000' }, { prompt: '/exit @file ☕\u0000', maxOutputTokens: undefined }],
  ])('%j is read as it is', (body, order) => {
    expect(readOrder(body)).toEqual(order);
  });

  test.each([
    ...HOSTILE,
    { prompt: '' },
    { prompt: ' \n\t' },
    { prompt: 5 },
    { prompt: ['Hi'] },
    { prompt: { toString: 'Hi' } },
    ...[0, -1, 1.5, 2 ** 53, Number.POSITIVE_INFINITY, Number.NaN, '5', true, [], {}].map(
      (maxOutputTokens) => ({
        prompt: 'Hi',
        maxOutputTokens,
      }),
    ),
  ])('number %# of the hostile bodies is refused with a sentence', (body) => {
    expect(() => readOrder(body)).toThrow(OrderError);
    expect(() => readOrder(body)).toThrow(/^\w[^\n]*\.$/);
  });
});

describe('a chat', () => {
  test.each([
    ['one message of a user is the prompt', chat(user('Hi')), 'Hi'],
    [
      'a system message alone is not a prompt',
      chat({ role: 'system', content: 'Be brief.' }),
      'Instructions:\nBe brief.',
    ],
    [
      'parts of text become lines',
      chat(
        user([
          { type: 'text', text: 'One' },
          { type: 'text', text: 'two' },
        ]),
      ),
      'One\ntwo',
    ],
    [
      'a conversation becomes one text',
      chat(
        { role: 'system', content: 'Be brief.' },
        user('Hi'),
        { role: 'assistant', content: 'Hello' },
        user('Bye'),
      ),
      'Instructions:\nBe brief.\n\nUser:\nHi\n\nAssistant:\nHello\n\nUser:\nBye',
    ],
    [
      'a developer is a system',
      chat({ role: 'developer', content: 'x' }, user('y')),
      'Instructions:\nx\n\nUser:\ny',
    ],
  ])('%s', (_, body, prompt) => {
    expect(readChat(body)).toEqual({ prompt, maxOutputTokens: undefined, isStream: false });
  });

  test.each([
    [{ max_tokens: 7 }, 7],
    [{ max_completion_tokens: 8, max_tokens: 7 }, 8],
    [{ max_completion_tokens: null, max_tokens: 7 }, 7],
    [{ max_tokens: null }, undefined],
    [{}, undefined],
  ])('%j allows %s output tokens', (limits, maxOutputTokens) => {
    expect(readChat({ ...chat(user('Hi')), ...limits }).maxOutputTokens).toBe(maxOutputTokens);
  });

  test.each([
    [true, true],
    ['true', false],
    [1, false],
    [undefined, false],
  ])('"stream": %j is a stream: %s', (stream, isStream) => {
    expect(readChat({ ...chat(user('Hi')), stream }).isStream).toBe(isStream);
  });

  test.each([
    ...HOSTILE,
    { messages: [] },
    { messages: {} },
    { messages: 'Hi' },
    chat(null),
    chat('Hi'),
    chat([user('Hi')]),
    chat({ content: 'Hi' }),
    chat({ role: 'tool', content: 'Hi' }),
    ...['__proto__', 'constructor', 'toString', 'hasOwnProperty'].map((role) =>
      chat({ role, content: 'Hi' }),
    ),
    chat({ role: ['user'], content: 'Hi' }),
    chat({ role: deep(50_000), content: 'Hi' }),
    chat(user(undefined)),
    chat(user(null)),
    chat(user({ text: 'Hi' })),
    chat(user([])),
    chat(user([null])),
    chat(user(['Hi'])),
    chat(user([{ type: 'text', text: 5 }])),
    chat(user([{ type: 'image_url', image_url: { url: 'file:///etc/passwd' } }])),
    chat(user('')),
    chat(user(' \n')),
    chat(user('Hi'), { role: 'assistant', tool_calls: [{}] }),
    ...[0, -1, 0.5, '5', {}, Number.POSITIVE_INFINITY].map((max_tokens) => ({
      ...chat(user('Hi')),
      max_tokens,
    })),
  ])('number %# of the hostile bodies is refused with a sentence', (body) => {
    expect(() => readChat(body)).toThrow(OrderError);
    expect(() => readChat(body)).toThrow(/^\w[^\n]*\.$/);
  });

  test('of ten thousand messages is read in their order', () => {
    const { prompt } = readChat(chat(...Array.from({ length: 10_000 }, (_, at) => user(`${at}`))));
    expect(prompt.split('\n\n').at(-1)).toBe('User:\n9999');
  });
});

describe('an answer', () => {
  const completion = {
    text: 'Guten Tag\n\ndata: [DONE]',
    stopped: null,
    usage: { inputTokens: 10, outputTokens: 3 },
  };
  const usage = { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 };

  test('has the form of OpenAI’s', () => {
    expect(writeChat('translator', completion, false)).toMatchObject({
      object: 'chat.completion',
      model: 'translator',
      choices: [
        { index: 0, message: { role: 'assistant', content: completion.text }, finish_reason: 'stop' },
      ],
      usage,
    });
    expect(writeChat('translator', { ...completion, stopped: 'max_output_tokens' }, false)).toMatchObject({
      choices: [{ finish_reason: 'length' }],
    });
  });

  test('as a stream has the same, and no text ends it early', () => {
    const stream = String(writeChat('translator', completion, true));
    const events = stream.split('\n\n').filter(Boolean);
    expect(events.at(-1)).toBe('data: [DONE]');
    const chunks = events.slice(0, -1).map((event) => JSON.parse(event.replace(/^data: /, '')));
    expect(chunks.map(({ choices }) => choices[0]?.delta?.content).join('')).toBe(completion.text);
    expect(chunks.map(({ choices }) => choices[0]?.finish_reason)).toEqual([null, 'stop', undefined]);
    expect(chunks.at(-1).usage).toEqual(usage);
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
  });
});
