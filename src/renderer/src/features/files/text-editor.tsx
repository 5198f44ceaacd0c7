import { ChevronDown, ChevronUp, RotateCw } from 'lucide-react';
import { type Ref, useImperativeHandle } from 'react';
import { isSameText } from '../../drafts/edited-text.ts';
import { strings } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Tooltip } from '../../ui/tooltip.tsx';
import { type CodeEditor, type CodeEditorProps, useCodeEditor } from './use-code-editor.ts';

/** The page's handle on an editor. */
export type TextEditorHandle = Pick<CodeEditor, 'focus' | 'find' | 'headings' | 'goTo' | 'reveal'>;

interface TextEditorProps extends CodeEditorProps {
  readonly ref?: Ref<TextEditorHandle>;
  /** Saves the text over the one on disk, which a comparison shows. */
  readonly onSaveMerged: () => void;
  readonly isSaving: boolean;
}

// More than a screen shows. Showing all of a large file would take longer than loading the editor.
const PREVIEW_CHARACTERS = 10_000;

/**
 * The editor of a file's text, alone or with the text on disk to its left. Tab moves the focus, as everywhere
 * on the page. Until its code loads, the beginning of the text is shown in the same place.
 */
export const TextEditor = ({ ref, onSaveMerged, isSaving, ...props }: TextEditorProps) => {
  const editor = useCodeEditor(props);
  const { host, status, retry } = editor;
  useImperativeHandle(ref, () => editor);
  return (
    <div className="flex size-full flex-col">
      {status === 'failed' && <EditorFailed onRetry={retry} />}
      {props.theirs !== null && (
        <ComparisonHead
          isSame={isSameText(props.text, props.theirs)}
          isSaving={isSaving}
          onPrevious={editor.previous}
          onNext={editor.next}
          onSave={onSaveMerged}
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
  /** Whether both sides are equal. */
  readonly isSame: boolean;
  readonly isSaving: boolean;
  readonly onPrevious: () => void;
  readonly onNext: () => void;
  readonly onSave: () => void;
}

const ComparisonHead = ({ isSame, isSaving, onPrevious, onNext, onSave }: ComparisonHeadProps) => {
  const words = strings.conflict;
  return (
    <div className="flex items-center border-b border-line bg-sunken py-1 text-sm font-medium text-muted">
      <h2 className="min-w-0 flex-1 px-4.5">{words.theirs}</h2>
      <div className="flex min-w-0 flex-1 flex-wrap items-center justify-end gap-1 pr-3 pl-8">
        <h2>{words.mine}</h2>
        <span role="status" className="mr-auto truncate pl-1.5 font-normal">
          {isSame && words.same}
        </span>
        <MoveButton label={words.previousDifference} Icon={ChevronUp} onClick={onPrevious} />
        <MoveButton label={words.nextDifference} Icon={ChevronDown} onClick={onNext} />
        <Button variant="primary" size="small" disabled={isSaving} onClick={onSave}>
          {words.saveMerged}
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
