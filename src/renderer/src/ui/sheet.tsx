import { Dialog } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { GIVES_WAY } from '../shell/shortcuts.ts';
import { common } from '../strings/common.ts';
import { buttonClass } from './button.tsx';
import { cx } from './cx.ts';

const BACKDROP =
  'fixed inset-0 bg-scrim transition-opacity duration-100 data-ending-style:opacity-0 data-starting-style:opacity-0';
const POPUP =
  'fixed inset-y-0 right-0 flex w-full flex-col bg-raised shadow-popup outline-none ' +
  'transition-[opacity,translate] duration-120 ease-out data-ending-style:translate-x-4 ' +
  'data-ending-style:opacity-0 data-starting-style:translate-x-4 data-starting-style:opacity-0';
// Below these widths, a sheet fills the window.
const WIDTHS = { normal: 'single:w-112', wide: 'single:w-160' } as const;

interface SheetProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly title: string;
  readonly description?: ReactNode;
  /** Shown next to the title, such as a badge. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
  /** Stays below the scrolling part, such as the buttons of a step. */
  readonly footer?: ReactNode;
  readonly width?: keyof typeof WIDTHS;
  /** True if a click outside doesn't close the sheet, because closing it would lose its text. */
  readonly keepsOpen?: boolean;
  /** The element that gets focus first. Defaults to the first control. */
  readonly initialFocus?: ComponentProps<typeof Dialog.Popup>['initialFocus'];
  /** The element that gets focus on closing, if the one that opened the sheet may be gone. */
  readonly finalFocus?: ComponentProps<typeof Dialog.Popup>['finalFocus'];
}

/**
 * A sheet on the right side of the window, above the page. It keeps focus. Escape, its close button or a click
 * outside closes it, and focus returns to the element that opened it. Set `key` to replace its content at once.
 */
export const Sheet = ({
  open,
  onOpenChange,
  title,
  description,
  aside,
  children,
  footer,
  width = 'normal',
  keepsOpen = false,
  initialFocus,
  finalFocus,
}: SheetProps) => (
  <Dialog.Root open={open} onOpenChange={onOpenChange} disablePointerDismissal={keepsOpen}>
    <Dialog.Portal>
      <Dialog.Backdrop className={BACKDROP} />
      <Dialog.Popup
        data-sheet
        {...(keepsOpen ? {} : { [GIVES_WAY]: '' })}
        className={cx(POPUP, WIDTHS[width])}
        initialFocus={initialFocus}
        finalFocus={finalFocus}
      >
        <header className="min-w-0 border-b border-line py-3 pr-12 pl-5">
          <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <Dialog.Title className="min-w-0 text-lg font-semibold break-words">{title}</Dialog.Title>
            {aside}
          </div>
          {description && (
            <Dialog.Description render={<div />} className="text-pretty break-words text-muted">
              {description}
            </Dialog.Description>
          )}
        </header>
        <div className="min-h-0 flex-1 overflow-y-auto">{children}</div>
        {footer && (
          <footer className="flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3">
            {footer}
          </footer>
        )}
        {/* Last, so that the first control of the content gets focus. */}
        <div className="absolute top-3 right-3">
          <Dialog.Close aria-label={common.close} className={buttonClass('quiet', 'icon')}>
            <X aria-hidden="true" className="size-4" />
          </Dialog.Close>
        </div>
      </Dialog.Popup>
    </Dialog.Portal>
  </Dialog.Root>
);
