import { Pencil } from 'lucide-react';
import { type KeyboardEvent, useId } from 'react';
import type { PricedModel } from '../../../api/models.ts';
import { pricing as words } from '../../../strings/pricing.ts';
import { cx } from '../../../ui/cx.ts';
import { usdPerMillionText } from './measured-price.ts';
import type { Side } from './sort-models.ts';
import type { CellActions, CellDraft } from './use-cell-editor.ts';

interface UsdCellProps {
  readonly model: PricedModel;
  readonly side: Side;
  /** The typed text in this cell. */
  readonly draft: CellDraft | null;
  readonly actions: CellActions;
}

/** A price in USD. A press, Enter, F2 or a typed number opens it. The arrow keys move from price to price. */
export const UsdCell = ({ model, side, draft, actions }: UsdCellProps) => {
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

/** Moves the focus to the price above, below or next to this one. Returns whether it handled the key. */
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

/** The row with prices above or below. Headings of providers are between them. */
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
        // A cell opens for typing, so it takes the focus.
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
