import type { ReactNode } from 'react';

interface AmountProps {
  readonly term: string;
  /** The color of the total's bars in the chart. */
  readonly swatch?: string;
  readonly children: ReactNode;
}

/** One total for the period, shown in a list of totals. */
export const Amount = ({ term, swatch, children }: AmountProps) => (
  <div>
    <dt className="flex items-center gap-1.5 text-sm text-muted">
      {swatch !== undefined && <span aria-hidden="true" className={`size-2.5 rounded-xs ${swatch}`} />}
      {term}
    </dt>
    <dd className="text-lg font-semibold tabular-nums">{children}</dd>
  </div>
);
