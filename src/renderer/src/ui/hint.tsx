import type { ReactNode } from 'react';
import { cx } from './cx.ts';
import { Tooltip } from './tooltip.tsx';

/** Short text with an explanation that appears on hover and focus. Screen readers announce the explanation. */
export const Hint = ({
  label,
  side,
  className,
  children,
}: {
  readonly label: string;
  readonly side?: 'bottom' | 'right' | 'top';
  readonly className?: string;
  readonly children: ReactNode;
}) => (
  <Tooltip label={label} staysOnPress {...(side ? { side } : {})}>
    <button type="button" aria-description={label} className={cx('cursor-help rounded', className)}>
      {children}
    </button>
  </Tooltip>
);
