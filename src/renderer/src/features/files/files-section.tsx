import { Tabs } from '@base-ui/react/tabs';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { AgentSummary } from '../../../../shared/api/agents.ts';
import { EDITABLE_FILES, type EditableFile, isOptionalFile } from '../../../../shared/api/names.ts';
import { useShortcuts } from '../../commands/use-shortcuts.ts';
import { useDraftedFiles } from '../../drafts/use-drafts.ts';
import { strings } from '../../strings.ts';
import { AddFileMenu } from './add-file-menu.tsx';
import { preloadEditor } from './editor/load-editor.ts';
import { EditorActions } from './editor-actions.tsx';
import { FilePane } from './file-pane.tsx';
import { FileTabs } from './file-tabs.tsx';
import { saveDrafts } from './save-draft.ts';
import type { TextEditorHandle } from './text-editor.tsx';
import { useFileEditor } from './use-file-editor.ts';

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
  const client = useQueryClient();
  const area = useRef<TextEditorHandle>(null);
  const find = (): void => area.current?.find();
  useShortcuts({
    save: editor.save,
    // Where there is no text the browser may look through the page.
    ...(editor.state.status === 'editing' && { find }),
  });
  useEffect(preloadEditor, []);

  const revert = (): void => {
    editor.discard(strings.files.reverted(file));
    // The button goes with the unsaved text.
    area.current?.focus();
  };
  const saveAll = async (): Promise<void> => {
    const failed = await saveDrafts(client, agent.id, unsaved);
    if (failed) onOpen(failed);
    area.current?.focus();
  };
  return (
    <Tabs.Root value={file} onValueChange={(name) => onOpen(name)} className="flex h-full min-h-0 flex-col">
      <div className="flex min-h-9 items-center border-b border-line pr-3">
        <FileTabs id={agent.id} files={EDITABLE_FILES.filter(hasTab)} unsaved={unsaved} />
        {missing.length > 0 && <AddFileMenu files={missing} onAdd={onOpen} />}
        <EditorActions
          editor={editor}
          unsavedCount={unsaved.length}
          onFind={find}
          onRevert={revert}
          onSaveAll={() => void saveAll()}
        />
      </div>
      <Tabs.Panel value={file} tabIndex={-1} className="min-h-0 flex-1 overflow-auto outline-none">
        <FilePane key={editor.sessionKey} id={agent.id} file={file} editor={editor} area={area} />
      </Tabs.Panel>
    </Tabs.Root>
  );
};
