import { useEffect, useRef, useState } from 'react';
import { strings } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Notice } from '../../ui/notice.tsx';
import { ConflictNotice } from './conflict-notice.tsx';
import { EditorStatus } from './editor-status.tsx';
import { FileProblem } from './file-problem.tsx';
import type { FileState } from './file-state.ts';
import { SideBySide } from './side-by-side.tsx';
import { TextEditor } from './text-editor.tsx';
import type { FileEditor } from './use-file-editor.ts';

interface FilePaneProps {
  readonly id: string;
  readonly file: string;
  readonly editor: FileEditor;
}

/** One file: its editor, or why there is none. */
export const FilePane = ({ id, file, editor }: FilePaneProps) => {
  const { state } = editor;
  const area = useRef<HTMLTextAreaElement>(null);
  const focusNext = useRef(false);
  useEffect(() => {
    // "Start" takes the place of the button that was pressed by an editor: that is where the focus belongs.
    if (!focusNext.current || state.status !== 'editing') return;
    focusNext.current = false;
    area.current?.focus();
  }, [state.status]);

  if (state.status === 'loading') return <Loading />;
  if (state.status === 'problem') {
    const start = (): void => {
      focusNext.current = true;
      editor.edit('');
    };
    return <FileProblem file={file} {...state} onStart={start} onRetry={editor.reread} />;
  }
  return <Editing id={id} file={file} editor={editor} state={state} area={area} />;
};

interface EditingProps extends FilePaneProps {
  readonly state: Extract<FileState, { status: 'editing' }>;
  readonly area: React.RefObject<HTMLTextAreaElement | null>;
}

const Editing = ({ id, file, editor, state, area }: EditingProps) => {
  const { conflict, saveError, diskError } = state;
  const [showsBoth, setShowsBoth] = useState(false);
  const words = strings.files;
  const settle = (act: () => void): void => {
    setShowsBoth(false);
    act();
    area.current?.focus();
  };
  const mine = (
    <TextEditor ref={area} label={words.editor(file, id)} text={state.text} onTextChange={editor.edit} />
  );
  return (
    <div className="flex h-full min-h-0 flex-col">
      {conflict && (
        <ConflictNotice
          file={file}
          disk={conflict}
          showsBoth={showsBoth}
          onShowBoth={setShowsBoth}
          onReload={() => settle(() => editor.discard(strings.conflict.reloaded(file)))}
          onOverwrite={() => settle(() => editor.overwrite(conflict))}
        />
      )}
      {diskError && (
        <Notice tone="warn" title={words.diskUnreadable}>
          {diskError.message}
        </Notice>
      )}
      {saveError && (
        <Notice
          tone="danger"
          title={words.notSaved}
          actions={
            <Button size="small" onClick={() => settle(editor.save)}>
              {strings.common.tryAgain}
            </Button>
          }
        >
          {saveError.message}
        </Notice>
      )}
      <div className="min-h-0 flex-1">
        {/* One element in one place, so that showing both keeps the caret and the undo history of mine. */}
        <SideBySide file={file} id={id} disk={showsBoth ? conflict : null}>
          {mine}
        </SideBySide>
      </div>
      <EditorStatus state={state} format={editor.format} />
    </div>
  );
};
