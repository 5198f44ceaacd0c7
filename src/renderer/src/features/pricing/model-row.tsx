import { memo } from 'react';
import type { PricedModel } from '../../api/models.ts';
import { strings } from '../../strings.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { formatSats, formatUsd } from './format-price.ts';
import { satsPerMillion, satsPerToken } from './sats.ts';

/** The height of every row. */
export const ROW_HEIGHT_PX = 32;

const words = strings.pricing.models;

interface ModelRowProps {
  readonly model: PricedModel;
  readonly btcUsd: number | null;
  readonly rowIndex: number;
}

/** A model with its prices. */
export const ModelRow = memo(({ model, btcUsd, rowIndex }: ModelRowProps) => {
  const { name, inputUsd, outputUsd } = model;
  return (
    <tr aria-rowindex={rowIndex} className="group h-8 border-b border-line hover:bg-hover">
      <th scope="row" className="py-0 pr-1 pl-6 text-left font-normal">
        <div className="flex h-7.75 min-w-0 items-center gap-1">
          <bdi className="min-w-0 truncate" title={name}>
            {name}
          </bdi>
          <span className="opacity-0 group-hover:opacity-100 focus-within:opacity-100">
            <CopyButton label={words.copyName(name)} text={name} />
          </span>
        </div>
      </th>
      <Usd value={inputUsd} />
      <Usd value={outputUsd} />
      <Sats usd={inputUsd} btcUsd={btcUsd} reckon={satsPerToken} />
      <Sats usd={outputUsd} btcUsd={btcUsd} reckon={satsPerToken} />
      <Sats usd={inputUsd} btcUsd={btcUsd} reckon={satsPerMillion} />
      <Sats usd={outputUsd} btcUsd={btcUsd} reckon={satsPerMillion} />
    </tr>
  );
});

const CELL = 'truncate px-2 py-0 last:pr-6';

const Usd = ({ value }: { readonly value: number }) => (
  <td className={CELL} title={`$${value}`}>
    {formatUsd(value)}
  </td>
);

interface SatsProps {
  readonly usd: number;
  readonly btcUsd: number | null;
  readonly reckon: (usdPerMillion: number, btcUsd: number) => number;
}

const Sats = ({ usd, btcUsd, reckon }: SatsProps) => {
  if (btcUsd === null) {
    return (
      <td className={`${CELL} text-muted`}>
        <span aria-hidden="true">–</span>
        <span className="sr-only">{words.noPrice}</span>
      </td>
    );
  }
  const sats = reckon(usd, btcUsd);
  return (
    <td className={CELL} title={String(sats)}>
      {formatSats(sats)}
    </td>
  );
};
