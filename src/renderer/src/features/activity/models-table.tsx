import type { UsageGroup } from '../../../../shared/api/usage.ts';
import { formatSats, formatUsd } from '../../format-price.ts';
import { activity as words } from '../../strings/activity.ts';
import { number } from '../../strings/words.ts';

const CELL = 'py-1 pl-3 text-right tabular-nums';

const tokensOf = ({ input, output, cacheRead, cacheWrite }: UsageGroup): number =>
  input + output + cacheRead + cacheWrite;

const costOf = (group: UsageGroup): number => group.usdRecorded + (group.usdEstimated ?? 0);

/** The cost of a model in USD and sats. An estimate looks like one, and an unknown cost has no figure. */
const costText = (group: UsageGroup): string => {
  const { usdRecorded, usdEstimated, satsRecorded, satsEstimated } = group;
  if (usdEstimated === null && usdRecorded === 0) return words.unknown;
  const sats = satsRecorded === null || satsEstimated === null ? null : satsRecorded + satsEstimated;
  const usd = formatUsd(costOf(group));
  const text = sats === null ? usd : `${usd} · ${words.sats(formatSats(sats))}`;
  return (usdEstimated ?? 0) > 0 ? words.estimate(text) : text;
};

/** The models that an agent called, with the most expensive first. */
export const ModelsTable = ({ models }: { readonly models: readonly UsageGroup[] }) => {
  if (models.length === 0) return <p className="text-muted">{words.noModels}</p>;
  return (
    <div className="overflow-x-auto">
      <table className="w-full">
        <thead className="text-sm text-muted">
          <tr>
            <th scope="col" className="py-1 text-left font-normal">
              {words.columns.model}
            </th>
            <th scope="col" className={`${CELL} font-normal`}>
              {words.columns.calls}
            </th>
            <th scope="col" className={`${CELL} font-normal`}>
              {words.columns.tokens}
            </th>
            <th scope="col" className={`${CELL} font-normal`}>
              {words.columns.cost}
            </th>
          </tr>
        </thead>
        <tbody>
          {models
            .toSorted((a, b) => costOf(b) - costOf(a) || tokensOf(b) - tokensOf(a))
            .map((group) => (
              <tr key={group.key} className="border-t border-line">
                <th scope="row" className="py-1 text-left font-medium wrap-anywhere">
                  <bdi>{group.key.replace(/^\//, '')}</bdi>
                </th>
                <td className={CELL}>{words.calls(group.calls)}</td>
                <td className={CELL}>{number.format(tokensOf(group))}</td>
                <td className={`${CELL} whitespace-nowrap`}>{costText(group)}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  );
};
