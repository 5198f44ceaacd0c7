import { Tabs } from '@base-ui/react/tabs';
import type { EditableFile } from '../../../../shared/api/names.ts';
import { strings } from '../../strings.ts';
import { UnsavedDot } from '../../ui/unsaved-dot.tsx';

interface FileTabsProps {
  readonly id: string;
  readonly files: readonly EditableFile[];
  readonly unsaved: readonly EditableFile[];
}

/** A tab a file. Stands in a `Tabs.Root` that says which one is open. */
export const FileTabs = ({ id, files, unsaved }: FileTabsProps) => (
  <Tabs.List
    activateOnFocus
    aria-label={strings.files.tabs(id)}
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
