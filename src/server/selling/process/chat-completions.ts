import { randomUUID } from 'node:crypto';
import { isJsonObject } from '../../../shared/json-object.ts';
import type { StopReason } from './run-agent-once.ts';

/** A customer's order. */
export interface Order {
  readonly prompt: string;
  /** Undefined means the service's maximum. */
  readonly maxOutputTokens: number | undefined;
}

/** An agent's output. */
export interface Completion {
  readonly text: string;
  /** Why it ends early. Null if it's complete. */
  readonly stopped: StopReason | 'customer_left' | null;
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
}

/** A body that isn't a valid order. `message` is for the customer. */
export class OrderError extends Error {}

const readLimit = (value: unknown, name: string): number | undefined => {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value;
  throw new OrderError(`${name} must be a whole number above 0.`);
};

const textOf = (content: unknown): string => {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) throw new OrderError('Each message needs text as its "content".');
  return content
    .map((part) => {
      if (isJsonObject(part) && part.type === 'text' && typeof part.text === 'string') return part.text;
      throw new OrderError('This service reads text only.');
    })
    .join('\n');
};

/** The speakers' names when a conversation becomes a single prompt, by role. */
const SPEAKERS: ReadonlyMap<unknown, string> = new Map([
  ['system', 'Instructions'],
  ['developer', 'Instructions'],
  ['user', 'User'],
  ['assistant', 'Assistant'],
  ['tool', 'Tool'],
]);

const isAbsent = (value: unknown): boolean => value === undefined || value === null;
const isEmpty = (value: unknown): boolean => isAbsent(value) || (Array.isArray(value) && value.length === 0);

/**
 * The fields that would change what the customer gets, each with the values that change nothing. Nobody should
 * pay for a field that is then ignored.
 */
const REFUSED: Readonly<Record<string, (value: unknown) => boolean>> = {
  tools: isEmpty,
  functions: isEmpty,
  tool_choice: (value) => isAbsent(value) || value === 'none',
  function_call: (value) => isAbsent(value) || value === 'none',
  n: (value) => isAbsent(value) || value === 1,
  response_format: (value) => isAbsent(value) || (isJsonObject(value) && value.type === 'text'),
  stop: isEmpty,
  logprobs: (value) => isAbsent(value) || value === false,
  modalities: (value) => isEmpty(value) || (Array.isArray(value) && value.every((each) => each === 'text')),
  audio: isAbsent,
  web_search_options: isAbsent,
};

/** The requested model isn't for sale here. */
export class UnknownModelError extends OrderError {}

const refuseUnsupported = (body: Record<string, unknown>, model: string) => {
  for (const [field, isHarmless] of Object.entries(REFUSED))
    if (Object.hasOwn(body, field) && !isHarmless(body[field]))
      throw new OrderError(`This service doesn't support "${field}". Send the request without it.`);
  if (!isAbsent(body.model) && body.model !== model)
    throw new UnknownModelError(`This service sells one model only. Send "model": ${JSON.stringify(model)}.`);
};

/** Parses `{ prompt, maxOutputTokens? }` for the only model that is sold. Throws {@link OrderError} and {@link UnknownModelError}. */
export const readOrder = (body: unknown, model: string): Order => {
  if (!isJsonObject(body) || typeof body.prompt !== 'string' || body.prompt.trim() === '')
    throw new OrderError('Send JSON with a "prompt", and "maxOutputTokens" if you like.');
  refuseUnsupported(body, model);
  return { prompt: body.prompt, maxOutputTokens: readLimit(body.maxOutputTokens, 'maxOutputTokens') };
};

/** Reads one message. Undefined if an assistant only called tools in it. */
const readMessage = (message: unknown): { speaker: string; text: string } | undefined => {
  const speaker = isJsonObject(message) ? SPEAKERS.get(message.role) : undefined;
  if (!isJsonObject(message) || speaker === undefined)
    throw new OrderError('Each message needs the role system, user, assistant or tool.');
  if (message.role === 'assistant' && isAbsent(message.content)) return undefined;
  return { speaker, text: textOf(message.content) };
};

/**
 * Parses the body of OpenAI's `POST /v1/chat/completions` for the only model that is sold. A single user message is the
 * prompt unchanged. A conversation becomes a single string. Throws {@link OrderError} and {@link UnknownModelError}.
 */
export const readChat = (body: unknown, model: string): Order & { readonly isStream: boolean } => {
  if (!isJsonObject(body) || !Array.isArray(body.messages) || body.messages.length === 0)
    throw new OrderError('Send JSON with "messages".');
  refuseUnsupported(body, model);
  const parts = body.messages.map(readMessage).filter((part) => part !== undefined);
  const [only] = parts;
  const prompt =
    body.messages.length === 1 && only?.speaker === 'User'
      ? only.text
      : parts.map(({ speaker, text }) => `${speaker}:\n${text}`).join('\n\n');
  if (prompt.trim() === '') throw new OrderError('The messages have no text.');
  return {
    prompt,
    maxOutputTokens: readLimit(body.max_completion_tokens ?? body.max_tokens, 'max_tokens'),
    isStream: body.stream === true,
  };
};

const finishOf = ({ stopped }: Pick<Completion, 'stopped'>) => (stopped === null ? 'stop' : 'length');
/** What the end of a response says, whole or streamed. */
const endOf = ({ stopped, usage }: Pick<Completion, 'stopped' | 'usage'>) => ({
  usage: {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
  },
  ...(stopped === null ? {} : { stopped }),
});

const headOf = () => ({ id: `chatcmpl-${randomUUID()}`, created: Math.floor(Date.now() / 1000) });

/** Returns the body of OpenAI's response. */
export const writeChat = (model: string, completion: Completion) => ({
  ...headOf(),
  object: 'chat.completion',
  model,
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: completion.text },
      finish_reason: finishOf(completion),
    },
  ],
  ...endOf(completion),
});

const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;

/** Creates the functions that write OpenAI's stream of server-sent events. */
export const createChatStream = (model: string) => {
  const head = { ...headOf(), object: 'chat.completion.chunk', model };
  const chunk = (delta: object, finish_reason: string | null) =>
    event({ ...head, choices: [{ index: 0, delta, finish_reason }] });
  return {
    /** Returns the event of a part of the text. */
    part: (content: string) => chunk({ role: 'assistant', content }, null),
    /** Returns the events after the text. */
    end: (completion: Pick<Completion, 'stopped' | 'usage'>) =>
      `${chunk({}, finishOf(completion))}${event({ ...head, choices: [], ...endOf(completion) })}data: [DONE]\n\n`,
    /** Returns the event of a failure, after which nothing follows. */
    failure: (message: string, code: string) =>
      event({ error: { message, type: 'upstream_error', param: null, code } }),
  };
};
