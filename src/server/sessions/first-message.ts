import { type JsonObject, jsonObjectOf } from '../../shared/json-object.ts';

/** The length limit for a stored first message. */
const MAX_CHARACTERS = 100;

/** The most UTF-16 code units to read from a text part, and the most parts to read from a message. */
const MAX_READ = 1_000;
const MAX_PARTS = 20;

const textsIn = (content: unknown): string[] => {
  if (typeof content === 'string') return [content];
  if (!Array.isArray(content)) return [];
  return content.slice(0, MAX_PARTS).flatMap((value) => {
    const part = jsonObjectOf(value);
    return part?.type === 'text' && typeof part.text === 'string' ? [part.text] : [];
  });
};

/**
 * Returns the start of a user's message on one line. Undefined for other messages and those without text.
 *
 * SECURITY: a message can contain anything. Removes control characters and hidden marks, such as direction marks.
 */
export const firstMessageOf = (message: JsonObject | undefined): string | undefined => {
  if (message?.role !== 'user') return undefined;
  const line = textsIn(message.content)
    .map((text) => text.trimStart().slice(0, MAX_READ))
    .join(' ')
    .toWellFormed()
    .replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    // Two of the hidden marks join letters and emoji, so keep those.
    .replace(/(?![\u200c\u200d])\p{Cf}/gu, '')
    .trim();
  const characters = [...line];
  if (characters.length <= MAX_CHARACTERS) return line === '' ? undefined : line;
  return `${characters
    .slice(0, MAX_CHARACTERS - 1)
    .join('')
    .trimEnd()}…`;
};
