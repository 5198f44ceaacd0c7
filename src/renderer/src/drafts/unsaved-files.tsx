import { Menu } from '@base-ui/react/menu';
import { useLocation } from 'wouter';
import { paths } from '../routes.ts';
import { strings } from '../strings.ts';
import { Tooltip } from '../ui/tooltip.tsx';
import { UnsavedDot } from '../ui/unsaved-dot.tsx';
import { useUnsavedFiles } from './use-drafts.ts';

/** Says how many files have unsaved text, and lists them. Nothing while there are none. */
export const UnsavedFiles = () => {
  const files = useUnsavedFiles();
  const [, navigate] = useLocation();
  if (files.length === 0) return null;
  const label = strings.drafts.unsavedFiles(files.length);
  return (
    <Menu.Root>
      <Tooltip label={label} side="right" className="icons:hidden">
        <Menu.Trigger className="mb-1 flex h-8 w-full items-center gap-2.5 rounded-md px-2.5 text-left text-sm text-muted hover:bg-hover hover:text-ink max-icons:h-9 max-icons:justify-center max-icons:px-0">
          <span aria-hidden="true" className="flex w-4 shrink-0 justify-center">
            <UnsavedDot />
          </span>
          <span className="truncate max-icons:sr-only">{label}</span>
        </Menu.Trigger>
      </Tooltip>
      <Menu.Portal>
        <Menu.Positioner sideOffset={4} side="right" align="end" className="z-10">
          <Menu.Popup className="max-h-96 min-w-56 overflow-y-auto rounded-lg bg-raised p-1 shadow-popup outline-none transition-opacity duration-100 data-ending-style:opacity-0 data-starting-style:opacity-0">
            {files.map(({ id, file }) => (
              <Menu.Item
                key={`${id}/${file}`}
                onClick={() => navigate(paths.agent(id, { kind: 'files', file }))}
                className="flex cursor-default items-baseline gap-2 rounded-md px-2.5 py-1.5 outline-none data-highlighted:bg-hover"
              >
                <span className="truncate">{id}</span>
                <span className="ml-auto font-mono text-sm text-muted">{file}</span>
              </Menu.Item>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
};
