import { CircleAlert, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { useFilledRegion } from './callout.tsx';
import { cx } from './cx.ts';

const TONES = {
  note: { box: 'border-line bg-sunken', icon: 'text-muted', Icon: Info },
  warn: { box: 'border-warn-line bg-warn-soft', icon: 'text-warn', Icon: TriangleAlert },
  danger: { box: 'border-danger-line bg-danger-soft', icon: 'text-danger', Icon: CircleAlert },
} as const;

/** Something to know or decide about the content below it. Screen readers announce it, without its actions. */
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
  const role = tone === 'note' ? 'status' : 'alert';
  const isFilled = useFilledRegion(role);
  return (
    // biome-ignore lint/a11y/useSemanticElements: it's mostly text, and a fieldset groups controls
    <div
      role="group"
      aria-label={title}
      className={cx('flex flex-wrap items-start gap-x-4 gap-y-2 border-b px-4 py-2.5', box)}
    >
      <div className="flex min-w-60 flex-1 gap-2.5">
        <Icon aria-hidden="true" className={cx('mt-0.5 size-4 shrink-0', icon)} />
        <div role={role} className="min-w-0 break-words">
          {isFilled && (
            <>
              <p className="font-medium">{title}</p>
              {children && <div>{children}</div>}
            </>
          )}
        </div>
      </div>
      {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
    </div>
  );
};
