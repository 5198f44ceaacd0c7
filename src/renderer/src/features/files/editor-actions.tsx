import { Search, TableOfContents } from 'lucide-react';
import { type RefObject, useRef, useState } from 'react';
import { files as words } from '../../strings/files.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { Menu, MenuItem, MenuTrigger } from '../../ui/menu.tsx';
import { Tooltip } from '../../ui/tooltip.tsx';
import type { Heading } from './editor/view-actions.ts';
import type { TextEditorHandle } from './text-editor.tsx';
import type { FileEditor } from './use-file-editor.ts';

interface OutlineMenuProps {
  /** Reads the headings whenever the menu opens. */
  readonly read: () => readonly Heading[];
  /** Called with the selected heading's position. Moves focus there. */
  readonly onChoose: (position: number) => void;
}

const INDENTS = ['pl-2.5', 'pl-5.5', 'pl-8.5', 'pl-11.5', 'pl-14.5', 'pl-17.5'];

/** Lists the text's headings, and goes to the selected one. Typing letters finds a heading by its first word. */
const OutlineMenu = ({ read, onChoose }: OutlineMenuProps) => {
  const [headings, setHeadings] = useState<readonly Heading[]>([]);
  const chosen = useRef<number>(null);
  const largest = Math.min(...headings.map(({ level }) => level));
  return (
    <Menu
      className="max-w-84 min-w-56"
      onOpenChange={(isOpen) => {
        if (!isOpen) return;
        chosen.current = null;
        setHeadings(read());
      }}
      trigger={
        <Tooltip label={words.outline}>
          <MenuTrigger aria-label={words.outline} className={buttonClass('quiet', 'icon')}>
            <TableOfContents aria-hidden="true" className="size-3.5" />
          </MenuTrigger>
        </Tooltip>
      }
      // Call `onChoose` only now, because nothing outside the menu can get focus while it's open.
      finalFocus={() => {
        if (chosen.current === null) return true;
        onChoose(chosen.current);
        return false;
      }}
    >
      {headings.length === 0 && <p className="px-2.5 py-1.5 text-muted">{words.noHeadings}</p>}
      {headings.map(({ level, text, from, isCurrent }) => (
        <MenuItem
          key={from}
          aria-current={isCurrent ? 'location' : undefined}
          onClick={() => {
            chosen.current = from;
          }}
          className={cx(
            INDENTS[level - largest],
            level === largest && 'font-medium',
            isCurrent && 'text-accent',
          )}
        >
          <span className="truncate">{text}</span>
        </MenuItem>
      ))}
    </Menu>
  );
};

interface EditorActionsProps {
  readonly editor: FileEditor;
  /** The number of the agent's files with unsaved text. */
  readonly unsavedCount: number;
  readonly area: RefObject<TextEditorHandle | null>;
  /** True if the text is Markdown, which has headings. */
  readonly hasOutline: boolean;
  readonly onRevert: () => void;
  readonly onSaveAll: () => void;
}

/** The buttons at the end of the tab row. */
export const EditorActions = (props: EditorActionsProps) => {
  const { editor, unsavedCount, area, hasOutline, onRevert, onSaveAll } = props;
  const { state } = editor;
  if (state.status !== 'editing') return null;
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
        // In a conflict, the notice offers the ways to save.
        disabled={saving || conflict !== null || !(dirty || isNew)}
        onClick={editor.save}
      >
        {saving ? words.saving : isNew ? words.create : words.save}
      </Button>
    </div>
  );
};
