// Shared by the dialogs that show text or a list of any length.
import type { ReactNode } from 'react';
import { cx } from './cx.ts';

/**
 * A block that scrolls overflowing content. It has a name and can get focus, so that the keyboard scrolls it too.
 */
export const ScrollBlock = ({
  label,
  id,
  hidden,
  className,
  children,
}: {
  readonly label: string;
  readonly id?: string;
  readonly hidden?: boolean;
  readonly className: string;
  readonly children: ReactNode;
}) => (
  <section
    id={id}
    hidden={hidden}
    // biome-ignore lint/a11y/noNoninteractiveTabindex: with the keyboard, Safari scrolls only the focused element
    tabIndex={0}
    aria-label={label}
    className={cx('overflow-auto px-2.5 py-2', className)}
  >
    {children}
  </section>
);
