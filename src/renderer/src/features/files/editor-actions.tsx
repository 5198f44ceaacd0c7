import { Search } from 'lucide-react';
import type { RefObject } from 'react';
import { strings } from '../../strings.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Tooltip } from '../../ui/tooltip.tsx';
import { OutlineMenu } from './outline-menu.tsx';
import type { TextEditorHandle } from './text-editor.tsx';
import type { FileEditor } from './use-file-editor.ts';

interface EditorActionsProps {
  readonly editor: FileEditor;
  /** How many files of the agent have unsaved text. */
  readonly unsavedCount: number;
  readonly area: RefObject<TextEditorHandle | null>;
  /** Whether the text is Markdown, which has headings. */
  readonly hasOutline: boolean;
  readonly onRevert: () => void;
  readonly onSaveAll: () => void;
}

/** The buttons at the end of the row of tabs. */
export const EditorActions = (props: EditorActionsProps) => {
  const { editor, unsavedCount, area, hasOutline, onRevert, onSaveAll } = props;
  const { state } = editor;
  if (state.status !== 'editing') return null;
  const words = strings.files;
  const { saving, dirty, isNew, conflict } = state;
  return (
    <div className="ml-auto flex shrink-0 gap-1.5 pl-3">
      {hasOutline && (
        <OutlineMenu
          read={() => area.current?.headings() ?? []}
          onChoose={(position) => area.current?.goTo(position)}
        />
      )}
      <Tooltip label={words.find}>
        <button
          type="button"
          aria-label={words.find}
          onClick={() => area.current?.find()}
          className={buttonClass('quiet', 'icon')}
        >
          <Search aria-hidden="true" className="size-3.5" />
        </button>
      </Tooltip>
      {dirty && (
        <Button variant="quiet" size="small" disabled={saving} onClick={onRevert}>
          {words.revert}
        </Button>
      )}
      {unsavedCount > 1 && (
        <Button variant="quiet" size="small" disabled={saving} onClick={onSaveAll}>
          {words.saveAll}
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
