import { parseShallowJson } from '../shared/shallow-json.ts';

/** Model tokens that a run used. As in pi, `inputTokens` excludes tokens read from and written to the cache. */
export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

/** The result of a conversation. `detail` is for the operator only: it can contain anything. */
export type Settled =
  | { readonly kind: 'answered'; readonly text: string; readonly isCutOff: boolean }
  | {
      readonly kind: 'failed';
      readonly reason: 'not_ready' | 'model_error' | 'too_many_tokens' | 'no_answer';
      readonly detail: string;
    };

interface ConversationDeps {
  prompt: string;
  /** See `runAgentOnce`. */
  maxOutputTokens?: number | undefined;
  send(record: object): void;
  /** Called once. */
  onSettled(settled: Settled): void;
}

/** One prompt and its output, in pi's RPC mode. */
interface Conversation {
  begin(): void;
  /** Handles a line of pi's standard output. Ignores lines that aren't records. */
  hear(line: Buffer): void;
  usage(): TokenUsage;
}

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;

/** More tokens than any call uses. The limit for session files is the same (`session-line.ts`). */
const MOST_TOKENS = 1e9;

/** Returns a count of tokens, or 0 if it's invalid. */
const tokensOf = (value: unknown): number =>
  typeof value === 'number' && value > 0 && value <= MOST_TOKENS ? Math.trunc(value) : 0;

/** Records to skip. They make up most of the output, because pi 0.73 repeats the message in each update. */
const UNREAD = /^\{"type":"(message_start|message_update|turn_start|turn_end|tool_execution_\w+)"/;
const TYPE_BYTES = 64;

const recordOf = (line: Buffer): Fields | undefined => {
  if (UNREAD.test(line.toString('latin1', 0, TYPE_BYTES))) return undefined;
  try {
    return fieldsOf(parseShallowJson(line.toString('utf8')));
  } catch {
    return undefined;
  }
};

/** The extensions' methods that wait for a response. The others only display something. */
const DIALOGS: readonly unknown[] = ['select', 'confirm', 'input', 'editor'];

const PROMPT_ID = 'prompt';
const STATE_ID = 'state';

/**
 * SECURITY: pi runs a message that begins with a slash as a command of an extension, a skill or a prompt template. A
 * customer's prompt must stay text.
 */
const asPlainText = (prompt: string): string => (prompt.startsWith('/') ? ` ${prompt}` : prompt);

const textOf = (message: Fields): string => {
  const { content } = message;
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((block: unknown) => {
      const { type, text } = fieldsOf(block) ?? {};
      return type === 'text' && typeof text === 'string' ? text : '';
    })
    .join('');
};

/**
 * Creates a conversation: sends a prompt to pi in RPC mode, and adds up the usage that pi writes to the session file,
 * which covers assistant messages (even failed ones), tools, cache warming and compactions.
 *
 * pi 0.87 and 1.5 report `agent_settled` when nothing follows automatically. pi 0.73 reports only `agent_end`, after
 * which it may retry or compact, so the conversation then requests pi's state.
 */
export const createConversation = ({
  prompt,
  maxOutputTokens = Number.POSITIVE_INFINITY,
  send,
  onSettled,
}: ConversationDeps): Conversation => {
  const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  let isAccepted = false;
  let isSettled = false;
  /** State that only pi 0.73 needs. */
  const old = { isRetrying: false, runs: 0, runsWhenAsked: 0 };
  let last: Fields | undefined;

  const settle = (settled: Settled) => {
    if (isSettled) return;
    isSettled = true;
    onSettled(settled);
  };
  const fail = (reason: (Settled & { kind: 'failed' })['reason'], detail: unknown) =>
    settle({ kind: 'failed', reason, detail: typeof detail === 'string' ? detail : '' });

  const add = (value: unknown) => {
    const counts = fieldsOf(value);
    if (!counts) return;
    usage.inputTokens += tokensOf(counts.input);
    usage.outputTokens += tokensOf(counts.output);
    usage.cacheReadTokens += tokensOf(counts.cacheRead);
    usage.cacheWriteTokens += tokensOf(counts.cacheWrite);
  };

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
    return settle({ kind: 'answered', text, isCutOff: stopReason === 'length' });
  };

  const hearMessage = (message: Fields | undefined) => {
    if (message?.role !== 'assistant' && message?.role !== 'toolResult') return;
    add(message.usage);
    if (message.role === 'assistant') last = message;
    const isLastOne = last?.stopReason === 'stop' || last?.stopReason === 'length';
    if (usage.outputTokens > maxOutputTokens && !isLastOne)
      fail('too_many_tokens', `The run used ${usage.outputTokens} output tokens and was not finished.`);
  };

  const askForState = () => {
    old.runsWhenAsked = old.runs;
    send({ id: STATE_ID, type: 'get_state' });
  };

  const hearResponse = ({ id, success, data, error }: Fields) => {
    const fields = fieldsOf(data);
    if (id === PROMPT_ID) {
      if (success !== true) return fail('not_ready', error);
      if (fields?.disposition === 'handled')
        return fail('no_answer', 'An extension handled the prompt, so the model never saw it.');
      isAccepted = true;
      last = undefined;
    } else if (id === STATE_ID && success === true) {
      const isBusy = fields?.isStreaming === true || fields?.isCompacting === true || old.isRetrying;
      if (!isBusy && old.runs === old.runsWhenAsked) conclude();
    }
  };

  const hearRecord = (record: Fields) => {
    switch (record.type) {
      case 'response':
        return hearResponse(record);
      case 'extension_ui_request':
        // Cancel the dialog, because the extension would wait forever for a response.
        if (DIALOGS.includes(record.method))
          send({ type: 'extension_ui_response', id: record.id, cancelled: true });
        return undefined;
      case 'message_end':
        return hearMessage(fieldsOf(record.message));
      case 'entry_appended': {
        const entry = fieldsOf(record.entry);
        if (entry?.type === 'usage') add(entry.usage);
        return undefined;
      }
      case 'compaction_end':
        add(fieldsOf(record.result)?.usage);
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
        // An extension may have run the agent before the prompt.
        if (isAccepted) conclude();
        return undefined;
      default:
        return undefined;
    }
  };

  return {
    begin: () => send({ id: PROMPT_ID, type: 'prompt', message: asPlainText(prompt) }),
    hear(line) {
      const record = isSettled ? undefined : recordOf(line);
      if (record) hearRecord(record);
    },
    usage: () => ({ ...usage }),
  };
};
