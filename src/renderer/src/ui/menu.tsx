import { Menu as BaseMenu } from '@base-ui/react/menu';
import type { ComponentProps, ReactElement, ReactNode } from 'react';
import { cx } from './cx.ts';

/** The look of what opens from a button, without its size. */
export const POPUP =
  'rounded-lg bg-raised shadow-popup outline-none transition-opacity duration-100 ' +
  'data-ending-style:opacity-0 data-starting-style:opacity-0';

interface MenuProps extends Pick<ComponentProps<typeof BaseMenu.Positioner>, 'side' | 'align'> {
  /** A `MenuTrigger`, possibly with a tooltip. */
  readonly trigger: ReactNode;
  readonly onOpenChange?: (open: boolean) => void;
  readonly finalFocus?: ComponentProps<typeof BaseMenu.Popup>['finalFocus'];
  /** The menu's width. */
  readonly className?: string;
  readonly children: ReactNode;
}

/** A menu that opens from a button. */
export const Menu = ({
  trigger,
  onOpenChange,
  side = 'bottom',
  align = 'end',
  finalFocus,
  className = 'min-w-56',
  children,
}: MenuProps) => (
  <BaseMenu.Root {...(onOpenChange ? { onOpenChange } : {})}>
    {trigger}
    <BaseMenu.Portal>
      <BaseMenu.Positioner sideOffset={4} side={side} align={align} className="z-10">
        <BaseMenu.Popup
          {...(finalFocus ? { finalFocus } : {})}
          className={cx(POPUP, 'max-h-(--available-height) overflow-y-auto p-1', className)}
        >
          {children}
        </BaseMenu.Popup>
      </BaseMenu.Positioner>
    </BaseMenu.Portal>
  </BaseMenu.Root>
);

export const MenuTrigger = BaseMenu.Trigger;

interface MenuItemProps extends Omit<ComponentProps<typeof BaseMenu.Item>, 'className' | 'render'> {
  readonly className?: string | undefined;
  readonly render?: ReactElement;
}

export const MenuItem = ({ className, ...rest }: MenuItemProps) => (
  <BaseMenu.Item
    {...rest}
    className={cx(
      'flex cursor-default gap-3 rounded-md px-2.5 py-1.5 outline-none data-highlighted:bg-hover',
      className,
    )}
  />
);

export const MenuSeparator = () => <BaseMenu.Separator className="mx-2 my-1 h-px bg-line" />;
