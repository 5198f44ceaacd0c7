import { Menu } from '@base-ui/react/menu';
import { Plus } from 'lucide-react';
import type { EditableFile } from '../../../../shared/api/names.ts';
import { strings } from '../../strings.ts';
import { buttonClass } from '../../ui/button.tsx';

interface AddFileMenuProps {
  readonly files: readonly EditableFile[];
  readonly onAdd: (file: EditableFile) => void;
}

/** Offers the optional files that are not there. Choosing one opens it empty; the first save makes it. */
export const AddFileMenu = ({ files, onAdd }: AddFileMenuProps) => (
  <Menu.Root>
    <Menu.Trigger aria-label={strings.files.addLabel} className={buttonClass('quiet', 'small')}>
      <Plus aria-hidden="true" className="size-3.5" />
      <span className="max-icons:hidden">{strings.files.add}</span>
    </Menu.Trigger>
    <Menu.Portal>
      <Menu.Positioner sideOffset={4} align="start" className="z-10">
        <Menu.Popup className="min-w-56 rounded-lg bg-raised p-1 shadow-popup outline-none transition-opacity duration-100 data-ending-style:opacity-0 data-starting-style:opacity-0">
          {files.map((file) => (
            <Menu.Item
              key={file}
              onClick={() => onAdd(file)}
              className="flex cursor-default flex-col rounded-md px-2.5 py-1.5 outline-none data-highlighted:bg-hover"
            >
              <span className="font-mono">{file}</span>
              <span className="text-sm text-muted">{strings.files.addHints[file]}</span>
            </Menu.Item>
          ))}
        </Menu.Popup>
      </Menu.Positioner>
    </Menu.Portal>
  </Menu.Root>
);
