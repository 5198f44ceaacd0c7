import { useMemo, useRef } from 'react';
import type { PricedModel } from '../../../api/models.ts';
import { useUnsaved } from '../../../drafts/unsaved.ts';
import { readPrice } from '../../../money/read-price.ts';
import type { PriceEdit } from '../editing/price-edits.ts';
import type { Side } from './measures.ts';

/** The price being typed. It's stored outside its row, because an offscreen row isn't in the DOM. */
export interface CellDraft {
  readonly model: PricedModel;
  readonly side: Side;
  readonly text: string;
  /** The etag of the file when the edit began. */
  readonly etag: string | null;
  readonly isWrong: boolean;
  /** True if the text was typed. Don't select it then, because the next key would replace it. */
  readonly wasTyped: boolean;
}

/** The actions of a table's cells. Always the same object, so that it never causes rows to render. */
export interface CellActions {
  /** Opens a cell, with the character that was typed on it, if any. */
  readonly begin: (model: PricedModel, side: Side, typed?: string) => void;
  readonly type: (text: string) => void;
  /** Saves the typed price and closes the cell. If the price is invalid, the cell stays open. */
  readonly commit: () => void;
  readonly cancel: () => void;
  /** Returns whether this cell was just closed and should get focus. True only once per close. */
  readonly takesFocus: (name: string, side: Side) => boolean;
}

const priceOf = (model: PricedModel, side: Side): number =>
  side === 'input' ? model.inputUsd : model.outputUsd;

/** Edits one price at a time in its cell. Typed text stays when the person leaves the page and returns. */
export const useCellEditor = (
  etag: string | null,
  run: (edit: PriceEdit, etag: string | null) => void,
): { readonly draft: CellDraft | null; readonly actions: CellActions } => {
  const [draft, setDraft] = useUnsaved<CellDraft>('pricing/cell');
  const latest = useRef({ draft, etag, run });
  latest.current = { draft, etag, run };
  const focusNext = useRef<string | null>(null);
  const actions = useMemo<CellActions>(() => {
    const close = (): void => {
      const open = latest.current.draft;
      focusNext.current = open && `${open.side} ${open.model.name}`;
      latest.current.draft = null;
      setDraft(null);
    };
    return {
      begin: (model, side, typed) => {
        const text = typed ?? String(priceOf(model, side));
        setDraft({
          model,
          side,
          text,
          etag: latest.current.etag,
          isWrong: false,
          wasTyped: typed !== undefined,
        });
      },
      type: (text) => {
        const open = latest.current.draft;
        if (open) setDraft({ ...open, text, isWrong: false, wasTyped: true });
      },
      commit: () => {
        const open = latest.current.draft;
        if (!open) return;
        const price = readPrice(open.text);
        if (price === null) {
          setDraft({ ...open, isWrong: true });
          return;
        }
        close();
        const { model, side } = open;
        if (price === priceOf(model, side)) return;
        const changes = side === 'input' ? { inputUsd: price } : { outputUsd: price };
        latest.current.run({ kind: 'change', name: model.name, changes }, open.etag);
      },
      cancel: close,
      takesFocus: (name, side) => {
        const takes = focusNext.current === `${side} ${name}`;
        if (takes) focusNext.current = null;
        return takes;
      },
    };
  }, [setDraft]);
  return { draft, actions };
};
