import { Menu } from '@base-ui/react/menu';
import { Check, ChevronsUpDown, Folder, FolderOpen } from 'lucide-react';
import { useState } from 'react';
import type { KnownRoot } from '../../../shared/api/roots.ts';
import { roots as words } from '../strings/shell.ts';
import { endOfPath, PathText } from '../ui/path-text.tsx';
import { Tooltip } from '../ui/tooltip.tsx';
import { useOpenFolder, useRootSwitch } from './use-root-switch.ts';

/** Fits the width of the rail. */
const MOST_CHARACTERS = 20;
const ITEM =
  'flex cursor-default items-center gap-2.5 rounded-md px-2.5 py-1.5 outline-none data-disabled:opacity-50 data-highlighted:bg-hover';

/** The open root. Its menu opens a recent one, which restarts the server in place. */
export const RootSwitcher = ({ root }: { readonly root: string }) => {
  const [isOpen, setIsOpen] = useState(false);
  const { roots, problem, open } = useRootSwitch(isOpen);
  const openOther = useOpenFolder(open);
  return (
    <Menu.Root open={isOpen} onOpenChange={setIsOpen}>
      <Tooltip label={words.label(root)} side="right">
        <Menu.Trigger
          aria-label={words.label(root)}
          className="mt-2 flex h-9 w-full shrink-0 items-center gap-2.5 rounded-md px-2.5 text-left hover:bg-hover data-popup-open:bg-hover max-icons:justify-center max-icons:px-0"
        >
          <Folder aria-hidden="true" className="size-4 shrink-0 text-muted" strokeWidth={1.75} />
          <bdi className="min-w-0 flex-1 truncate max-icons:hidden">{endOfPath(root, MOST_CHARACTERS)}</bdi>
          <ChevronsUpDown
            aria-hidden="true"
            className="size-3.5 shrink-0 text-muted max-icons:hidden"
            strokeWidth={1.75}
          />
        </Menu.Trigger>
      </Tooltip>
      <Menu.Portal>
        <Menu.Positioner side="top" align="start" sideOffset={6} className="z-10">
          <Menu.Popup className="max-h-(--available-height) w-84 max-w-[calc(100vw-2rem)] overflow-y-auto rounded-lg bg-raised p-1 shadow-popup outline-none transition-opacity duration-100 data-ending-style:opacity-0 data-starting-style:opacity-0">
            {problem !== undefined && <p className="px-2.5 py-1.5 text-sm text-muted">{problem}</p>}
            {roots.map((known) => (
              <RootItem key={known.path} known={known} onOpen={() => open(known.path)} />
            ))}
            {roots.length > 0 && <Menu.Separator className="my-1 h-px bg-line" />}
            <Menu.Item onClick={openOther} className={ITEM}>
              <FolderOpen aria-hidden="true" className="size-4 shrink-0 text-muted" />
              {words.openOther}
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
};

const RootItem = ({ known, onOpen }: { readonly known: KnownRoot; readonly onOpen: () => void }) => (
  <Menu.Item onClick={onOpen} disabled={known.current} className={ITEM}>
    {known.current ? (
      <Check aria-hidden="true" className="size-4 shrink-0 text-ok" />
    ) : (
      <Folder aria-hidden="true" className="size-4 shrink-0 text-muted" />
    )}
    <span className="flex min-w-0 flex-1 flex-col">
      <PathText path={known.path} className="min-w-0" />
      <span className="text-sm text-muted">
        {known.current ? `${words.current}, ${words.agents(known.agents)}` : words.agents(known.agents)}
      </span>
    </span>
  </Menu.Item>
);
