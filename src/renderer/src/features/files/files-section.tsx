import { Tabs } from '@base-ui/react/tabs';
import { useQueryClient } from '@tanstack/react-query';
import { FileLock2, FilePlus2, FileQuestionMark, FileWarning, FileX2, Plus } from 'lucide-react';
import { type RefObject, useEffect, useRef } from 'react';
import type { AgentSummary } from '../../../../shared/api/agents.ts';
import { titleOf } from '../../../../shared/api/errors.ts';
import { EDITABLE_FILES, type EditableFile, isOptionalFile } from '../../../../shared/api/names.ts';
import type { ApiError } from '../../api/client.ts';
import { useDraftedFiles } from '../../drafts/use-drafts.ts';
import { useShortcuts } from '../../shell/shortcuts.ts';
import { common } from '../../strings/common.ts';
import { files as words } from '../../strings/files.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Menu, MenuItem, MenuTrigger } from '../../ui/menu.tsx';
import { UnsavedDot } from '../../ui/unsaved-dot.tsx';
import { preloadEditor } from './editor/load-editor.ts';
import { EditorActions } from './editor-actions.tsx';
import { FileEditing } from './file-editing.tsx';
import { saveDrafts } from './save-draft.ts';
import type { TextEditorHandle } from './text-editor.tsx';
import { type FileEditor, useFileEditor } from './use-file-editor.ts';

const ICONS: Readonly<Record<string, typeof FileX2>> = {
  not_text: FileQuestionMark,
  outside_root: FileLock2,
  permission_denied: FileLock2,
  not_a_file: FileX2,
  file_too_large: FileWarning,
};

interface FileProblemProps {
  readonly file: string;
  readonly error: ApiError;
  readonly startable: boolean;
  readonly onStart: () => void;
  readonly onRetry: () => void;
}

/** Replaces the editor if a file can't be shown as text. Shows the server's reason. */
const FileProblem = ({ file, error, startable, onStart, onRetry }: FileProblemProps) => {
  if (startable) {
    return (
      <EmptyState icon={FilePlus2} title={words.missingTitle(file)} hint={error.message}>
        <Button variant="primary" onClick={onStart}>
          {words.startEmpty(file)}
        </Button>
      </EmptyState>
    );
  }
  const title = titleOf(error.code);
  const icon = ICONS[error.code];
  if (!title || !icon) return <ErrorState error={error} onRetry={onRetry} />;
  return (
    <EmptyState
      icon={icon}
      title={title}
      hint={
        <>
          <p>{error.message}</p>
          <p>{words.problemHint}</p>
        </>
      }
    >
      <Button onClick={onRetry}>{common.tryAgain}</Button>
    </EmptyState>
  );
};

/** The order of the tabs: the prompt first. */
const TAB_ORDER = EDITABLE_FILES.toSorted(
  (one, other) => Number(other === 'SYSTEM.md') - Number(one === 'SYSTEM.md'),
);

interface FilesSectionProps {
  readonly agent: AgentSummary;
  readonly file: EditableFile;
  readonly onOpen: (file: EditableFile) => void;
}

/** An agent's files: a tab for each that exists or has unsaved text, and the open file's editor. */
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
    // With no text open, leave searching to the browser.
    ...(editor.state.status === 'editing' && { find }),
  });
  useEffect(preloadEditor, []);

  const revert = (): void => {
    editor.discard(words.reverted(file));
    // The button disappears with the unsaved text.
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
        <FileTabs id={agent.id} files={TAB_ORDER.filter(hasTab)} unsaved={unsaved} />
        {missing.length > 0 && <AddFileMenu files={missing} onAdd={onOpen} />}
        <EditorActions
          editor={editor}
          unsavedCount={unsaved.length}
          area={area}
          hasOutline={file.endsWith('.md')}
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

interface AddFileMenuProps {
  readonly files: readonly EditableFile[];
  readonly onAdd: (file: EditableFile) => void;
}

/** Offers the missing optional files. Selecting one opens it empty, and the first save creates it. */
const AddFileMenu = ({ files, onAdd }: AddFileMenuProps) => (
  <Menu
    align="start"
    trigger={
      <MenuTrigger aria-label={words.addLabel} className={buttonClass('quiet', 'small')}>
        <Plus aria-hidden="true" className="size-3.5" />
        <span className="max-icons:hidden">{words.add}</span>
      </MenuTrigger>
    }
  >
    {files.map((file) => (
      <MenuItem key={file} onClick={() => onAdd(file)} className="flex-col gap-0">
        <span className="font-mono">{file}</span>
        <span className="text-sm text-muted">{words.addHints[file]}</span>
      </MenuItem>
    ))}
  </Menu>
);

interface FileTabsProps {
  readonly id: string;
  readonly files: readonly EditableFile[];
  readonly unsaved: readonly EditableFile[];
}

/** One tab per file. Its parent is a `Tabs.Root`, which knows which tab is open. */
const FileTabs = ({ id, files, unsaved }: FileTabsProps) => (
  <Tabs.List
    activateOnFocus
    aria-label={words.tabs(id)}
    className="flex min-w-0 items-stretch overflow-x-auto"
  >
    {files.map((file) => (
      <Tabs.Tab
        key={file}
        value={file}
        className="relative flex h-9 shrink-0 items-center gap-1.75 px-2.5 font-mono text-sm text-muted transition-colors duration-100 first:pl-4 hover:text-ink focus-visible:-outline-offset-3 data-active:text-ink data-active:after:absolute data-active:after:inset-x-0 data-active:after:bottom-0 data-active:after:h-0.5 data-active:after:bg-accent"
      >
        {file}
        {unsaved.includes(file) && <UnsavedDot />}
      </Tabs.Tab>
    ))}
  </Tabs.List>
);

interface FilePaneProps {
  readonly id: string;
  readonly file: EditableFile;
  readonly editor: FileEditor;
  readonly area: RefObject<TextEditorHandle | null>;
}

/** One file: its editor, or why it can't be edited. */
const FilePane = ({ id, file, editor, area }: FilePaneProps) => {
  const { state } = editor;
  const focusNext = useRef(false);
  useEffect(() => {
    // Starting a file replaces the clicked button with an editor, which then gets focus.
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
