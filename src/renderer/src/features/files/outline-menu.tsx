import { Menu } from '@base-ui/react/menu';
import { TableOfContents } from 'lucide-react';
import { useRef, useState } from 'react';
import { strings } from '../../strings.ts';
import { buttonClass } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { Tooltip } from '../../ui/tooltip.tsx';
import type { Heading } from './editor/headings.ts';

interface OutlineMenuProps {
  /** Reads the headings, each time that the menu opens. */
  readonly read: () => readonly Heading[];
  /** Called with the position of the chosen heading. Moves the focus there. */
  readonly onChoose: (position: number) => void;
}

const INDENTS = ['pl-2.5', 'pl-5.5', 'pl-8.5', 'pl-11.5', 'pl-14.5', 'pl-17.5'];

/** Lists the headings of the text, and goes to the chosen one. Letters find a heading by its first word. */
export const OutlineMenu = ({ read, onChoose }: OutlineMenuProps) => {
  const [headings, setHeadings] = useState<readonly Heading[]>([]);
  const chosen = useRef<number>(null);
  const words = strings.files;
  const largest = Math.min(...headings.map(({ level }) => level));
  return (
    <Menu.Root
      onOpenChange={(isOpen) => {
        if (!isOpen) return;
        chosen.current = null;
        setHeadings(read());
      }}
    >
      <Tooltip label={words.outline}>
        <Menu.Trigger aria-label={words.outline} className={buttonClass('quiet', 'icon')}>
          <TableOfContents aria-hidden="true" className="size-3.5" />
        </Menu.Trigger>
      </Tooltip>
      <Menu.Portal>
        <Menu.Positioner sideOffset={4} align="end" className="z-10">
          <Menu.Popup
            // Nothing outside the menu can have the focus before.
            finalFocus={() => {
              if (chosen.current === null) return true;
              onChoose(chosen.current);
              return false;
            }}
            className="max-h-(--available-height) max-w-84 min-w-56 overflow-y-auto rounded-lg bg-raised p-1 shadow-popup outline-none transition-opacity duration-100 data-ending-style:opacity-0 data-starting-style:opacity-0"
          >
            {headings.length === 0 && <p className="px-2.5 py-1.5 text-muted">{words.noHeadings}</p>}
            {headings.map(({ level, text, from, isCurrent }) => (
              <Menu.Item
                key={from}
                aria-current={isCurrent ? 'location' : undefined}
                onClick={() => {
                  chosen.current = from;
                }}
                className={cx(
                  'cursor-default truncate rounded-md py-1 pr-2.5 outline-none data-highlighted:bg-hover',
                  INDENTS[level - largest],
                  level === largest && 'font-medium',
                  isCurrent && 'text-accent',
                )}
              >
                {text}
              </Menu.Item>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
};
