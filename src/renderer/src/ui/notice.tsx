import { CircleAlert, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { cx } from './cx.ts';

const TONES = {
  note: { box: 'border-line bg-sunken', icon: 'text-muted', Icon: Info },
  warn: { box: 'border-warn-line bg-warn-soft', icon: 'text-warn', Icon: TriangleAlert },
  danger: { box: 'border-danger-line bg-danger-soft', icon: 'text-danger', Icon: CircleAlert },
} as const;

/** Something to know or decide about the content below it. Read out when it appears. */
export const Notice = ({
  tone,
  title,
  children,
  actions,
}: {
  readonly tone: keyof typeof TONES;
  readonly title: string;
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
}) => {
  const { box, icon, Icon } = TONES[tone];
  return (
    <div
      role={tone === 'note' ? 'status' : 'alert'}
      className={cx('flex flex-wrap items-start gap-x-4 gap-y-2 border-b px-4 py-2.5', box)}
    >
      <div className="flex min-w-60 flex-1 gap-2.5">
        <Icon aria-hidden="true" className={cx('mt-0.5 size-4 shrink-0', icon)} />
        <div className="min-w-0 break-words">
          <p className="font-medium">{title}</p>
          {children && <div>{children}</div>}
        </div>
      </div>
      {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
    </div>
  );
};
