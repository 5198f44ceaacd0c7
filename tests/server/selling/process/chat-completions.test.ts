import { describe, expect, test } from 'vitest';
import {
  createChatStream,
  OrderError,
  readChat as readChatFor,
  readOrder as readOrderFor,
  UnknownModelError,
  writeChat,
} from '../../../../src/server/selling/process/chat-completions.ts';

/** What customers ask for, in our own form and in OpenAI's, and what they get. */

const readChat = (body: unknown) => readChatFor(body, 'translator');
const readOrder = (body: unknown) => readOrderFor(body, 'translator');
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
    [
      'a call of a tool without text is left out, and its result is kept',
      chat(
        user('Weather?'),
        { role: 'assistant', content: null, tool_calls: [{ id: 'a', function: { name: 'weather' } }] },
        { role: 'tool', tool_call_id: 'a', content: 'Sunny' },
      ),
      'User:\nWeather?\n\nTool:\nSunny',
    ],
    [
      'an assistant who only called tools may have no content',
      chat(user('Hi'), { role: 'assistant' }),
      'User:\nHi',
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
    chat({ role: 'tool', content: null }),
    chat({ role: 'assistant', content: null }),
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
    ...[0, -1, 0.5, '5', {}, Number.POSITIVE_INFINITY].map((max_tokens) => ({
      ...chat(user('Hi')),
      max_tokens,
    })),
  ])('number %# of the hostile bodies is refused with a sentence', (body) => {
    expect(() => readChat(body)).toThrow(OrderError);
    expect(() => readChat(body)).toThrow(/^\w[^\n]*\.$/);
  });

  const UNSUPPORTED = {
    tools: [{ type: 'function', function: { name: 'f' } }],
    functions: [{ name: 'f' }],
    tool_choice: 'auto',
    function_call: { name: 'f' },
    n: 2,
    response_format: { type: 'json_object' },
    stop: '.',
    logprobs: true,
    audio: { voice: 'alloy', format: 'wav' },
    web_search_options: {},
  };
  test.each(Object.entries(UNSUPPORTED))(
    'with "%s" is refused, because it would be paid and ignored',
    (field, value) => {
      expect(() => readChat({ ...chat(user('Hi')), [field]: value })).toThrow(`"${field}"`);
      expect(readChat({ ...chat(user('Hi')), [field]: null }).prompt).toBe('Hi');
    },
  );

  test.each([
    { tools: [] },
    { tool_choice: 'none' },
    { n: 1 },
    { response_format: { type: 'text' } },
    { stop: [] },
    { logprobs: false },
    {
      temperature: 0.2,
      top_p: 0.9,
      presence_penalty: 1,
      frequency_penalty: 1,
      seed: 7,
      user: 'somebody',
      metadata: { a: 'b' },
      store: false,
      stream_options: { include_usage: true },
    },
  ])('with %j is read as without it', (more) => {
    expect(readChat({ ...chat(user('Hi')), ...more })).toEqual(readChat(chat(user('Hi'))));
  });

  test('for another model is refused, and one without a model is for the only one', () => {
    for (const model of ['gpt-5.4', '', 'Translator', ['translator'], {}])
      expect(() => readChat({ ...chat(user('Hi')), model })).toThrow(UnknownModelError);
    expect(readChat({ messages: [user('Hi')] }).prompt).toBe('Hi');
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
    expect(writeChat('translator', completion)).toMatchObject({
      object: 'chat.completion',
      model: 'translator',
      choices: [
        { index: 0, message: { role: 'assistant', content: completion.text }, finish_reason: 'stop' },
      ],
      usage,
    });
    expect(writeChat('translator', { ...completion, stopped: 'max_output_tokens' })).toMatchObject({
      choices: [{ finish_reason: 'length' }],
    });
  });

  test('as a stream has the same, and no text ends it early', () => {
    const { part, end } = createChatStream('translator');
    const stream = `${part(completion.text)}${end(completion)}`;
    const events = stream.split('\n\n').filter(Boolean);
    expect(events.at(-1)).toBe('data: [DONE]');
    const chunks = events.slice(0, -1).map((event) => JSON.parse(event.replace(/^data: /, '')));
    expect(chunks.map(({ choices }) => choices[0]?.delta?.content).join('')).toBe(completion.text);
    expect(chunks.map(({ choices }) => choices[0]?.finish_reason)).toEqual([null, 'stop', undefined]);
    expect(chunks.at(-1).usage).toEqual(usage);
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
  });
});
