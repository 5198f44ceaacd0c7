import { ChevronDown, ChevronUp, RotateCw } from 'lucide-react';
import {
  type Ref,
  type RefObject,
  useCallback,
  useEffect,
  useEffectEvent,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { Finding } from '../../../../shared/api/checks.ts';
import { type EditedText, isSameText } from '../../drafts/drafts.ts';
import { useLineNumbers } from '../../shell/appearance.ts';
import type { TextPlace } from '../../shell/intents.ts';
import { isPopupOpen } from '../../shell/shortcuts.ts';
import { common } from '../../strings/common.ts';
import { conflict as conflictWords, files as words } from '../../strings/files.ts';
import { Button } from '../../ui/button.tsx';
import { reportFailure } from '../../ui/failures.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Tooltip } from '../../ui/tooltip.tsx';
import type { EditorLanguage } from './editor/editor-extensions.ts';
import type { OnTextChange, OpenedEditor } from './editor/editor-session.ts';
import { type Chunk, comparisonChunk, editorChunk } from './editor/load-editor.ts';
import type { OpenedComparison } from './editor/open-comparison.ts';
import type { Heading } from './editor/view-actions.ts';
import { mergeTexts } from './text-merge.ts';

interface CodeEditorProps {
  /** Identifies the file, so that reopening it keeps its undo history. */
  readonly sessionKey: string;
  readonly label: string;
  readonly language: EditorLanguage;
  readonly text: EditedText;
  /** The text of the version that `text` is based on. */
  readonly base: string;
  /** The text on disk to compare with. Null if nothing is compared. */
  readonly theirs: string | null;
  readonly theirsLabel: string;
  /** The findings in `base`. Undefined leaves the marks as they are. */
  readonly findings: readonly Finding[] | undefined;
  readonly onTextChange: OnTextChange;
  /** The models that pi-args can name. */
  readonly modelNames: readonly string[];
  /** Called if the comparison can't be loaded. */
  readonly onNoComparison: () => void;
}

/** The actions on an editor, which are safe to call before it has loaded. */
interface CodeEditor {
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
const useCodeEditor = (props: CodeEditorProps): CodeEditor => {
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
  const modelNames = useEffectEvent(() => props.modelNames);

  const open = useEffectEvent((root: ShadowRoot, as: typeof kind) => {
    const options = {
      ...props,
      root,
      lineNumbers,
      onTextChange: (...change: Parameters<OnTextChange>) => onTextChange(...change),
      modelNames: () => modelNames(),
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
    // Another dialog may have been opened since the focus was asked for.
    if (focusWhenOpen.current && !isPopupOpen()) shown?.focus();
    focusWhenOpen.current = false;
    if (revealWhenOpen.current) shown?.reveal(revealWhenOpen.current);
    revealWhenOpen.current = null;
    return () => {
      // When one view replaces another, the new one gets focus if the old one had it.
      focusWhenOpen.current = root.activeElement !== null;
      opened.current = undefined;
      shown?.close();
    };
  }, [kind]);

  // Update before the next event, because setting outdated text would undo a later key press.
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
    reportFailure(words.comparisonFailed, error);
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

/** Loads a chunk once it's `wanted`. A chunk that is already loaded is available at once. */
const useChunk = <T,>(chunk: Chunk<T>, wanted: boolean) => {
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

/** The page's handle on an editor. */
export type TextEditorHandle = Pick<CodeEditor, 'focus' | 'find' | 'headings' | 'goTo' | 'reveal'>;

interface TextEditorProps extends CodeEditorProps {
  readonly ref?: Ref<TextEditorHandle>;
  /** Saves text that already includes every change on disk that the comparison shows. */
  readonly onSaveMerged: () => void;
  readonly onOverwrite: () => void;
  readonly isSaving: boolean;
}

// More than fits on a screen. Showing all of a large file would take longer than loading the editor.
const PREVIEW_CHARACTERS = 10_000;

/**
 * The editor of a file's text, alone or with the text on disk on its left. Tab moves focus, as everywhere on the
 * page. Until its code loads, the start of the text is shown in the same place.
 */
export const TextEditor = ({ ref, onSaveMerged, onOverwrite, isSaving, ...props }: TextEditorProps) => {
  const editor = useCodeEditor(props);
  const { host, status, retry } = editor;
  useImperativeHandle(ref, () => editor);
  return (
    <div className="flex size-full flex-col">
      {status === 'failed' && <EditorFailed onRetry={retry} />}
      {props.theirs !== null && (
        <ComparisonHead
          text={props.text}
          base={props.base}
          theirs={props.theirs}
          isSaving={isSaving}
          onPrevious={editor.previous}
          onNext={editor.next}
          onSaveMerged={onSaveMerged}
          onOverwrite={onOverwrite}
        />
      )}
      <div className="relative min-h-0 flex-1">
        {status !== 'open' && (
          <pre className="absolute inset-0 overflow-hidden px-4 py-3 font-mono leading-[1.6] whitespace-break-spaces [overflow-wrap:anywhere] [tab-size:4]">
            {String(props.text).slice(0, PREVIEW_CHARACTERS)}
          </pre>
        )}
        {/* The page's line height must not affect the editor's lines. */}
        <div ref={host} className="absolute inset-0 font-mono" />
      </div>
    </div>
  );
};

const EditorFailed = ({ onRetry }: { readonly onRetry: () => void }) => (
  <Notice
    tone="danger"
    title={words.editorFailed}
    actions={
      <>
        <Button size="small" onClick={onRetry}>
          {common.tryAgain}
        </Button>
        <Button size="small" onClick={() => window.location.reload()}>
          <RotateCw aria-hidden="true" className="size-3.5" />
          {words.reloadPage}
        </Button>
      </>
    }
  >
    {words.editorFailedHint}
  </Notice>
);

interface ComparisonHeadProps {
  readonly text: EditedText;
  readonly base: string;
  readonly theirs: string;
  readonly isSaving: boolean;
  readonly onPrevious: () => void;
  readonly onNext: () => void;
  readonly onSaveMerged: () => void;
  readonly onOverwrite: () => void;
}

const ComparisonHead = (props: ComparisonHeadProps) => {
  const { text, base, theirs, isSaving, onPrevious, onNext, onSaveMerged, onOverwrite } = props;
  const { isMerged, status } = useMemo(() => {
    if (isSameText(text, theirs)) return { isMerged: true, status: conflictWords.same };
    const mine = String(text);
    const { text: merged, overlaps } = mergeTexts(base, mine, theirs);
    if (overlaps > 0) return { isMerged: false, status: conflictWords.overlaps(overlaps) };
    return merged === mine
      ? { isMerged: true, status: conflictWords.noOverlaps }
      : { isMerged: false, status: conflictWords.leftOut };
  }, [text, base, theirs]);
  return (
    <div className="flex items-center border-b border-line bg-sunken py-1 text-sm font-medium text-muted">
      <h2 className="min-w-0 flex-1 px-4.5">{conflictWords.theirs}</h2>
      <div className="flex min-w-0 flex-1 flex-wrap items-center justify-end gap-1 pr-3 pl-8">
        <h2>{conflictWords.mine}</h2>
        <span role="status" className="mr-auto truncate pl-1.5 font-normal">
          {status}
        </span>
        <MoveButton label={conflictWords.previousDifference} Icon={ChevronUp} onClick={onPrevious} />
        <MoveButton label={conflictWords.nextDifference} Icon={ChevronDown} onClick={onNext} />
        <Button
          variant="primary"
          size="small"
          disabled={isSaving}
          onClick={isMerged ? onSaveMerged : onOverwrite}
        >
          {isMerged ? conflictWords.saveMerged : conflictWords.saveMine}
        </Button>
      </div>
    </div>
  );
};

interface MoveButtonProps {
  readonly label: string;
  readonly Icon: typeof ChevronUp;
  readonly onClick: () => void;
}

const MoveButton = ({ label, Icon, onClick }: MoveButtonProps) => (
  <Tooltip label={label}>
    <Button variant="quiet" size="icon" aria-label={label} onClick={onClick}>
      <Icon aria-hidden="true" className="size-3.5" />
    </Button>
  </Tooltip>
);
