import { Tabs } from '@base-ui/react/tabs';
import { useEffect } from 'react';
import type { AgentSummary } from '../../../../shared/api/agents.ts';
import { EDITABLE_FILES, type EditableFile, isOptionalFile } from '../../../../shared/api/names.ts';
import { useDraftedFiles } from '../../drafts/use-drafts.ts';
import { strings } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { AddFileMenu } from './add-file-menu.tsx';
import { FilePane } from './file-pane.tsx';
import { FileTabs } from './file-tabs.tsx';
import { type FileEditor, useFileEditor } from './use-file-editor.ts';

interface FilesSectionProps {
  readonly agent: AgentSummary;
  readonly file: EditableFile;
  readonly onOpen: (file: EditableFile) => void;
}

/** The files of an agent: a tab for each that exists or has unsaved text, and the editor of the open one. */
export const FilesSection = ({ agent, file, onOpen }: FilesSectionProps) => {
  const editor = useFileEditor(agent.id, file);
  const unsaved = useDraftedFiles(agent.id);
  const hasTab = (name: EditableFile): boolean =>
    !isOptionalFile(name) || agent.files[name].exists || unsaved.includes(name) || name === file;
  const missing = EDITABLE_FILES.filter((name) => !hasTab(name));
  useSaveShortcut(editor.save);
  return (
    <Tabs.Root value={file} onValueChange={(name) => onOpen(name)} className="flex h-full min-h-0 flex-col">
      <div className="flex min-h-9 items-center border-b border-line pr-3">
        <FileTabs id={agent.id} files={EDITABLE_FILES.filter(hasTab)} unsaved={unsaved} />
        {missing.length > 0 && <AddFileMenu files={missing} onAdd={onOpen} />}
        <EditorActions file={file} editor={editor} />
      </div>
      <Tabs.Panel value={file} tabIndex={-1} className="min-h-0 flex-1 overflow-auto outline-none">
        <FilePane key={`${agent.id}/${file}`} id={agent.id} file={file} editor={editor} />
      </Tabs.Panel>
    </Tabs.Root>
  );
};

const EditorActions = ({ file, editor }: { readonly file: EditableFile; readonly editor: FileEditor }) => {
  const { state } = editor;
  if (state.status !== 'editing') return null;
  const words = strings.files;
  const { saving, dirty, isNew, conflict } = state;
  return (
    <div className="ml-auto flex shrink-0 gap-1.5 pl-3">
      {dirty && (
        <Button
          variant="quiet"
          size="small"
          disabled={saving}
          onClick={() => editor.discard(words.reverted(file))}
        >
          {words.revert}
        </Button>
      )}
      <Button
        variant={dirty || isNew ? 'primary' : 'secondary'}
        size="small"
        // In a conflict the notice offers the ways to save.
        disabled={saving || conflict !== null || !(dirty || isNew)}
        onClick={editor.save}
      >
        {saving ? words.saving : isNew ? words.create : words.save}
      </Button>
    </div>
  );
};

/** Ctrl+S, or Cmd+S, anywhere on the page; the browser's own "save page" would be of no use here. */
const useSaveShortcut = (save: () => void): void => {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (
        event.key.toLowerCase() !== 's' ||
        !(event.ctrlKey || event.metaKey) ||
        event.altKey ||
        event.shiftKey
      )
        return;
      event.preventDefault();
      save();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [save]);
};
