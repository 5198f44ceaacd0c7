import { Button as BaseButton } from '@base-ui/react/button';
import type { ComponentProps } from 'react';
import { cx } from './cx.ts';

const BASE =
  'inline-flex shrink-0 select-none items-center justify-center gap-1.5 rounded-md whitespace-nowrap font-medium ' +
  'transition-colors duration-100 data-disabled:cursor-not-allowed data-disabled:opacity-50';

const VARIANTS = {
  primary: 'bg-accent text-on-accent not-data-disabled:hover:bg-accent-hover',
  secondary:
    'border border-line-strong/60 bg-raised text-ink not-data-disabled:hover:bg-hover aria-pressed:bg-selected',
  quiet:
    'text-muted not-data-disabled:hover:bg-hover not-data-disabled:hover:text-ink data-popup-open:bg-hover',
  danger: 'bg-danger text-on-danger not-data-disabled:hover:bg-danger-hover',
} as const;

const SIZES = {
  small: 'h-6 px-2 text-sm',
  medium: 'h-7.5 px-3 text-base',
  icon: 'size-6',
} as const;

/** Returns a button's classes, also for links and menu triggers that look like one. */
export const buttonClass = (
  variant: keyof typeof VARIANTS = 'secondary',
  size: keyof typeof SIZES = 'medium',
): string => cx(BASE, VARIANTS[variant], SIZES[size]);

type ButtonProps = Omit<ComponentProps<typeof BaseButton>, 'className'> & {
  readonly variant?: keyof typeof VARIANTS;
  readonly size?: keyof typeof SIZES;
};

/** A button. While `disabled`, it keeps focus (`focusableWhenDisabled`), for example during a pending action. */
export const Button = ({ variant, size, ...props }: ButtonProps) => (
  <BaseButton focusableWhenDisabled {...props} className={buttonClass(variant, size)} />
);
