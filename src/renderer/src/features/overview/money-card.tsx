import { Link } from 'wouter';
import type { EarningsGroup, EarningsSums } from '../../../../shared/api/earnings.ts';
import { paths } from '../../routes.ts';
import { overview as words } from '../../strings/overview.ts';
import { NO_MONEY, toMoney } from './agent-rows.ts';

interface MoneyCardProps {
  /** What all agents earned and spent in the last seven days. Undefined until it is read. */
  readonly week: EarningsSums | undefined;
  /** Of those, today. Undefined if there was nothing. */
  readonly today: EarningsGroup | undefined;
}

/** What was earned and spent today and in the last seven days, in sats. */
export const MoneyCard = ({ week, today }: MoneyCardProps) => (
  <section
    aria-labelledby="overview-money"
    className="flex min-w-0 flex-col rounded-xl border border-line bg-raised px-4 py-3"
  >
    <h2 id="overview-money" className="text-muted">
      {words.money.heading}
    </h2>
    {week && (
      <table aria-labelledby="overview-money" className="mt-1 w-full tabular-nums">
        <thead className="text-sm text-muted">
          <tr>
            <td />
            {[words.money.earned, words.money.spent].map((column) => (
              <th key={column} scope="col" className="pl-3 text-right font-normal">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {[
            { period: words.money.today, ...(today ? toMoney(today) : NO_MONEY) },
            { period: words.money.week, ...toMoney(week) },
          ].map(({ period, earned, spent, isEstimate, isLeast }) => (
            <tr key={period}>
              <th scope="row" className="text-left font-normal whitespace-nowrap text-muted">
                {period}
              </th>
              <td className="pl-3 text-right">{words.sats(earned, false)}</td>
              <td className="pl-3 text-right">
                {isLeast && spent !== null
                  ? words.atLeast(words.sats(spent, false))
                  : words.sats(spent, isEstimate)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    )}
    {week && week.unpricedTokens > 0 && (
      <Link href={paths.pricing} className="mt-1 self-start text-sm text-accent hover:underline">
        {words.money.unpriced(week.unpricedTokens)}
      </Link>
    )}
  </section>
);
