import { Pencil, Trash2 } from 'lucide-react';
import { type KeyboardEvent, memo, useId } from 'react';
import type { PricedModel } from '../../../api/models.ts';
import { formatUsd } from '../../../money/format-price.ts';
import { pricing as words } from '../../../strings/pricing.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { cx } from '../../../ui/cx.ts';
import { Tooltip } from '../../../ui/tooltip.tsx';
import {
  cellClass,
  type Measure,
  type Per,
  type Price,
  priceIn,
  SHOWN_MEASURES,
  SIDES,
  type Side,
  usdPerMillionText,
} from './measures.ts';
import type { CellActions, CellDraft } from './use-cell-editor.ts';

interface UsdCellProps {
  readonly model: PricedModel;
  readonly side: Side;
  readonly draft: CellDraft | null;
  readonly actions: CellActions;
}

/** A price in USD. A click, Enter, F2 or a typed number starts editing. Arrow keys move from price to price. */
const UsdCell = ({ model, side, draft, actions }: UsdCellProps) => {
  if (draft) return <OpenCell draft={draft} actions={actions} />;
  const usd = side === 'input' ? model.inputUsd : model.outputUsd;
  const text = usdPerMillionText(usd);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'F2') actions.begin(model, side);
    else if (/^[\d.$]$/.test(event.key)) actions.begin(model, side, event.key);
    else if (!moveFocus(event)) return;
    event.preventDefault();
  };
  return (
    <td className="p-0">
      <button
        ref={(button) => {
          if (button && actions.takesFocus(model.name, side)) button.focus();
        }}
        type="button"
        data-side={side}
        data-details={words.models.exact(
          words.models.groups.usdPerMillion,
          words.models.sides[side],
          `$${usd}`,
        )}
        data-shows-row
        aria-label={words.models.editPrice(words.models.sides[side], model.name, text)}
        onClick={() => actions.begin(model, side)}
        onKeyDown={onKeyDown}
        className="group/price flex h-7.5 w-full scroll-mt-28 scroll-mb-2 items-center justify-end gap-1.5 rounded px-2 hover:bg-selected"
      >
        <Pencil
          aria-hidden="true"
          className="size-3 shrink-0 text-muted opacity-0 group-hover/price:opacity-100 group-focus-visible/price:opacity-100"
        />
        <span className="truncate">{text}</span>
      </button>
    </td>
  );
};

/** Moves focus to the price above, below or next to this one. Returns whether it handled the key. */
const moveFocus = ({ key, currentTarget }: KeyboardEvent<HTMLElement>): boolean => {
  const row = currentTarget.closest('tr');
  const sides = { ArrowLeft: 'input', ArrowRight: 'output' };
  if (key === 'ArrowUp' || key === 'ArrowDown') {
    focusPrice(nextPrices(row, key), currentTarget.dataset.side);
    return true;
  }
  if (key === 'ArrowLeft' || key === 'ArrowRight') {
    focusPrice(row, sides[key]);
    return true;
  }
  return false;
};

/** Returns the next row with prices above or below, skipping provider headings. */
const nextPrices = (row: Element | null, key: 'ArrowUp' | 'ArrowDown'): Element | null => {
  const step = (from: Element | null) =>
    (key === 'ArrowUp' ? from?.previousElementSibling : from?.nextElementSibling) ?? null;
  let next = step(row);
  while (next && !next.querySelector('[data-side]')) next = step(next);
  return next;
};

const focusPrice = (row: Element | null | undefined, side: string | undefined): void =>
  row?.querySelector<HTMLElement>(`[data-side="${side}"]`)?.focus();

type OpenCellProps = Pick<UsdCellProps, 'actions'> & { readonly draft: CellDraft };

const OpenCell = ({ draft, actions }: OpenCellProps) => {
  const id = useId();
  const { model, side, text, isWrong, wasTyped } = draft;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') actions.commit();
    else if (event.key === 'Escape') actions.cancel();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <td className="relative p-0">
      <input
        // A cell opens for typing, so it gets focus.
        ref={wasTyped ? focusAtEnd : focusSelected}
        value={text}
        inputMode="decimal"
        aria-label={words.models.priceField(words.models.sides[side], model.name)}
        aria-invalid={isWrong}
        aria-describedby={isWrong ? id : undefined}
        onChange={(event) => actions.type(event.target.value)}
        onKeyDown={onKeyDown}
        onBlur={actions.commit}
        autoComplete="off"
        spellCheck={false}
        className={cx(
          'h-7.5 w-full scroll-mt-28 scroll-mb-10 rounded border bg-canvas px-1.75 text-right outline-offset-0',
          isWrong ? 'border-danger' : 'border-line-strong',
        )}
      />
      {isWrong && (
        <p
          id={id}
          role="alert"
          className="absolute top-full right-0 z-1 mt-0.5 rounded-md bg-raised px-2 py-1 text-sm whitespace-nowrap text-danger shadow-popup"
        >
          {words.edit.problems.notPrice}
        </p>
      )}
    </td>
  );
};

const focusAtEnd = (input: HTMLInputElement | null): void => input?.focus();

const focusSelected = (input: HTMLInputElement | null): void => {
  input?.focus();
  input?.select();
};

/** The height of every row. */
export const ROW_HEIGHT_PX = 32;

/** The actions of a row's buttons. The object stays the same for as long as the table exists. */
export interface RowActions {
  readonly edit: (model: PricedModel) => void;
  readonly remove: (name: string) => void;
  readonly showUsers: (name: string) => void;
}

interface ModelRowProps {
  readonly model: PricedModel;
  readonly btcUsd: number | null;
  /** The unit of the prices that the table shows. */
  readonly per: Per;
  /** The index among the models and their headings. */
  readonly index: number;
  /** `index` as ARIA counts it: from 1, including the table's header. */
  readonly rowIndex: number;
  /** How many agents start with this model. */
  readonly users: number;
  /** The typed text, if a cell in this row is being edited. */
  readonly draft: CellDraft | null;
  readonly cells: CellActions;
  readonly actions: RowActions;
}

/** A model with its prices. */
export const ModelRow = memo((props: ModelRowProps) => {
  const { model, btcUsd, per, index, rowIndex, users, draft, cells, actions } = props;
  const { inputUsd, outputUsd } = model;
  const isCache = per === 'cache';
  return (
    <tr
      data-index={index}
      data-details-row
      aria-rowindex={rowIndex}
      className="group h-8 border-b border-line hover:bg-hover"
    >
      <NameCell model={model} users={users} actions={actions} />
      {SHOWN_MEASURES[per].flatMap((measure) =>
        SIDES.map((side) =>
          isCache ? (
            <CacheCell
              key={`${measure} ${side}`}
              model={model}
              measure={measure}
              side={side}
              btcUsd={btcUsd}
            />
          ) : measure === 'usdPerMillion' ? (
            <UsdCell
              key={`${measure} ${side}`}
              model={model}
              side={side}
              draft={draft?.side === side ? draft : null}
              actions={cells}
            />
          ) : (
            <PriceCell
              key={`${measure} ${side}`}
              price={priceIn(measure, side === 'input' ? inputUsd : outputUsd, btcUsd)}
              label={words.models.sides[side]}
              measure={measure}
              className={cellClass(measure, side)}
            />
          ),
        ),
      )}
    </tr>
  );
});

type NameCellProps = Pick<ModelRowProps, 'model' | 'users' | 'actions'>;

const isVaried = ({ requestUsd = 0, tiers = [] }: PricedModel): boolean => requestUsd > 0 || tiers.length > 0;

const describeVaried = ({ requestUsd = 0, tiers = [] }: PricedModel): string =>
  [
    ...(requestUsd > 0 ? [words.models.fee(formatUsd(requestUsd))] : []),
    ...tiers.map((tier) =>
      words.models.tier(
        tier.input_tokens_above,
        formatUsd(tier.input_usd_per_million),
        formatUsd(tier.output_usd_per_million),
      ),
    ),
  ].join(' ');

const NameCell = ({ model, users, actions }: NameCellProps) => {
  const { name } = model;
  return (
    <th scope="row" className="py-0 pr-1 pl-6 text-left font-normal">
      <div className="flex h-7.75 min-w-0 items-center gap-1">
        <bdi className="min-w-0 truncate" data-details="">
          {name}
        </bdi>
        {isVaried(model) && (
          <span data-details={describeVaried(model)} data-shows-row>
            <Badge>{words.models.varied}</Badge>
          </span>
        )}
        {users > 0 && (
          <Button
            variant="quiet"
            size="small"
            aria-label={words.models.usedByLabel(users, name)}
            onClick={() => actions.showUsers(name)}
          >
            {words.models.usedBy(users)}
          </Button>
        )}
        {/* Shown on hover and while the row has focus. Otherwise the name gets the space. */}
        <span className="flex max-w-0 overflow-hidden group-focus-within:max-w-none group-focus-within:overflow-visible group-hover:max-w-none group-hover:overflow-visible">
          <CopyButton label={words.models.copyName(name)} text={name} />
          <Tooltip label={words.models.edit(name)}>
            <Button
              variant="quiet"
              size="icon"
              aria-label={words.models.edit(name)}
              onClick={() => actions.edit(model)}
            >
              <Pencil aria-hidden="true" className="size-3.5" />
            </Button>
          </Tooltip>
          <Tooltip label={words.models.remove(name)}>
            <Button
              variant="quiet"
              size="icon"
              data-row-action
              aria-label={words.models.remove(name)}
              onClick={() => actions.remove(name)}
            >
              <Trash2 aria-hidden="true" className="size-3.5" />
            </Button>
          </Tooltip>
        </span>
      </div>
    </th>
  );
};

interface CacheCellProps {
  readonly model: PricedModel;
  readonly measure: Measure;
  readonly side: Side;
  readonly btcUsd: number | null;
}

/** A cache price. Edited only in the model's dialog, because most models have no cache prices. */
const CacheCell = ({ model, measure, side, btcUsd }: CacheCellProps) => {
  const usd = side === 'input' ? model.cacheReadUsd : model.cacheWriteUsd;
  const className = cellClass(measure, side);
  if (usd === undefined)
    return (
      <td className={cx('py-0 text-muted', className)}>
        <span aria-hidden="true">–</span>
        <span className="sr-only">{words.models.noCachePrice}</span>
      </td>
    );
  const price =
    measure === 'usdPerMillion'
      ? { text: usdPerMillionText(usd), exact: `$${usd}` }
      : priceIn('satsPerMillion', usd, btcUsd);
  return (
    <PriceCell price={price} label={words.models.cacheSides[side]} measure={measure} className={className} />
  );
};

interface PriceCellProps {
  /** Null while there is no BTC price. */
  readonly price: Price | null;
  readonly label: string;
  readonly measure: Measure;
  readonly className: string;
}

const PriceCell = ({ price, label, measure, className }: PriceCellProps) =>
  price === null ? (
    <td className={cx('py-0 text-muted', className)}>
      <span aria-hidden="true">–</span>
      <span className="sr-only">{words.models.noPrice}</span>
    </td>
  ) : (
    <td
      className={cx('truncate py-0', className)}
      data-details={words.models.exact(words.models.groups[measure], label, price.exact)}
    >
      {price.text}
    </td>
  );
