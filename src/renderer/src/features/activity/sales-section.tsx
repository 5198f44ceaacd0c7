import { useState } from 'react';
import { formatSats } from '../../money/format-price.ts';
import { activity as words } from '../../strings/activity.ts';
import { number } from '../../strings/words.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/section.tsx';
import { TimeAgo } from '../../ui/time-ago.tsx';
import { Amount } from './amount.tsx';
import { chargedOf, MOST_CHARGES, type PaidWork, type SalesTotal, totalOf, useSales } from './use-sales.ts';

const CELL = 'py-1 pl-2 text-right tabular-nums whitespace-nowrap @3xl:pl-3';
const FIRST_ROWS = 10;

const satsText = (sats: number): string => words.sats(`${sats < 0 ? '−' : ''}${formatSats(Math.abs(sats))}`);

/** Rounds an estimate, because more digits would make it look exact. */
const aboutSats = (sats: number): string =>
  words.estimate(satsText(Math.abs(sats) < 100 ? Number(sats.toPrecision(2)) : Math.round(sats)));

/** The work that customers paid for: each payment, the model's cost, and the difference. Empty if there's none. */
export const SalesSection = ({ agent, fromMs }: { readonly agent: string; readonly fromMs: number }) => {
  const works = useSales(agent, fromMs);
  const [showsAll, setShowsAll] = useState(false);
  if (works.length === 0) return null;
  const shown = showsAll ? works : works.slice(0, FIRST_ROWS);
  return (
    <Section heading={words.sales}>
      <Totals total={totalOf(works)} />
      <div className="overflow-x-auto">
        <table className="w-full">
          <thead className="text-sm text-muted">
            <tr>
              <th scope="col" className="py-1 text-left font-normal">
                {words.saleColumns.when}
              </th>
              <th scope="col" className={`${CELL} font-normal`}>
                {words.saleColumns.charged}
              </th>
              <th scope="col" className={`${CELL} font-normal`}>
                {words.saleColumns.cost}
              </th>
              <th scope="col" className={`${CELL} font-normal`}>
                {words.saleColumns.margin}
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((work) => (
              <SaleRow key={work.charge.id} work={work} />
            ))}
          </tbody>
        </table>
      </div>
      {works.length > shown.length && (
        <div>
          <Button size="small" onClick={() => setShowsAll(true)}>
            {words.showAllSales(works.length)}
          </Button>
        </div>
      )}
      {works.length >= MOST_CHARGES && (
        <p className="text-sm text-muted">{words.mostSales(number.format(MOST_CHARGES))}</p>
      )}
    </Section>
  );
};

const Totals = ({ total: { count, charged, known } }: { readonly total: SalesTotal }) => (
  <>
    <dl className="flex flex-wrap gap-x-8 gap-y-1">
      <Amount term={words.saleCount}>{number.format(count)}</Amount>
      <Amount term={words.saleColumns.charged}>{satsText(charged)}</Amount>
      {known.count > 0 && (
        <>
          <Amount term={words.saleColumns.cost}>{aboutSats(known.cost)}</Amount>
          <Amount term={words.saleColumns.margin}>{aboutSats(known.charged - known.cost)}</Amount>
        </>
      )}
    </dl>
    {known.count < count && <p className="text-sm text-muted">{words.unknownCosts(known.count, count)}</p>}
  </>
);

const SaleRow = ({ work: { charge, costSats } }: { readonly work: PaidWork }) => {
  const { state, createdAt } = charge;
  const charged = chargedOf(charge);
  return (
    <tr className="border-t border-line">
      <th scope="row" className="py-1 text-left font-normal">
        <span className="flex flex-wrap items-center gap-x-2">
          <TimeAgo at={createdAt} />
          {state === 'held' && <Badge tone="warn">{words.saleStates.held}</Badge>}
          {state === 'refunded' && <Badge>{words.saleStates.refunded}</Badge>}
        </span>
      </th>
      <td className={`${CELL} font-medium`}>{charged === null ? '–' : satsText(charged)}</td>
      <td className={CELL}>{costSats === null ? '–' : aboutSats(costSats)}</td>
      <td className={CELL}>{charged !== null && costSats !== null ? aboutSats(charged - costSats) : '–'}</td>
    </tr>
  );
};
