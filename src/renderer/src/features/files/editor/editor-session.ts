import { historyField, isolateHistory } from '@codemirror/commands';
import { Annotation, ChangeSet, EditorState, type Extension, Text, Transaction } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import type { Finding } from '../../../../../shared/api/checks.ts';
import { type EditedText, isSameText } from '../../../drafts/drafts.ts';
import { changesBetween } from '../text-changes.ts';
import { changedLines, savedVersionChanged } from './changed-lines.ts';
import { type EditorLanguage, editedText, shownText, switchLineNumbers } from './editor-extensions.ts';
import { type ModelNames, piArgsCompletion } from './pi-args-completion.ts';
import type { ViewActions } from './view-actions.ts';

/** Called for every change that a person makes. `isBase` is true if the text equals its base version. */
export type OnTextChange = (text: Text, isBase: boolean) => void;

/** The options for opening an editor. */
export interface EditorOptions {
  /**
   * The mount point. In a shadow root, style-mod adopts style sheets. In a document, the CSP refuses its `<style>`.
   */
  readonly root: ShadowRoot;
  /** Identifies the file, so that reopening it keeps its undo history. */
  readonly sessionKey: string;
  readonly label: string;
  readonly language: EditorLanguage;
  readonly text: EditedText;
  /** The text of the version that `text` is based on. */
  readonly base: string;
  readonly lineNumbers: boolean;
  readonly onTextChange: OnTextChange;
  /** The models that pi-args can name. */
  readonly modelNames: ModelNames;
}

/** An open editor. */
export interface OpenedEditor extends ViewActions {
  /** Replaces the text as a separate undo step. The caret keeps its place in unchanged text. */
  readonly setText: (text: EditedText) => void;
  readonly setBase: (base: string) => void;
  readonly setLineNumbers: (areShown: boolean) => void;
  /** Marks the findings in the version that the text is based on. */
  readonly setFindings: (findings: readonly Finding[]) => void;
  readonly close: () => void;
}

/**
 * The limit, in characters, for text from other programs' changes in an undo history. A program that
 * rewrites a large file for hours must not fill memory.
 */
export const MAX_OUTSIDE_HISTORY = 2 * 1024 * 1024;

/** Marks a change that didn't come from a person at this editor. */
const fromOutside = Annotation.define<true>();

/** The state of one file's editor, which outlives its views. */
export class EditorSession {
  state: EditorState;
  /** The last view's scroll position. */
  scrollTo: ReturnType<EditorView['scrollSnapshot']> | undefined;
  onTextChange: OnTextChange = () => {};
  modelNames: ModelNames = () => [];
  readonly #shown: Extension;
  readonly #edited: Extension;
  /** The extensions for a view without a comparison. A comparison marks the differences itself. */
  readonly #alone: Extension;
  #base: { readonly source: string; readonly doc: Text };
  #outsideCharacters = 0;

  constructor(label: string, language: EditorLanguage, text: EditedText, base: string) {
    this.#base = { source: base, doc: docOf(base) };
    const doc = text === base ? this.#base.doc : docOf(text);
    this.#shown = [
      shownText(label, language, doc),
      EditorView.updateListener.of(({ docChanged, state, transactions }) => {
        if (docChanged && transactions.some((it) => it.docChanged && it.annotation(fromOutside) !== true)) {
          this.onTextChange(state.doc, this.#isBase(state.doc));
        }
      }),
    ];
    this.#edited = [editedText, language === 'pi-args' ? piArgsCompletion(() => this.modelNames()) : []];
    this.#alone = changedLines(() => this.#base.doc);
    this.state = EditorState.create({ doc, extensions: [this.#shown, this.#edited, this.#alone] });
  }

  /** Returns the extensions for another view of the same text, with the current undo history. */
  extensions(): Extension {
    const past = this.state.field(historyField, false);
    return [this.#shown, this.#edited, past === undefined ? [] : historyField.init(() => past)];
  }

  /** Adopts another view's text, selection and undo history, but not its other extensions. */
  adopt(other: EditorState): void {
    const past = other.field(historyField);
    this.state = EditorState.create({
      doc: other.doc,
      selection: other.selection,
      extensions: [this.#shown, this.#edited, this.#alone, historyField.init(() => past)],
    });
  }

  /** Sets the base version. Returns whether it changed. */
  setBase(source: string): boolean {
    if (source === this.#base.source) return false;
    this.#base = { source, doc: docOf(source) };
    return true;
  }

  /** Returns the transaction that replaces a state's text. Null if the state already has the new text. */
  transactionTo(state: EditorState, text: EditedText): Transaction | null {
    if (text === this.#base.source ? this.#isBase(state.doc) : isSameText(text, state.doc)) return null;
    const changes = changesBetween(state.doc.toString(), String(text));
    for (const { from, to, insert } of changes) this.#outsideCharacters += to - from + insert.length;
    const isUndoable = this.#outsideCharacters <= MAX_OUTSIDE_HISTORY;
    return state.update({
      changes: [...changes],
      annotations: [
        fromOutside.of(true),
        isolateHistory.of('full'),
        ...(isUndoable ? [] : [Transaction.addToHistory.of(false)]),
      ],
    });
  }

  /** The base version's text. */
  get baseDoc(): Text {
    return this.#base.doc;
  }

  /** Returns the changes that turn the base version into `doc`. */
  changesTo(doc: Text): ChangeSet {
    const changes = this.#isBase(doc) ? [] : changesBetween(this.#base.source, doc.toString());
    return ChangeSet.of([...changes], this.#base.doc.length);
  }

  #isBase(doc: Text): boolean {
    return doc.eq(this.#base.doc);
  }
}

/** Converts text with LF line endings to a CodeMirror document. */
export const docOf = (text: EditedText): Text =>
  typeof text === 'string' ? Text.of(text.split('\n')) : text;

// An undo history can hold every earlier version, so keep only enough sessions for a day's work.
const MAX_SESSIONS = 30;
const MAX_CHARACTERS = 16 * 1024 * 1024;

const sessions = new Map<string, EditorSession>();

/** Returns a file's session, or creates one, and updates it to the given text. */
export const sessionOf = (options: EditorOptions): EditorSession => {
  const { sessionKey, label, language, text, base, lineNumbers } = options;
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
  session.onTextChange = options.onTextChange;
  session.modelNames = options.modelNames;
  // The map's last entry is the most recently used one.
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
