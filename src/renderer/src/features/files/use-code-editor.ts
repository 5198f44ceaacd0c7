import {
  type RefObject,
  useCallback,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import type { Finding } from '../../../../shared/api/checks.ts';
import { useLineNumbers } from '../../appearance.ts';
import type { EditedText } from '../../drafts/drafts.ts';
import type { TextPlace } from '../../intents.ts';
import { strings } from '../../strings.ts';
import { notifyFailure } from '../../ui/toast.tsx';
import type { EditorLanguage } from './editor/editor-extensions.ts';
import type { OnTextChange, OpenedEditor } from './editor/editor-session.ts';
import type { Heading } from './editor/headings.ts';
import { type Chunk, comparisonChunk, editorChunk } from './editor/load-editor.ts';
import type { OpenedComparison } from './editor/open-comparison.ts';

/** The content of an editor. */
export interface CodeEditorProps {
  /** Identifies the file, so that reopening it keeps its undo history. */
  readonly sessionKey: string;
  readonly label: string;
  readonly language: EditorLanguage;
  readonly text: EditedText;
  /** The text of the version that `text` is based on. */
  readonly base: string;
  /** The text on disk to compare with. Null shows the text alone. */
  readonly theirs: string | null;
  readonly theirsLabel: string;
  /** The findings in `base`. Undefined leaves the marks as they are. */
  readonly findings: readonly Finding[] | undefined;
  readonly onTextChange: OnTextChange;
  /** Called when the comparison can't be loaded. */
  readonly onNoComparison: () => void;
}

/** The actions on an editor, which are safe to call before it has loaded. */
export interface CodeEditor {
  readonly host: RefObject<HTMLDivElement | null>;
  readonly status: 'loading' | 'open' | 'failed';
  readonly retry: () => void;
  readonly focus: () => void;
  readonly find: () => void;
  readonly headings: () => readonly Heading[];
  readonly goTo: (position: number) => void;
  readonly reveal: (place: TextPlace) => void;
  readonly next: () => void;
  readonly previous: () => void;
}

/** Opens an editor in the host's shadow tree once its code has loaded. Keeps it in sync with the props. */
export const useCodeEditor = (props: CodeEditorProps): CodeEditor => {
  const { text, base, theirs, findings, onNoComparison } = props;
  const host = useRef<HTMLDivElement>(null);
  const opened = useRef<OpenedEditor | OpenedComparison>(undefined);
  const focusWhenOpen = useRef(false);
  const revealWhenOpen = useRef<TextPlace>(null);
  const lineNumbers = useLineNumbers();
  const editor = useChunk(editorChunk, true);
  const comparison = useChunk(comparisonChunk, theirs !== null);
  const kind = theirs !== null && comparison.value ? 'comparison' : editor.value ? 'editor' : null;
  const onTextChange = useEffectEvent(props.onTextChange);

  const open = useEffectEvent((root: ShadowRoot, as: typeof kind) => {
    const options = {
      ...props,
      root,
      lineNumbers,
      onTextChange: (...change: Parameters<OnTextChange>) => onTextChange(...change),
    };
    return as === 'comparison' && theirs !== null
      ? comparison.value?.({ ...options, theirs })
      : editor.value?.(options);
  });

  useLayoutEffect(() => {
    if (!host.current || kind === null) return;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
    const shown = open(root, kind);
    opened.current = shown;
    if (focusWhenOpen.current) shown?.focus();
    focusWhenOpen.current = false;
    if (revealWhenOpen.current) shown?.reveal(revealWhenOpen.current);
    revealWhenOpen.current = null;
    return () => {
      // When one view replaces another, the focus moves along.
      focusWhenOpen.current = root.activeElement !== null;
      opened.current = undefined;
      shown?.close();
    };
  }, [kind]);

  // Update before the next event, because an earlier text would undo a later key.
  useLayoutEffect(() => {
    opened.current?.setBase(base);
    opened.current?.setText(text);
  }, [text, base]);
  useLayoutEffect(() => {
    const shown = opened.current;
    if (theirs !== null && shown && 'setTheirs' in shown) shown.setTheirs(theirs);
  }, [theirs]);

  useLayoutEffect(() => opened.current?.setLineNumbers(lineNumbers), [lineNumbers]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another view has no marks yet
  useLayoutEffect(() => {
    if (findings) opened.current?.setFindings(findings);
  }, [findings, kind]);

  const failComparison = useEffectEvent((error: unknown) => {
    notifyFailure(strings.files.comparisonFailed, error);
    onNoComparison();
  });
  useEffect(() => {
    if (comparison.error !== undefined) failComparison(comparison.error);
  }, [comparison.error]);

  const focus = useCallback(() => {
    if (opened.current) opened.current.focus();
    else focusWhenOpen.current = true;
  }, []);
  const reveal = useCallback((place: TextPlace) => {
    if (opened.current) opened.current.reveal(place);
    else revealWhenOpen.current = place;
  }, []);
  const move = (direction: 'next' | 'previous'): void => {
    const shown = opened.current;
    if (!shown || !('setTheirs' in shown)) return;
    shown[direction]();
  };
  return {
    host,
    status: kind !== null ? 'open' : editor.error === undefined ? 'loading' : 'failed',
    retry: editor.retry,
    focus,
    find: () => opened.current?.find(),
    headings: () => opened.current?.headings() ?? [],
    goTo: (position) => opened.current?.goTo(position),
    reveal,
    next: () => move('next'),
    previous: () => move('previous'),
  };
};

/** Loads a chunk once it is `wanted`. A chunk that is already loaded is available at once. */
const useChunk = <T>(chunk: Chunk<T>, wanted: boolean) => {
  const [state, setState] = useState<{ value?: T | undefined; error?: unknown }>(() => ({
    value: chunk.get(),
  }));
  const load = useCallback(() => {
    chunk.load().then(
      (value) => setState({ value }),
      (error: unknown) => setState({ error }),
    );
  }, [chunk]);
  const missing = wanted && state.value === undefined;
  useEffect(() => {
    if (missing) load();
  }, [missing, load]);
  return { ...state, retry: load };
};
