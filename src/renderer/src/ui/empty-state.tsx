import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

/**
 * Explains why a view is empty, and how to continue. `announce` makes screen readers announce it.
 */
export const EmptyState = ({
  icon: Icon,
  art,
  title,
  hint,
  announce = false,
  level = 2,
  children,
}: {
  readonly icon?: LucideIcon;
  /** An illustration instead of the icon. */
  readonly art?: ReactNode;
  readonly title: string;
  readonly hint?: ReactNode;
  readonly announce?: boolean;
  /** The heading level: 1 if this is the entire page. */
  readonly level?: 1 | 2 | 3;
  readonly children?: ReactNode;
}) => {
  const Heading = `h${level}` as const;
  return (
    <div className="flex min-h-full flex-col items-center justify-center gap-3 px-6 py-10 text-center">
      {art}
      {Icon && <Icon aria-hidden="true" className="size-6 text-muted" strokeWidth={1.5} />}
      <div role={announce ? 'alert' : undefined} className="flex max-w-md flex-col gap-1">
        <Heading className="text-balance break-words text-lg font-semibold">{title}</Heading>
        {hint && <div className="text-balance break-words text-muted">{hint}</div>}
      </div>
      {children && <div className="mt-1 flex flex-wrap justify-center gap-2">{children}</div>}
    </div>
  );
};
