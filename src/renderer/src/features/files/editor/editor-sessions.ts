import { savedVersionChanged } from './changed-lines.ts';
import type { EditorOptions } from './editor-session.ts';
import { EditorSession } from './editor-session.ts';
import { switchLineNumbers } from './line-number-gutter.ts';

// An undo history can hold every earlier text, so keep only enough files for a day's work.
const MAX_SESSIONS = 30;
const MAX_CHARACTERS = 16 * 1024 * 1024;

const sessions = new Map<string, EditorSession>();

/** Returns a file's session, or creates one, and updates it to the given text. */
export const sessionOf = (options: EditorOptions): EditorSession => {
  const { sessionKey, label, language, text, base, lineNumbers, onTextChange } = options;
  const session = sessions.get(sessionKey) ?? new EditorSession(label, language, text, base);
  if (session.setBase(base))
    session.state = session.state.update({ effects: savedVersionChanged.of(null) }).state;
  const numbers = switchLineNumbers(session.state, lineNumbers);
  if (numbers.length > 0) session.state = session.state.update({ effects: numbers }).state;
  const transaction = session.transactionTo(session.state, text);
  if (transaction) {
    session.state = transaction.state;
    session.scrollTo = undefined;
  }
  session.onTextChange = onTextChange;
  // The map's last entry is the one used last.
  sessions.delete(sessionKey);
  sessions.set(sessionKey, session);
  forgetOldest();
  return session;
};

const forgetOldest = (): void => {
  let characters = 0;
  for (const { state } of sessions.values()) characters += state.doc.length;
  for (const [key, session] of sessions) {
    if (sessions.size <= 1 || (sessions.size <= MAX_SESSIONS && characters <= MAX_CHARACTERS)) return;
    sessions.delete(key);
    characters -= session.state.doc.length;
  }
};
