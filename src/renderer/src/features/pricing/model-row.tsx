import { Pencil, Trash2 } from 'lucide-react';
import { memo } from 'react';
import type { PricedModel } from '../../api/models.ts';
import { pricing as texts } from '../../strings/pricing.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { formatSats } from './format-price.ts';
import { satsPerMillion, satsPerToken } from './sats.ts';
import { UsdCell } from './usd-cell.tsx';
import type { CellActions, CellDraft } from './use-cell-editor.ts';

/** The height of every row. */
export const ROW_HEIGHT_PX = 32;

const words = texts.models;

/** What the buttons of a row do; the same object for as long as the table is there. */
export interface RowActions {
  readonly edit: (model: PricedModel) => void;
  readonly remove: (name: string) => void;
}

interface ModelRowProps {
  readonly model: PricedModel;
  readonly btcUsd: number | null;
  /** Of all models in their order. */
  readonly index: number;
  /** Of all rows of the table, from 1. */
  readonly rowIndex: number;
  /** What is typed in a cell of this row. */
  readonly draft: CellDraft | null;
  readonly cells: CellActions;
  readonly actions: RowActions;
}

/** A model with its prices. */
export const ModelRow = memo((props: ModelRowProps) => {
  const { model, btcUsd, index, rowIndex, draft, cells, actions } = props;
  const { inputUsd, outputUsd } = model;
  return (
    <tr data-index={index} aria-rowindex={rowIndex} className="group h-8 border-b border-line hover:bg-hover">
      <NameCell model={model} actions={actions} />
      <UsdCell model={model} side="input" draft={draft?.side === 'input' ? draft : null} actions={cells} />
      <UsdCell model={model} side="output" draft={draft?.side === 'output' ? draft : null} actions={cells} />
      <Sats usd={inputUsd} btcUsd={btcUsd} reckon={satsPerToken} />
      <Sats usd={outputUsd} btcUsd={btcUsd} reckon={satsPerToken} />
      <Sats usd={inputUsd} btcUsd={btcUsd} reckon={satsPerMillion} />
      <Sats usd={outputUsd} btcUsd={btcUsd} reckon={satsPerMillion} />
    </tr>
  );
});

const NameCell = ({ model, actions }: { readonly model: PricedModel; readonly actions: RowActions }) => {
  const { name } = model;
  return (
    <th scope="row" className="py-0 pr-1 pl-6 text-left font-normal">
      <div className="flex h-7.75 min-w-0 items-center gap-1">
        <bdi className="min-w-0 truncate" title={name}>
          {name}
        </bdi>
        {/* Seen on pointing at the row and on the way through it; without a place of their own, names have all of it. */}
        <span className="flex max-w-0 overflow-hidden group-focus-within:max-w-none group-focus-within:overflow-visible group-hover:max-w-none group-hover:overflow-visible">
          <CopyButton label={words.copyName(name)} text={name} />
          <Button
            variant="quiet"
            size="icon"
            aria-label={words.edit(name)}
            title={words.edit(name)}
            onClick={() => actions.edit(model)}
          >
            <Pencil aria-hidden="true" className="size-3.5" />
          </Button>
          <Button
            variant="quiet"
            size="icon"
            data-row-action
            aria-label={words.remove(name)}
            title={words.remove(name)}
            onClick={() => actions.remove(name)}
          >
            <Trash2 aria-hidden="true" className="size-3.5" />
          </Button>
        </span>
      </div>
    </th>
  );
};

const CELL = 'truncate px-2 py-0 last:pr-6';

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
