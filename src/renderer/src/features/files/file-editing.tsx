import { useQuery } from '@tanstack/react-query';
import { type RefObject, useMemo } from 'react';
import type { Finding } from '../../../../shared/api/checks.ts';
import type { EditableFile } from '../../../../shared/api/names.ts';
import type { ReadModels } from '../../api/models.ts';
import { agentChecksQuery, modelsQuery } from '../../api/queries.ts';
import { useDraftKeeping } from '../../drafts/draft-keeping.tsx';
import type { FileVersion } from '../../drafts/drafts.ts';
import { useDraft, useOtherDraft } from '../../drafts/use-drafts.ts';
import { useAction, useRequestedPlace } from '../../shell/intents.ts';
import { isPopupOpen } from '../../shell/shortcuts.ts';
import { common } from '../../strings/common.ts';
import { conflict as conflictWords, draftWords, files as words } from '../../strings/files.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { TimeAgo } from '../../ui/time-ago.tsx';
import type { EditorLanguage } from './editor/editor-extensions.ts';
import { EditorStatus } from './editor-status.tsx';
import type { FileViewState } from './file-state.ts';
import { toEditorText } from './line-endings.ts';
import { TextEditor, type TextEditorHandle } from './text-editor.tsx';
import type { FileEditor } from './use-file-editor.ts';

interface ConflictNoticeProps {
  readonly file: string;
  readonly disk: FileVersion;
  /** When the draft was typed (ms since 1970), if it was restored from an earlier page. */
  readonly restoredFrom: number | null;
  readonly compares: boolean;
  readonly onCompare: (show: boolean) => void;
  readonly onReload: () => void;
  readonly onOverwrite: () => void;
}

/** Asks what to do with a draft after another program changed or deleted the file. */
const ConflictNotice = (props: ConflictNoticeProps) => {
  const { file, disk, restoredFrom, compares, onCompare, onReload, onOverwrite } = props;
  const deleted = disk.etag === null;
  return (
    <Notice
      tone="warn"
      title={deleted ? conflictWords.deletedTitle(file) : conflictWords.title(file)}
      actions={
        <>
          <Button size="small" onClick={onReload}>
            {deleted ? conflictWords.reloadDeleted : conflictWords.reload}
          </Button>
          {!deleted && (
            <Button size="small" aria-pressed={compares} onClick={() => onCompare(!compares)}>
              {conflictWords.compare}
            </Button>
          )}
          {/* A comparison has its own Save button, next to the text that it saves. */}
          {!compares && (
            <Button size="small" onClick={onOverwrite}>
              {deleted ? conflictWords.overwriteDeleted : conflictWords.overwrite}
            </Button>
          )}
        </>
      }
    >
      {restoredFrom === null ? (
        bodyOf(deleted, compares)
      ) : (
        <>
          {conflictWords.bodyRestored} {draftWords.restoredHint}{' '}
          <TimeAgo at={new Date(restoredFrom).toISOString()} />
        </>
      )}
    </Notice>
  );
};

const bodyOf = (isDeleted: boolean, compares: boolean): string => {
  if (isDeleted) return conflictWords.bodyDeleted;
  return compares ? conflictWords.bodyCompared : conflictWords.body;
};

/**
 * Returns the findings in a file's version with this etag. Undefined while another version is checked, so that the
 * previous marks can stay.
 */
const useFileFindings = (
  id: string,
  file: EditableFile,
  etag: string | null,
): readonly Finding[] | undefined => {
  const { data } = useQuery(agentChecksQuery(id));
  return useMemo(
    () =>
      data && etag !== null && data.etags[file] === etag
        ? data.findings.filter((finding) => finding.file === file)
        : undefined,
    [data, file, etag],
  );
};

const languageOf = (file: EditableFile): EditorLanguage => {
  if (file === 'pi-args') return 'pi-args';
  return file.endsWith('.md') ? 'markdown' : 'plain';
};

const namesIn = ({ models }: ReadModels): readonly string[] => models.map(({ name }) => name);
const NO_NAMES: readonly string[] = [];

/** Returns the models in the models file, for a file that can name one. */
const useModelNames = (canName: boolean): readonly string[] =>
  useQuery({ ...modelsQuery(), refetchInterval: false, enabled: canName, select: namesIn }).data ?? NO_NAMES;

type Editing = Extract<FileViewState, { status: 'editing' }>;

interface FileEditingProps {
  readonly id: string;
  readonly file: EditableFile;
  readonly editor: FileEditor;
  readonly state: Editing;
  readonly area: RefObject<TextEditorHandle | null>;
}

/** A file's editor, with notices above it and a status line below. */
export const FileEditing = ({ id, file, editor, state, area }: FileEditingProps) => {
  const { conflict } = state;
  const { compares, compare } = editor;
  // The editor may load while another dialog is opened.
  useAction(
    'edit-file',
    () => {
      if (!isPopupOpen()) area.current?.focus();
    },
    `${id}/${file}`,
  );
  useRequestedPlace(id, file, (place) => area.current?.reveal(place));
  const theirs = useMemo(
    () => (compares && conflict ? toEditorText(conflict.content) : null),
    [compares, conflict],
  );
  const settle = (act: () => void): void => {
    compare(false);
    act();
    area.current?.focus();
  };
  const findings = useFileFindings(id, file, editor.baseEtag);
  const modelNames = useModelNames(file === 'pi-args');
  const label = words.editor(file, id);
  return (
    <div className="flex h-full min-h-0 flex-col">
      {conflict && (
        <ConflictNotice
          file={file}
          disk={conflict}
          restoredFrom={state.restoredFrom}
          compares={compares}
          onCompare={compare}
          onReload={() => settle(() => editor.discard(conflictWords.reloaded(file)))}
          onOverwrite={() => settle(() => editor.overwrite(conflict))}
        />
      )}
      <OtherDraft id={id} file={file} settle={settle} />
      <Remarks file={file} editor={editor} state={state} settle={settle} />
      {file === 'AGENT.md' && (
        <p className="border-b border-line bg-sunken px-4 py-1 text-sm text-muted">{words.agentMd}</p>
      )}
      <div className="min-h-0 flex-1">
        <TextEditor
          ref={area}
          sessionKey={editor.sessionKey}
          label={label}
          language={languageOf(file)}
          text={state.text}
          base={editor.base}
          findings={findings}
          theirs={theirs}
          theirsLabel={`${conflictWords.theirs}: ${label}`}
          onTextChange={editor.edit}
          modelNames={modelNames}
          onNoComparison={() => compare(false)}
          onSaveMerged={() => conflict && settle(() => editor.saveMerged(conflict))}
          onOverwrite={() => conflict && settle(() => editor.overwrite(conflict))}
          isSaving={state.saving}
        />
      </div>
      <EditorStatus state={state} format={editor.format} />
    </div>
  );
};

interface RemarksProps extends Pick<FileEditingProps, 'file' | 'editor' | 'state'> {
  /** Runs an action that removes its notice, and returns focus to the editor. */
  readonly settle: (act: () => void) => void;
}

const Remarks = ({ file, editor, state, settle }: RemarksProps) => {
  const { conflict, diskError, saveError, restoredFrom } = state;
  return (
    <>
      {/* A conflict notice says this too, and offers more choices. */}
      {restoredFrom !== null && !conflict && (
        <Notice
          tone="note"
          title={draftWords.restored(file)}
          actions={
            <>
              <Button size="small" onClick={() => settle(editor.acknowledge)}>
                {draftWords.restoredKeep}
              </Button>
              <Button size="small" onClick={() => settle(() => editor.discard(draftWords.discarded(file)))}>
                {draftWords.restoredDiscard}
              </Button>
            </>
          }
        >
          {draftWords.restoredHint} <TimeAgo at={new Date(restoredFrom).toISOString()} />
        </Notice>
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
              {common.tryAgain}
            </Button>
          }
        >
          {saveError.message}
        </Notice>
      )}
    </>
  );
};

interface OtherDraftProps extends Pick<FileEditingProps, 'id' | 'file'>, Pick<RemarksProps, 'settle'> {}

/** Says that another page has a draft of this file. Nothing is replaced until a person chooses. */
const OtherDraft = ({ id, file, settle }: OtherDraftProps) => {
  const { adopt, discard } = useDraftKeeping();
  const other = useOtherDraft(id, file);
  const mine = useDraft(id, file);
  if (!other) return null;
  // A draft adopted from another page keeps the time when it was typed there.
  const isNewer = other.typedAt > (mine?.typedAt ?? 0);
  return (
    <Notice
      tone="note"
      title={isNewer ? draftWords.otherNewer : draftWords.otherOlder}
      actions={
        <>
          <Button size="small" onClick={() => settle(() => adopt(other))}>
            {draftWords.otherAdopt}
          </Button>
          <Button size="small" onClick={() => settle(() => discard(other))}>
            {draftWords.otherDiscard}
          </Button>
        </>
      }
    >
      {draftWords.otherHint} <TimeAgo at={new Date(other.typedAt).toISOString()} />
    </Notice>
  );
};
