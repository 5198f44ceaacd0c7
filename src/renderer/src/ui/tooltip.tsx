import { Tooltip as BaseTooltip } from '@base-ui/react/tooltip';
import type { ReactElement } from 'react';
import { cx } from './cx.ts';

/** Shows the name of an icon button. The control itself has the name as `aria-label`. */
export const Tooltip = ({
  label,
  side = 'bottom',
  className,
  staysOnPress = false,
  children,
}: {
  readonly label: string;
  readonly side?: 'bottom' | 'right' | 'top';
  readonly className?: string;
  /** True if a click doesn't hide the tooltip, because the control does nothing else. */
  readonly staysOnPress?: boolean;
  readonly children: ReactElement;
}) => (
  <BaseTooltip.Root>
    <BaseTooltip.Trigger render={children} delay={400} closeOnClick={!staysOnPress} />
    <BaseTooltip.Portal>
      <BaseTooltip.Positioner
        side={side}
        sideOffset={6}
        // A name lets clicks through, because it may cover the next control. The pointer can rest on an explanation.
        className={cx('z-20', !staysOnPress && 'pointer-events-none', className)}
      >
        <BaseTooltip.Popup className="max-w-80 rounded-md bg-ink px-2 py-1 text-sm text-pretty wrap-anywhere text-canvas transition-opacity duration-100 data-starting-style:opacity-0">
          {label}
        </BaseTooltip.Popup>
      </BaseTooltip.Positioner>
    </BaseTooltip.Portal>
  </BaseTooltip.Root>
);
