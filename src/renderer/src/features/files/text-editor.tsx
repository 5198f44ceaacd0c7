import { ChevronDown, ChevronUp, RotateCw } from 'lucide-react';
import { type Ref, useImperativeHandle, useMemo } from 'react';
import { type EditedText, isSameText } from '../../drafts/drafts.ts';
import { strings } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Tooltip } from '../../ui/tooltip.tsx';
import { mergeTexts } from './text-merge.ts';
import { type CodeEditor, type CodeEditorProps, useCodeEditor } from './use-code-editor.ts';

/** The page's handle on an editor. */
export type TextEditorHandle = Pick<CodeEditor, 'focus' | 'find' | 'headings' | 'goTo' | 'reveal'>;

interface TextEditorProps extends CodeEditorProps {
  readonly ref?: Ref<TextEditorHandle>;
  /** Saves the text, which has every change of the one on disk that a comparison shows. */
  readonly onSaveMerged: () => void;
  /** Saves the text over the one on disk. */
  readonly onOverwrite: () => void;
  readonly isSaving: boolean;
}

// More than a screen shows. Showing all of a large file would take longer than loading the editor.
const PREVIEW_CHARACTERS = 10_000;

/**
 * The editor of a file's text, alone or with the text on disk to its left. Tab moves the focus, as everywhere
 * on the page. Until its code loads, the beginning of the text is shown in the same place.
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
        {/* The page's base line height must not affect the editor's lines. */}
        <div ref={host} className="absolute inset-0 font-mono" />
      </div>
    </div>
  );
};

const EditorFailed = ({ onRetry }: { readonly onRetry: () => void }) => (
  <Notice
    tone="danger"
    title={strings.files.editorFailed}
    actions={
      <>
        <Button size="small" onClick={onRetry}>
          {strings.common.tryAgain}
        </Button>
        <Button size="small" onClick={() => window.location.reload()}>
          <RotateCw aria-hidden="true" className="size-3.5" />
          {strings.files.reloadPage}
        </Button>
      </>
    }
  >
    {strings.files.editorFailedHint}
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
  const words = strings.conflict;
  const { isMerged, status } = useMemo(() => {
    if (isSameText(text, theirs)) return { isMerged: true, status: words.same };
    const mine = String(text);
    const { text: merged, overlaps } = mergeTexts(base, mine, theirs);
    if (overlaps > 0) return { isMerged: false, status: words.overlaps(overlaps) };
    return merged === mine
      ? { isMerged: true, status: words.noOverlaps }
      : { isMerged: false, status: words.leftOut };
  }, [text, base, theirs]);
  return (
    <div className="flex items-center border-b border-line bg-sunken py-1 text-sm font-medium text-muted">
      <h2 className="min-w-0 flex-1 px-4.5">{words.theirs}</h2>
      <div className="flex min-w-0 flex-1 flex-wrap items-center justify-end gap-1 pr-3 pl-8">
        <h2>{words.mine}</h2>
        <span role="status" className="mr-auto truncate pl-1.5 font-normal">
          {status}
        </span>
        <MoveButton label={words.previousDifference} Icon={ChevronUp} onClick={onPrevious} />
        <MoveButton label={words.nextDifference} Icon={ChevronDown} onClick={onNext} />
        <Button
          variant="primary"
          size="small"
          disabled={isSaving}
          onClick={isMerged ? onSaveMerged : onOverwrite}
        >
          {isMerged ? words.saveMerged : words.saveMine}
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
