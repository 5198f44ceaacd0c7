// Shared by everything that shows a text of a session, and tested alone.

/** Characters that change the direction of the text after them. */
const DIRECTION_MARKS = /[\u202a-\u202e\u2066-\u2069]/g;

/**
 * A text with its hidden direction marks spelled out. SECURITY: the text may be anyone's, and such a mark can make
 * a command or a file name read as another one.
 */
export const visible = (text: string): string =>
  text.replace(DIRECTION_MARKS, (mark) => `‹U+${mark.charCodeAt(0).toString(16).toUpperCase()}›`);

/** The arguments of a tool as lines to read: `name: value`, with texts as they are. */
export const argumentLines = (json: string): string => {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return Object.entries(value)
        .map(([name, own]) => `${name}: ${typeof own === 'string' ? own : JSON.stringify(own)}`)
        .join('\n');
  } catch {
    // It was cut, so it is no longer JSON.
  }
  return json;
};
