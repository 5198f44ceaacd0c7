import { historyField, isolateHistory } from '@codemirror/commands';
import { Annotation, EditorState, type Extension, Text, type Transaction } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { type EditedText, isSameText } from '../../../drafts/edited-text.ts';
import { changesBetween } from '../text-changes.ts';
import { type EditorLanguage, editedText, shownText } from './editor-extensions.ts';

/** Told of every change that a person makes; `isBase` when the text reads as the version it was made from. */
export type OnTextChange = (text: Text, isBase: boolean) => void;

/** What an editor is opened with. */
export interface EditorOptions {
  /** Where it is mounted: style-mod adopts style sheets there, where in a document the CSP refuses its `<style>`. */
  readonly root: ShadowRoot;
  /** Names the file: the same one comes back with its undo history. */
  readonly sessionKey: string;
  readonly label: string;
  readonly language: EditorLanguage;
  readonly text: EditedText;
  /** The text of the version that the text was made from. */
  readonly base: string;
  readonly onTextChange: OnTextChange;
}

/** An editor on the screen. */
export interface OpenedEditor {
  /** Shows another text, as a step of its own that can be undone; the caret stays in what is alike. */
  readonly setText: (text: EditedText) => void;
  readonly setBase: (base: string) => void;
  readonly focus: () => void;
  readonly find: () => void;
  readonly close: () => void;
}

/** Marks a change that did not come from a person at this editor. */
const fromOutside = Annotation.define<true>();

/** The state of one file's editor, which outlives the views that show it. */
export class EditorSession {
  state: EditorState;
  /** Where the view that showed it was scrolled to. */
  scrollTo: ReturnType<EditorView['scrollSnapshot']> | undefined;
  onTextChange: OnTextChange = () => {};
  readonly #shown: Extension;
  #base: { readonly source: string; readonly doc: Text };

  constructor(label: string, language: EditorLanguage, text: EditedText, base: string) {
    this.#shown = [
      shownText(label, language),
      EditorView.updateListener.of(({ docChanged, state, transactions }) => {
        if (docChanged && transactions.some((it) => it.docChanged && it.annotation(fromOutside) !== true)) {
          this.onTextChange(state.doc, this.#isBase(state.doc));
        }
      }),
    ];
    this.#base = { source: base, doc: docOf(base) };
    const doc = text === base ? this.#base.doc : docOf(text);
    this.state = EditorState.create({ doc, extensions: [this.#shown, editedText] });
  }

  /** The extensions for another view of the same text, with the undo history as it is now. */
  extensions(): Extension {
    const past = this.state.field(historyField, false);
    return [this.#shown, editedText, past === undefined ? [] : historyField.init(() => past)];
  }

  /** Takes over what another view made of the text, without what that view was made of besides. */
  adopt(other: EditorState): void {
    const past = other.field(historyField);
    this.state = EditorState.create({
      doc: other.doc,
      selection: other.selection,
      extensions: [this.#shown, editedText, historyField.init(() => past)],
    });
  }

  setBase(source: string): void {
    if (source !== this.#base.source) this.#base = { source, doc: docOf(source) };
  }

  /** What brings a state to another text; null when it reads so already. */
  transactionTo(state: EditorState, text: EditedText): Transaction | null {
    if (text === this.#base.source ? this.#isBase(state.doc) : isSameText(text, state.doc)) return null;
    return state.update({
      changes: [...changesBetween(state.doc.toString(), String(text))],
      annotations: [fromOutside.of(true), isolateHistory.of('full')],
    });
  }

  #isBase(doc: Text): boolean {
    return doc.eq(this.#base.doc);
  }
}

/** The tree of a text with LF line ends. */
export const docOf = (text: EditedText): Text =>
  typeof text === 'string' ? Text.of(text.split('\n')) : text;
