import { Tooltip as BaseTooltip } from '@base-ui/react/tooltip';
import type { ReactElement } from 'react';
import { cx } from './cx.ts';

/** Shows the name of a control that has only an icon. The control has the name itself, as `aria-label`. */
export const Tooltip = ({
  label,
  side = 'bottom',
  className,
  children,
}: {
  readonly label: string;
  readonly side?: 'bottom' | 'right' | 'top';
  readonly className?: string;
  readonly children: ReactElement;
}) => (
  <BaseTooltip.Root>
    <BaseTooltip.Trigger render={children} delay={400} />
    <BaseTooltip.Portal>
      <BaseTooltip.Positioner side={side} sideOffset={6} className={cx('z-20', className)}>
        <BaseTooltip.Popup className="rounded-md bg-ink px-2 py-1 text-sm text-canvas transition-opacity duration-100 data-starting-style:opacity-0">
          {label}
        </BaseTooltip.Popup>
      </BaseTooltip.Positioner>
    </BaseTooltip.Portal>
  </BaseTooltip.Root>
);
