import { type JsonObject, jsonObjectOf } from '../../../shared/json-object.ts';
import { parseShallowJson } from '../../../shared/shallow-json.ts';

/** Model tokens that a run used. As in pi, `inputTokens` excludes tokens read from and written to the cache. */
export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** The number of requests to the provider. */
  readonly requests: number;
  /** The most input tokens of one request, including cached ones. */
  readonly largestInputTokens: number;
}

/**
 * Why a response ends early:
 *
 * - `max_output_tokens`: it has as many output tokens as the customer paid for.
 * - `payment_used`: the next call to the model could cost more than what is left of the payment.
 * - `too_many_calls`: the run made as many calls to the model as its price counts.
 */
export type StopReason = 'max_output_tokens' | 'payment_used' | 'too_many_calls';

/** A model's provider and id, as pi names them. */
export interface PiModel {
  readonly provider: string;
  readonly model: string;
}

/** The result of a conversation. `detail` is for the operator only: it can contain anything. */
export type ConversationEnd =
  | { readonly kind: 'answered'; readonly text: string; readonly stopped: StopReason | null }
  /** pi doesn't limit the output of its model yet, and hasn't called it. */
  | { readonly kind: 'unlimited'; readonly model: PiModel }
  | {
      readonly kind: 'failed';
      readonly reason: 'not_ready' | 'model_error' | 'no_answer';
      readonly detail: string;
    };

/** What a run can use at most. */
export interface RunBudget {
  /** The output tokens of the run, and of each call to the model. */
  readonly maxOutputTokens: number;
  readonly maxCalls: number;
  /** Returns whether this usage can cost more than the customer paid. */
  isTooMuch(usage: TokenUsage): boolean;
}

interface ConversationDeps {
  prompt: string;
  /** The model tokens of the agent's own prompt. */
  promptTokens: number;
  budget: RunBudget;
  /** Counts the model tokens in a text, for providers that don't report them. */
  countTokens(text: string): number;
  send(record: object): void;
  /** Called with each part of the text as the model writes it, as far as it's paid for. */
  onText?: ((part: string) => void) | undefined;
  /** Called once. */
  onEnd(result: ConversationEnd): void;
}

/** One prompt and its output, in pi's RPC mode. */
interface Conversation {
  begin(): void;
  /** Handles a line of pi's standard output. Ignores lines that aren't records. */
  hear(line: Buffer): void;
  /** The usage so far. It's estimated if the provider reported none. */
  usage(): TokenUsage & { readonly isEstimated: boolean };
}

/** More tokens than any call uses. The limit for session files is the same (`session-line.ts`). */
const MOST_TOKENS = 1e9;

/** Returns a count of tokens, or 0 if it's invalid. */
const tokensOf = (value: unknown): number =>
  typeof value === 'number' && value > 0 && value <= MOST_TOKENS ? Math.trunc(value) : 0;

const UNREAD = /^\{"type":"(message_start|turn_start|turn_end|tool_execution_\w+)"/;
const UPDATE = /^\{"type":"message_update"/;
const TYPE_BYTES = 64;
/** pi 0.73 repeats the message in each update. */
const MOST_UPDATE_BYTES = 16 * 1024;

/** No provider's tokenizer needs so many times fewer tokens than ours. More output exceeds its limit, whatever it reports. */
const MOST_TIMES = 3;
/** How many characters of a text that is still being written are counted together. */
const COUNTED_TOGETHER = 256;
/** No tokenizer needs more than one token for two bytes, except for rare characters. */
const LEAST_BYTES = 2;

const recordOf = (line: Buffer): JsonObject | undefined => {
  const type = line.toString('latin1', 0, TYPE_BYTES);
  if (UNREAD.test(type) || (UPDATE.test(type) && line.length > MOST_UPDATE_BYTES)) return undefined;
  try {
    return jsonObjectOf(parseShallowJson(line.toString('utf8')));
  } catch {
    return undefined;
  }
};

/** The extensions' methods that wait for a response. The others only display something. */
const DIALOGS: readonly unknown[] = ['select', 'confirm', 'input', 'editor'];

/** The title of the question that a run asks before each call to its model. */
const CALL_QUESTION = 'dot-mi: call the model?';

const COMPACTION = 'session_before_compact';

/** An extension of pi that waits before each call to the model until the conversation answers. */
export const CALLS_EXTENSION = `export default (pi) => {
  const ask = async ({ type }, { ui }) => {
    await ui.confirm('${CALL_QUESTION}', type);
  };
  pi.on('context', ask);
  pi.on('${COMPACTION}', ask);
};
`;

const PROMPT_ID = 'prompt';
const STATE_ID = 'state';
const MODEL_ID = 'model';

/**
 * SECURITY: pi runs a message that begins with a slash as a command of an extension, a skill or a prompt template. A
 * customer's prompt must stay text.
 */
const asPlainText = (prompt: string): string => (prompt.startsWith('/') ? ` ${prompt}` : prompt);

const blocksOf = ({ content }: JsonObject): readonly JsonObject[] =>
  Array.isArray(content) ? content.map((block: unknown) => jsonObjectOf(block) ?? {}) : [];

const textIn = ({ type, text }: JsonObject): string =>
  type === 'text' && typeof text === 'string' ? text : '';

const textOf = (message: JsonObject): string =>
  typeof message.content === 'string' ? message.content : blocksOf(message).map(textIn).join('');

/** Returns all that a model wrote in a message: also its thoughts, and its tools' names and arguments. */
const writtenIn = (message: JsonObject): string =>
  typeof message.content === 'string'
    ? message.content
    : blocksOf(message)
        .map((block) => {
          if (block.type === 'thinking') return String(block.thinking);
          if (block.type === 'toolCall') return `${block.name}${JSON.stringify(block.arguments ?? {})}`;
          return textIn(block);
        })
        .join('');

/** Counts the tokens of a text that grows, each part once. A token can be cut in two, so it counts slightly too many. */
const createMeter = (countTokens: (text: string) => number) => {
  let tokens = 0;
  let rest = '';
  return {
    add(part: string) {
      rest += part;
      if (rest.length < COUNTED_TOGETHER) return;
      tokens += countTokens(rest);
      rest = '';
    },
    tokens: () => tokens + (rest === '' ? 0 : countTokens(rest)),
    /** The same without the latest parts. */
    tokensAtLeast: () => tokens,
  };
};

/** Returns the part of a text that was paid for, without half of a character. */
const paidPart = (text: string, limit: number, tokens: number): string =>
  tokens <= limit
    ? text
    : text.slice(0, Math.floor((text.length * limit) / tokens)).replace(/[\uD800-\uDBFF]$/, '');

/** Separates the model's messages in a stream. */
const MESSAGE_BREAK = '\n\n';

/** The usage before the first request. */
export const NO_TOKENS: TokenUsage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  requests: 0,
  largestInputTokens: 0,
};

/** Returns the most model tokens that a text can have for a provider. */
const mostTokensOf = (text: string): number => Math.ceil(Buffer.byteLength(text) / LEAST_BYTES);

const inputOf = (tokens: Pick<TokenUsage, 'inputTokens' | 'cacheReadTokens' | 'cacheWriteTokens'>): number =>
  tokens.inputTokens + tokens.cacheReadTokens + tokens.cacheWriteTokens;

/** Returns the usage of one request. It has none if it used no tokens. */
const requestOf = (tokens: Omit<TokenUsage, 'requests' | 'largestInputTokens'>): TokenUsage => {
  const largestInputTokens = inputOf(tokens);
  return { ...tokens, requests: largestInputTokens + tokens.outputTokens > 0 ? 1 : 0, largestInputTokens };
};

const tokensIn = (value: unknown): TokenUsage => {
  const counts = jsonObjectOf(value) ?? {};
  return requestOf({
    inputTokens: tokensOf(counts.input),
    outputTokens: tokensOf(counts.output),
    cacheReadTokens: tokensOf(counts.cacheRead),
    cacheWriteTokens: tokensOf(counts.cacheWrite),
  });
};

const sumOf = (a: TokenUsage, b: TokenUsage): TokenUsage => ({
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
  cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
  cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
  requests: a.requests + b.requests,
  largestInputTokens: Math.max(a.largestInputTokens, b.largestInputTokens),
});

/**
 * Creates a conversation: sends a prompt to pi in RPC mode, and adds up the usage that pi writes to the session file,
 * which covers assistant messages (even failed ones), tools, cache warming and compactions. It ends the run before a
 * call to the model that its budget may not cover. {@link CALLS_EXTENSION} makes pi wait for that.
 *
 * pi 0.87 and later report `agent_settled` when nothing follows automatically. pi 0.73 reports only `agent_end`, after
 * which it may retry or compact, so the conversation then requests pi's state.
 */
export const createConversation = ({
  prompt,
  promptTokens,
  budget,
  countTokens,
  send,
  onText,
  onEnd,
}: ConversationDeps): Conversation => {
  const { maxOutputTokens, maxCalls, isTooMuch } = budget;
  let usage: TokenUsage = NO_TOKENS;
  /** What the provider didn't report, as our tokenizer counts it. */
  let estimated: TokenUsage = NO_TOKENS;
  let isEstimated = false;
  let calls = 0;
  /** True while pi waits for the model, which can be paid for without an answer. */
  let isCalling = false;
  let isAccepted = false;
  let hasEnded = false;
  /** State that only pi 0.73 needs. */
  const old = { isRetrying: false, runs: 0, runsWhenAsked: 0 };
  let last: JsonObject | undefined;
  /** The output tokens of the last message. */
  let lastOutput = 0;
  const startWriting = () => ({
    text: '',
    /** How many characters of the text are paid for. */
    paid: 0,
    passedOn: '',
    textMeter: createMeter(countTokens),
    /** Counts the thoughts and the tools' arguments too. */
    meter: createMeter(countTokens),
  });
  /** The message that the model is writing. */
  let writing = startWriting();
  /** True once a part of an earlier message was passed on. */
  let isBegun = false;
  /** The text of the latest message that has one. */
  let written = '';
  /** The most input tokens of the next call: all that the latest one read and wrote, and the tools' results since. */
  let nextInput = promptTokens + mostTokensOf(prompt);
  /** The same as counted, without the texts in `uncounted`. */
  let counted = promptTokens;
  let uncounted = [prompt];

  const end = (result: ConversationEnd) => {
    if (hasEnded) return;
    hasEnded = true;
    onEnd(result);
  };
  const fail = (reason: (ConversationEnd & { kind: 'failed' })['reason'], detail: unknown) =>
    end({ kind: 'failed', reason, detail: typeof detail === 'string' ? detail : '' });

  const add = (value: unknown) => {
    usage = sumOf(usage, tokensIn(value));
  };

  /** Passes on what the model wrote since the last time. `text` is the paid part of its message. */
  const passOn = (text: string) => {
    const { passedOn } = writing;
    if (!onText || text.length <= passedOn.length) return;
    onText(`${isBegun && passedOn === '' ? MESSAGE_BREAK : ''}${text.slice(passedOn.length)}`);
    writing.passedOn = text;
  };

  /** Counts the input of the call that is made. Only providers that report no usage need that. */
  const countInput = (): number => {
    counted += uncounted.reduce((tokens, text) => tokens + countTokens(text), 0);
    uncounted = [];
    return counted;
  };

  /** Estimates what the call that hasn't ended used so far. */
  const callNow = (): TokenUsage => {
    if (!isCalling) return NO_TOKENS;
    const inputTokens = countInput();
    return {
      ...NO_TOKENS,
      inputTokens,
      outputTokens: writing.meter.tokens(),
      requests: 1,
      largestInputTokens: inputTokens,
    };
  };

  /** Adds what a call used and its provider didn't report. Returns the call's output tokens. */
  const estimate = (message: JsonObject, used: TokenUsage): number => {
    const all = writtenIn(message);
    const hasInput = inputOf(used) > 0;
    const hasOutput = used.outputTokens > 0 || all === '';
    // A call that failed before its first word may have cost nothing.
    const isFailed = message.stopReason === 'error' && writing.meter.tokens() === 0;
    const isReported = isFailed || (hasInput && hasOutput);
    const outputTokens =
      hasOutput || isReported ? used.outputTokens : Math.max(countTokens(all), writing.meter.tokens());
    if (!isReported) {
      const inputTokens = hasInput ? 0 : countInput();
      isEstimated = true;
      estimated = sumOf(estimated, {
        ...NO_TOKENS,
        inputTokens,
        outputTokens: outputTokens - used.outputTokens,
        requests: 1 - used.requests,
        largestInputTokens: inputTokens,
      });
    }
    if (hasInput) {
      counted = inputOf(used) + outputTokens;
      uncounted = [];
      nextInput = counted;
    } else if (!isFailed) {
      uncounted.push(all);
      nextInput += mostTokensOf(all);
    }
    return outputTokens;
  };

  /** Ends the run early. The customer pays for what it used, and gets what it wrote. */
  const stop = (stopped: StopReason) => end({ kind: 'answered', text: written, stopped });

  const conclude = () => {
    if (!last) return fail('no_answer', 'pi settled without a response from the model.');
    const { stopReason, errorMessage } = last;
    if (stopReason === 'error') return fail('model_error', errorMessage);
    const text = textOf(last);
    if (stopReason === 'aborted' || text.trim() === '')
      return fail(
        'no_answer',
        `The last message has no text, and its stop reason is ${JSON.stringify(stopReason)}.`,
      );
    const isCut = stopReason === 'length' || lastOutput > maxOutputTokens;
    return end({
      kind: 'answered',
      text: paidPart(text, maxOutputTokens, lastOutput),
      stopped: isCut ? 'max_output_tokens' : null,
    });
  };

  /** Ends the run if its next call to the model may cost more than the customer paid. */
  const checkNextCall = () => {
    if (calls >= maxCalls) return stop('too_many_calls');
    const all = sumOf(usage, estimated);
    if (all.outputTokens >= maxOutputTokens) return stop('max_output_tokens');
    const next = requestOf({ ...NO_TOKENS, inputTokens: nextInput, outputTokens: maxOutputTokens });
    if (isTooMuch(sumOf(all, next))) stop('payment_used');
  };

  const hearAssistant = (message: JsonObject) => {
    isCalling = false;
    lastOutput = estimate(message, tokensIn(message.usage));
    const text = textOf(message);
    const { passedOn } = writing;
    if (text.trim() !== '') {
      written = paidPart(text, maxOutputTokens, lastOutput);
      if (message.stopReason !== 'error') passOn(written);
    }
    // pi repeats a call that failed.
    if (message.stopReason !== 'error') calls += 1;
    last = message;
    isBegun ||= writing.passedOn !== '';
    writing = startWriting();
    // What a customer has can't be taken back, so pi's next attempt would be written after it.
    if (passedOn !== '' && (message.stopReason === 'error' || !text.startsWith(passedOn)))
      return fail('model_error', message.errorMessage);
    if (message.stopReason === 'toolUse') checkNextCall();
  };

  /** Allows a call to the model, or ends the run. */
  const hearCall = ({ id, message }: JsonObject) => {
    const isAnswered = last !== undefined && last.stopReason !== 'error' && last.stopReason !== 'toolUse';
    // Nobody reads the summary of a run that is over.
    if (message === COMPACTION && isAnswered) return conclude();
    // The first call is paid for, whatever it costs.
    if (calls > 0) checkNextCall();
    if (hasEnded) return;
    isCalling = isAccepted;
    send({ type: 'extension_ui_response', id, confirmed: true });
  };

  const hearMessage = (message: JsonObject | undefined) => {
    if (message?.role !== 'assistant' && message?.role !== 'toolResult') return;
    add(message.usage);
    // An extension may have run the agent before the prompt.
    if (!isAccepted) return;
    if (message.role === 'assistant') return hearAssistant(message);
    nextInput += mostTokensOf(JSON.stringify(message.content ?? ''));
    uncounted.push(textOf(message));
    checkNextCall();
    isCalling = !hasEnded;
  };

  const hearText = (delta: string) => {
    writing.text += delta;
    if (!onText) return;
    const before = writing.textMeter.tokens();
    writing.textMeter.add(delta);
    const part = paidPart(delta, Math.max(0, maxOutputTokens - before), writing.textMeter.tokens() - before);
    // What follows a part that isn't paid for isn't either.
    if (writing.paid === writing.text.length - delta.length) writing.paid += part.length;
    passOn(writing.text.slice(0, writing.paid));
  };

  const hearUpdate = ({ type, delta }: JsonObject) => {
    if (!isAccepted || typeof delta !== 'string') return;
    writing.meter.add(delta);
    if (type === 'text_delta') hearText(delta);
    if (writing.meter.tokensAtLeast() <= (maxOutputTokens + 1) * MOST_TIMES) return;
    // The provider ignores the limit.
    const paid = paidPart(writing.text, maxOutputTokens, writing.meter.tokens());
    written = paid || written;
    passOn(paid);
    stop('max_output_tokens');
  };

  const askForState = () => {
    old.runsWhenAsked = old.runs;
    send({ id: STATE_ID, type: 'get_state' });
  };

  /** Sends the prompt once pi says that each call to the model is limited. */
  const hearModel = (model: JsonObject | undefined) => {
    const { provider, id, maxTokens } = model ?? {};
    if (typeof provider !== 'string' || typeof id !== 'string' || typeof maxTokens !== 'number')
      return fail('not_ready', 'pi has no model.');
    if (maxTokens > maxOutputTokens) return end({ kind: 'unlimited', model: { provider, model: id } });
    return send({ id: PROMPT_ID, type: 'prompt', message: asPlainText(prompt) });
  };

  const hearResponse = ({ id, success, data, error }: JsonObject) => {
    const fields = jsonObjectOf(data);
    if (id === MODEL_ID) {
      if (success !== true) return fail('not_ready', error);
      return hearModel(jsonObjectOf(fields?.model));
    }
    if (id === PROMPT_ID) {
      if (success !== true) return fail('not_ready', error);
      if (fields?.disposition === 'handled')
        return fail('no_answer', 'An extension handled the prompt, so the model never saw it.');
      isAccepted = true;
      isCalling = true;
    } else if (id === STATE_ID && success === true) {
      const isBusy = fields?.isStreaming === true || fields?.isCompacting === true || old.isRetrying;
      if (!isBusy && old.runs === old.runsWhenAsked) conclude();
    }
  };

  const hearRecord = (record: JsonObject) => {
    switch (record.type) {
      case 'response':
        return hearResponse(record);
      case 'extension_ui_request':
        if (record.title === CALL_QUESTION) return hearCall(record);
        // Cancel the dialog, because the extension would wait forever for a response.
        if (DIALOGS.includes(record.method))
          send({ type: 'extension_ui_response', id: record.id, cancelled: true });
        return undefined;
      case 'message_update':
        return hearUpdate(jsonObjectOf(record.assistantMessageEvent) ?? {});
      case 'message_end':
        return hearMessage(jsonObjectOf(record.message));
      case 'entry_appended': {
        const entry = jsonObjectOf(record.entry);
        if (entry?.type === 'usage') add(entry.usage);
        return undefined;
      }
      case 'compaction_end':
        add(jsonObjectOf(record.result)?.usage);
        // If pi retries after the compaction, it isn't done.
        if (isAccepted && old.runsWhenAsked > 0 && record.willRetry !== true) askForState();
        return undefined;
      case 'agent_start':
        old.isRetrying = false;
        old.runs += 1;
        return undefined;
      case 'auto_retry_start':
        old.isRetrying = true;
        return undefined;
      case 'agent_end':
        if (isAccepted && record.willRetry === undefined) askForState();
        return undefined;
      case 'agent_settled':
        if (isAccepted) conclude();
        return undefined;
      default:
        return undefined;
    }
  };

  return {
    begin: () => send({ id: MODEL_ID, type: 'get_state' }),
    hear(line) {
      const record = hasEnded ? undefined : recordOf(line);
      if (record) hearRecord(record);
    },
    usage: () => ({
      ...sumOf(sumOf(usage, estimated), callNow()),
      isEstimated: isCalling || isEstimated,
    }),
  };
};
