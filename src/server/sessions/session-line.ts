import { hash } from 'node:crypto';
import { type JsonObject, jsonObjectOf } from '../../shared/json-object.ts';
import { parseShallowJson } from '../../shared/shallow-json.ts';
import { firstMessageOf } from './first-message.ts';

/** A model as named in a session. */
export interface SessionModel {
  readonly provider: string;
  readonly model: string;
}

/** The first line of a session file. */
export interface SessionHeader {
  readonly kind: 'header';
  readonly id: string;
  /** 1 if it's missing, as in the format's first version. Undefined if it isn't a number. */
  readonly version: number | undefined;
  readonly startedAtMs: number | undefined;
  readonly cwd: string | undefined;
  /** The path of the session that it was forked from, as pi wrote it. */
  readonly parentSession: string | undefined;
}

/** Tokens as a provider counted them. `input` excludes `cacheRead`. `cacheWrite` includes `cacheWrite1h`. */
export interface TokenCounts {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cacheWrite1h: number;
}

/** The tokens of requests. */
export interface RequestCounts extends TokenCounts {
  /** The number of requests with tokens. A provider can charge a fee for each. */
  readonly requests: number;
}

/** Tokens and cost that a line records. */
export interface UsageLine extends SessionModel, TokenCounts {
  readonly kind: 'usage';
  /** The same for every copy of the line in other files, which forks create. {@link KEY_BYTES} long. */
  readonly key: Uint8Array;
  /** True if the line has an id. The format's first version has none, and pi adds them when it rewrites the file. */
  readonly hasId: boolean;
  readonly atMs: number | undefined;
  /** True if it's a model call: an assistant's message with tokens. */
  readonly isCall: boolean;
  /** True if the call failed. */
  readonly isError: boolean;
  /** True if the line names its model. Otherwise, the current model applies. */
  readonly namesModel: boolean;
  /** As pi recorded it. 0 with tokens means unknown or free. */
  readonly usd: number;
  /** True if an amount counts as 0, because it isn't a number or is larger than any call's. */
  readonly hasRefused: boolean;
}

/** The facts in a line about its session. */
type SessionLine =
  | SessionHeader
  | UsageLine
  | ({ readonly kind: 'model' } & SessionModel)
  | { readonly kind: 'name'; readonly name: string }
  /** A user's message with text. */
  | { readonly kind: 'user'; readonly text: string };

/** The model before any is named. */
export const NO_MODEL: SessionModel = { provider: '', model: '' };

/** The length limit for a session's stored strings, in UTF-16 code units. */
const MAX_TEXT = 1_000;

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value.slice(0, MAX_TEXT).toWellFormed() : undefined;

const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

/** More tokens or USD than any call has. Totals of amounts up to this limit stay exact. */
const MAX_AMOUNT = 1e9;

/** Returns a count or an amount of USD, or 0 if it's invalid. */
const amountOf = (value: unknown): number =>
  typeof value === 'number' && value > 0 && value <= MAX_AMOUNT ? value : 0;

/** Returns whether {@link amountOf} ignores an amount that pi adds up. */
const isRefused = (value: unknown): boolean =>
  value !== undefined && value !== null && !(typeof value === 'number' && value <= MAX_AMOUNT);

/** Parses a time as pi writes it, into milliseconds since 1970. Undefined for anything else. */
export const timeOf = (value: unknown): number | undefined => {
  const ms = typeof value === 'number' ? value : typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isSafeInteger(ms) && ms > 0 ? ms : undefined;
};

const COUNTED = ['input', 'output', 'cacheRead', 'cacheWrite', 'cacheWrite1h'] as const;

const countsOf = (usage: JsonObject): TokenCounts => ({
  input: Math.trunc(amountOf(usage.input)),
  output: Math.trunc(amountOf(usage.output)),
  cacheRead: Math.trunc(amountOf(usage.cacheRead)),
  cacheWrite: Math.trunc(amountOf(usage.cacheWrite)),
  cacheWrite1h: Math.trunc(amountOf(usage.cacheWrite1h)),
});

/** The parts of a usage line that don't depend on its position in the file. */
interface Usage {
  readonly usage: JsonObject;
  readonly provider?: unknown;
  readonly model?: unknown;
  readonly isAssistant: boolean;
  readonly hasFailed: boolean;
  /** When the message was created. Copies keep this time. */
  readonly messageTime?: unknown;
}

const usageIn = (entry: JsonObject): Usage | undefined => {
  const own = jsonObjectOf(entry.usage);
  switch (entry.type) {
    case 'message': {
      const message = jsonObjectOf(entry.message);
      const usage = jsonObjectOf(message?.usage);
      if (!message || !usage) return undefined;
      const messageTime = message.timestamp;
      if (message.role === 'toolResult') return { usage, isAssistant: false, hasFailed: false, messageTime };
      if (message.role !== 'assistant') return undefined;
      return {
        usage,
        provider: message.provider,
        model: message.responseModel ?? message.model,
        isAssistant: true,
        hasFailed: message.stopReason === 'error',
        messageTime,
      };
    }
    case 'usage':
      return (
        own && {
          usage: own,
          provider: entry.provider,
          model: entry.model,
          isAssistant: false,
          hasFailed: false,
        }
      );
    case 'compaction':
    case 'branch_summary':
      return own && { usage: own, isAssistant: false, hasFailed: false };
    default:
      return undefined;
  }
};

const TIME_BYTES = 6;
const LATEST_MS = 2 ** (8 * TIME_BYTES) - 1;
const KEY_BYTES = TIME_BYTES + 16;

/** Starts with the time, because storing a session's entries next to each other halves the time to add them. */
const keyOf = (atMs: number, identity: string): Uint8Array => {
  const key = Buffer.alloc(KEY_BYTES);
  key.writeUIntBE(Math.min(atMs, LATEST_MS), 0, TIME_BYTES);
  hash('sha256', identity, 'buffer').copy(key, TIME_BYTES);
  return key;
};

const toUsageLine = (entry: JsonObject, found: Usage, inUse: SessionModel): UsageLine => {
  const counts = countsOf(found.usage);
  const cost = jsonObjectOf(found.usage.cost);
  const usd = amountOf(cost?.total);
  const model = textOf(found.model);
  const named = model === undefined ? inUse : { provider: textOf(found.provider) ?? '', model };
  const id = textOf(entry.id);
  const atMs = timeOf(entry.timestamp) ?? timeOf(found.messageTime);
  const identity = [
    id ?? '',
    String(entry.timestamp ?? ''),
    String(found.messageTime ?? ''),
    textOf(found.provider) ?? '',
    model ?? '',
    ...Object.values(counts),
  ];
  const hasTokens = counts.input + counts.output + counts.cacheRead + counts.cacheWrite > 0;
  return {
    kind: 'usage',
    key: keyOf(atMs ?? 0, JSON.stringify(identity)),
    hasId: id !== undefined,
    atMs,
    isCall: found.isAssistant && hasTokens,
    isError: found.hasFailed,
    namesModel: model !== undefined,
    ...named,
    ...counts,
    usd,
    hasRefused: [...COUNTED.map((name) => found.usage[name]), cost?.total].some(isRefused),
  };
};

/** Parses a line as JSON. Undefined if it isn't an object, or is nested too deeply. */
export const parseFields = (text: string): JsonObject | undefined => {
  try {
    return jsonObjectOf(parseShallowJson(text));
  } catch {
    // A line truncated by a crash, or not a session at all.
    return undefined;
  }
};

/** Returns the facts in a line's fields about its session. `inUse` is the model of the preceding lines. */
export const sessionLineOf = (entry: JsonObject, inUse: SessionModel = NO_MODEL): SessionLine | undefined => {
  if (entry.type === 'session') {
    const id = textOf(entry.id);
    if (id === undefined || id === '') return undefined;
    return {
      kind: 'header',
      id,
      version: entry.version === undefined ? 1 : numberOf(entry.version),
      startedAtMs: timeOf(entry.timestamp),
      cwd: textOf(entry.cwd),
      parentSession: textOf(entry.parentSession),
    };
  }
  if (entry.type === 'model_change')
    return { kind: 'model', provider: textOf(entry.provider) ?? '', model: textOf(entry.modelId) ?? '' };
  if (entry.type === 'session_info') return { kind: 'name', name: textOf(entry.name) ?? '' };
  const found = usageIn(entry);
  if (found) return toUsageLine(entry, found, inUse);
  const text = entry.type === 'message' ? firstMessageOf(jsonObjectOf(entry.message)) : undefined;
  return text === undefined ? undefined : { kind: 'user', text };
};

/** The newest version of the format whose lines are all known. */
export const NEWEST_VERSION = 3;
