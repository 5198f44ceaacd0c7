import { type RefObject, useEffect, useRef } from 'react';
import type { EditableFile } from '../../../../shared/api/names.ts';
import { Loading } from '../../ui/loading.tsx';
import { FileEditing } from './file-editing.tsx';
import { FileProblem } from './file-problem.tsx';
import type { TextEditorHandle } from './text-editor.tsx';
import type { FileEditor } from './use-file-editor.ts';

interface FilePaneProps {
  readonly id: string;
  readonly file: EditableFile;
  readonly editor: FileEditor;
  readonly area: RefObject<TextEditorHandle | null>;
}

/** One file: its editor, or why there is none. */
export const FilePane = ({ id, file, editor, area }: FilePaneProps) => {
  const { state } = editor;
  const focusNext = useRef(false);
  useEffect(() => {
    // "Start" takes the place of the button that was pressed by an editor: that is where the focus belongs.
    if (!focusNext.current || state.status !== 'editing') return;
    focusNext.current = false;
    area.current?.focus();
  }, [state.status, area]);

  if (state.status === 'loading') return <Loading />;
  if (state.status === 'problem') {
    const start = (): void => {
      focusNext.current = true;
      editor.edit('', true);
    };
    return <FileProblem file={file} {...state} onStart={start} onRetry={editor.reread} />;
  }
  return <FileEditing id={id} file={file} editor={editor} state={state} area={area} />;
};
