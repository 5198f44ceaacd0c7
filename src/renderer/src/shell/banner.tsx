// Shared, so that the desktop app's update banner looks like every page's banners.
import type { ReactNode } from 'react';
import { useFilledRegion } from '../ui/callout.tsx';
import { cx } from '../ui/cx.ts';

const TONES = {
  neutral: 'border-line bg-sunken',
  warn: 'border-warn-line bg-warn-soft text-warn',
  danger: 'border-danger-line bg-danger-soft text-danger',
} as const;

/** A line above every page. Its text is announced when it appears or changes, without its buttons. */
export const Banner = ({
  role,
  tone,
  text,
  children,
}: {
  readonly role: 'alert' | 'status';
  readonly tone: keyof typeof TONES;
  readonly text: string;
  readonly children?: ReactNode;
}) => {
  const isFilled = useFilledRegion(role);
  return (
    <div
      className={cx(
        'flex min-h-8 items-center justify-center gap-3 border-b px-4 py-1 text-center text-sm font-medium',
        TONES[tone],
      )}
    >
      <span role={role}>{isFilled && text}</span>
      {children}
    </div>
  );
};
