import { CircleAlert, CircleCheck, Hourglass, Info, TriangleAlert } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { cx } from './cx.ts';

const TONES = {
  ok: { box: 'border-ok-line bg-ok-soft', icon: 'text-ok', Icon: CircleCheck },
  note: { box: 'border-line bg-sunken', icon: 'text-muted', Icon: Info },
  wait: { box: 'border-line bg-sunken', icon: 'text-muted', Icon: Hourglass },
  warn: { box: 'border-warn-line bg-warn-soft', icon: 'text-warn', Icon: TriangleAlert },
  danger: { box: 'border-danger-line bg-danger-soft', icon: 'text-danger', Icon: CircleAlert },
} as const;

/**
 * Returns whether a live region can have content. Screen readers don't announce a status that is inserted with
 * content, so it starts empty. They announce an alert when it's inserted.
 */
export const useFilledRegion = (role: 'alert' | 'status' | undefined): boolean => {
  const [isThere, setIsThere] = useState(false);
  useEffect(() => setIsThere(true), []);
  return role !== 'status' || isThere;
};

/**
 * A boxed remark among other content. `announce` makes screen readers announce the remark when it appears, but not
 * its actions.
 */
export const Callout = ({
  tone,
  title,
  announce,
  children,
  actions,
}: {
  readonly tone: keyof typeof TONES;
  readonly title?: string;
  readonly announce?: 'alert' | 'status';
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
}) => {
  const { box, icon, Icon } = TONES[tone];
  const isFilled = useFilledRegion(announce);
  return (
    <div className={cx('flex min-w-0 gap-2.5 rounded-md border px-3 py-2.5', box)}>
      <Icon aria-hidden="true" className={cx('mt-0.5 size-4 shrink-0', icon)} />
      <div className="flex min-w-0 flex-1 flex-col gap-1 break-words">
        <div role={announce} className="flex min-w-0 flex-col gap-1">
          {isFilled && (
            <>
              {title && <p className="font-medium">{title}</p>}
              {children}
            </>
          )}
        </div>
        {actions}
      </div>
    </div>
  );
};
