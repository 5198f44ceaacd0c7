import { useQuery } from '@tanstack/react-query';
import { balanceHistoryQuery } from '../api/wallet-queries.ts';
import { balanceChart as words } from '../strings/balance-chart.ts';
import { cx } from '../ui/cx.ts';

const WIDTH = 176;
const HEIGHT = 44;
/** Keeps the line's ends inside the picture. */
const MARGIN = 2;

const LINE = 'fill-none stroke-accent';

/** Returns the points of a line through values from left to right: `x,y x,y`. Equal values form a centered line. */
export const linePoints = (values: readonly number[]): string => {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const share = (value: number): number => (high === low ? 0.5 : (value - low) / (high - low));
  const step = (WIDTH - 2 * MARGIN) / Math.max(1, values.length - 1);
  return values
    .map((value, index) => {
      const x = MARGIN + index * step;
      const y = HEIGHT - MARGIN - share(value) * (HEIGHT - 2 * MARGIN);
      return `${Math.round(x * 10) / 10},${Math.round(y * 10) / 10}`;
    })
    .join(' ');
};

/**
 * Charts the balance over the last seven days. Empty if the balance is unknown or was always 0. A chart that fills the
 * rest of its column has no caption.
 */
export const BalanceChart = ({ isFilling = false }: { readonly isFilling?: boolean }) => {
  const { data } = useQuery(balanceHistoryQuery());
  const values = data?.map(({ balance }) => balance) ?? [];
  const [first = 0, last = 0] = [values.at(0), values.at(-1)];
  if (values.every((value) => value === 0)) return null;
  return (
    <figure className={isFilling ? 'relative mt-2 min-h-8 flex-1' : 'flex flex-col items-end gap-1'}>
      <svg
        role="img"
        aria-label={words.chart(first, last)}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        {...(isFilling
          ? { preserveAspectRatio: 'none', className: cx(LINE, 'absolute inset-0 size-full') }
          : { width: WIDTH, className: LINE })}
      >
        <polyline
          points={linePoints(values)}
          strokeWidth={1.75}
          vectorEffect="non-scaling-stroke"
          strokeLinejoin="round"
          strokeLinecap="round"
        />
      </svg>
      {!isFilling && (
        <figcaption className="text-sm text-muted tabular-nums">{words.change(last - first)}</figcaption>
      )}
    </figure>
  );
};
