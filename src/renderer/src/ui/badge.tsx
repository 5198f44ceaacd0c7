import type { ReactNode } from 'react';
import { cx } from './cx.ts';

const TONES = {
  neutral: 'border-line-strong/40 text-muted',
  ok: 'border-ok-line bg-ok-soft text-ok',
  warn: 'border-warn-line bg-warn-soft text-warn',
  danger: 'border-danger-line bg-danger-soft text-danger',
} as const;

/** A small label for a property of the item next to it. */
export const Badge = ({
  tone = 'neutral',
  children,
}: {
  readonly tone?: keyof typeof TONES;
  readonly children: ReactNode;
}) => (
  <span className={cx('inline-flex shrink-0 items-center rounded border px-1.25 text-xs', TONES[tone])}>
    {children}
  </span>
);
