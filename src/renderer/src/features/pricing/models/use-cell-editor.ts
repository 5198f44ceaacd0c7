import { useMemo, useRef, useState } from 'react';
import type { PricedModel } from '../../../api/models.ts';
import { type PriceEdit, readPrice } from '../editing/price-edits.ts';
import type { Side } from './sort-models.ts';

/** The price that is being typed. It is kept here, not in its row, which goes when it is scrolled out of sight. */
export interface CellDraft {
  readonly model: PricedModel;
  readonly side: Side;
  readonly text: string;
  /** Of the file when the edit began. */
  readonly etag: string | null;
  readonly isWrong: boolean;
  /** It began with a key pressed on the cell, so the text is the beginning of a new price. */
  readonly wasTyped: boolean;
}

/** What the cells of a table call; the same object for as long as the table is there, so that rows are drawn only when they change. */
export interface CellActions {
  /** Opens a cell; with what was typed on it, if something was. */
  readonly begin: (model: PricedModel, side: Side, typed?: string) => void;
  readonly type: (text: string) => void;
  /** Saves what is typed and closes the cell; a text that is no price stays open. */
  readonly commit: () => void;
  readonly cancel: () => void;
  /** Whether a cell that comes back is to have the focus; true once. */
  readonly takesFocus: (name: string, side: Side) => boolean;
}

const priceOf = (model: PricedModel, side: Side): number =>
  side === 'input' ? model.inputUsd : model.outputUsd;

/** Edits one price at a time in its cell. */
export const useCellEditor = (
  etag: string | null,
  run: (edit: PriceEdit, etag: string | null) => void,
): { readonly draft: CellDraft | null; readonly actions: CellActions } => {
  const [draft, setDraft] = useState<CellDraft | null>(null);
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
      type: (text) => setDraft((open) => open && { ...open, text, isWrong: false }),
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
  }, []);
  return { draft, actions };
};
