import type { SessionEntry, SessionPart, SessionUsage } from '../../shared/api/sessions.ts';
import { type JsonObject, jsonObjectOf } from '../../shared/json-object.ts';
import { timeOf } from './session-line.ts';

/** The length limit for an entry's text, in UTF-16 code units. */
const MAX_TEXT = 64 * 1024;

/** The limit for parts of one message, and for sections or tools of one prompt. */
const MAX_PARTS = 1_000;

const MAX_NAME = 500;

const nameOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value.slice(0, MAX_NAME).toWellFormed() : undefined;

const shown = (text: string): { text: string; cut?: number } =>
  text.length <= MAX_TEXT
    ? { text: text.toWellFormed() }
    : { text: text.slice(0, MAX_TEXT).toWellFormed(), cut: text.length - MAX_TEXT };

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

const listIn = (value: unknown): unknown[] => (Array.isArray(value) ? value.slice(0, MAX_PARTS) : []);

const partOf = (value: unknown): SessionPart => {
  const part = jsonObjectOf(value) ?? {};
  switch (part.type) {
    case 'text':
      return { type: 'text', ...shown(textIn(part.text)) };
    case 'thinking':
      return { type: 'thinking', ...shown(textIn(part.thinking)) };
    case 'toolCall':
      return {
        type: 'tool_call',
        id: nameOf(part.id) ?? null,
        name: nameOf(part.name) ?? '',
        ...shown(JSON.stringify(part.arguments ?? {})),
      };
    case 'image':
      return {
        type: 'image',
        mimeType: nameOf(part.mimeType) ?? '',
        // Three bytes are four characters in Base64.
        bytes: Math.floor((textIn(part.data).length * 3) / 4),
      };
    default:
      return { type: 'unknown', name: nameOf(part.type) ?? '' };
  }
};

/** Returns a message's parts. pi writes a message with only text as a string. */
const partsOf = (content: unknown): SessionPart[] =>
  typeof content === 'string' ? [{ type: 'text', ...shown(content) }] : listIn(content).map(partOf);

const iso = (ms: number | undefined): string | null => {
  const time = ms === undefined ? undefined : new Date(ms);
  return time === undefined || Number.isNaN(time.getTime()) ? null : time.toISOString();
};

const placeOf = (entry: JsonObject) => ({
  id: nameOf(entry.id) ?? null,
  parentId: nameOf(entry.parentId) ?? null,
  at: iso(timeOf(entry.timestamp) ?? timeOf(jsonObjectOf(entry.message)?.timestamp)),
});

type Place = ReturnType<typeof placeOf>;

const promptOf = (place: Place, message: JsonObject): SessionEntry => ({
  type: 'prompt',
  ...place,
  sections: Object.entries(jsonObjectOf(message.sections) ?? {})
    .slice(0, MAX_PARTS)
    .map(([name, text]) => ({ name: nameOf(name) ?? '', ...shown(textIn(text)) })),
  tools: listIn(message.toolsAdded).map((tool) => nameOf(jsonObjectOf(tool)?.name ?? tool) ?? ''),
});

const messageOf = (place: Place, message: JsonObject, usage: SessionUsage | null): SessionEntry => {
  switch (message.role) {
    case 'user':
      return { type: 'user', ...place, parts: partsOf(message.content) };
    case 'assistant': {
      const error = typeof message.errorMessage === 'string' ? shown(message.errorMessage).text : null;
      const stopReason = nameOf(message.stopReason) ?? null;
      return { type: 'assistant', ...place, parts: partsOf(message.content), stopReason, error, usage };
    }
    case 'toolResult':
      return {
        type: 'tool_result',
        ...place,
        callId: nameOf(message.toolCallId) ?? null,
        tool: nameOf(message.toolName) ?? '',
        isError: message.isError === true,
        parts: partsOf(message.content),
        usage,
      };
    case 'bashExecution':
      return {
        type: 'command',
        ...place,
        command: shown(textIn(message.command)).text,
        ...shown(textIn(message.output)),
        exitCode: Number.isSafeInteger(message.exitCode) ? Number(message.exitCode) : null,
      };
    case 'system':
      return promptOf(place, message);
    // Session format 2 calls this a hook message.
    case 'custom':
    case 'hookMessage':
      return {
        type: 'extension',
        ...place,
        name: nameOf(message.customType) ?? '',
        parts: partsOf(message.content),
      };
    default:
      return { type: 'unknown', ...place, name: `message ${nameOf(message.role) ?? ''}`.trim() };
  }
};

/** Converts a session line that has its own entry, with its cost. */
export const toSessionEntry = (entry: JsonObject, usage: SessionUsage | null): SessionEntry => {
  const place = placeOf(entry);
  switch (entry.type) {
    case 'message':
      return messageOf(place, jsonObjectOf(entry.message) ?? {}, usage);
    case 'compaction':
    case 'branch_summary': {
      const kind = entry.type === 'compaction' ? 'compaction' : 'branch';
      return { type: 'summary', ...place, kind, ...shown(textIn(entry.summary)), usage };
    }
    case 'usage':
      return { type: 'usage', ...place, kind: nameOf(entry.kind) ?? '', usage };
    case 'model_change': {
      const [provider, model] = [nameOf(entry.provider) ?? '', nameOf(entry.modelId) ?? ''];
      return { type: 'model', ...place, model: provider === '' ? model : `${provider}/${model}` };
    }
    case 'thinking_level_change':
      return { type: 'thinking_level', ...place, level: nameOf(entry.thinkingLevel) ?? '' };
    case 'session_info':
      return { type: 'name', ...place, name: nameOf(entry.name) ?? '' };
    case 'label':
      return { type: 'label', ...place, label: nameOf(entry.label) ?? null };
    case 'context_edit': {
      const replacement = jsonObjectOf(entry.replacement);
      const parts = replacement ? partsOf(replacement.content) : null;
      return { type: 'context_edit', ...place, targetId: nameOf(entry.targetId) ?? '', parts };
    }
    case 'custom_message':
      return {
        type: 'extension',
        ...place,
        name: nameOf(entry.customType) ?? '',
        parts: partsOf(entry.content),
      };
    case 'custom':
      return { type: 'extension', ...place, name: nameOf(entry.customType) ?? '', parts: [] };
    default:
      return { type: 'unknown', ...place, name: nameOf(entry.type) ?? '' };
  }
};

/** Returns the entry for a line that can't be read. */
export const unreadableEntry = (reason: 'not_json' | 'too_long'): SessionEntry => ({
  type: 'unreadable',
  id: null,
  parentId: null,
  at: null,
  reason,
});
