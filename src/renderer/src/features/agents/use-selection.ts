import { useMemo, useState } from 'react';

/** The agents selected for one action, and the start of a range. */
export interface ListSelection<T extends string = string> {
  readonly chosen: ReadonlySet<T>;
  /** The agent that was last selected with one click. */
  readonly anchor: T | null;
}

/** The empty selection. */
export const NO_SELECTION: ListSelection = { chosen: new Set(), anchor: null };

/** Selects or deselects an agent. Later ranges start at that agent. */
export const toggled = <T extends string>({ chosen }: ListSelection<T>, id: T): ListSelection<T> => {
  const next = new Set(chosen);
  if (!next.delete(id)) next.add(id);
  return { chosen: next, anchor: id };
};

/**
 * Adds all agents from the anchor to `id`, inclusive, in the order of the list. If the anchor isn't in the list, the
 * range starts at `from`.
 */
export const extended = (
  { chosen, anchor }: ListSelection,
  ids: readonly string[],
  id: string,
  from: string | null,
): ListSelection => {
  const to = ids.indexOf(id);
  const start = [anchor, from, id].find((one) => one !== null && ids.includes(one)) ?? id;
  const at = ids.indexOf(start);
  const range = ids.slice(Math.min(at, to), Math.max(at, to) + 1);
  return { chosen: new Set([...chosen, ...range]), anchor: start };
};

/** Tracks which agents in a list are selected. Removed agents are deselected. */
export const useSelection = (existing: readonly { readonly id: string }[]) => {
  const [selection, setSelection] = useState(NO_SELECTION);
  const chosen = useMemo((): readonly string[] => {
    if (selection.chosen.size === 0) return [];
    return existing.map(({ id }) => id).filter((id) => selection.chosen.has(id));
  }, [existing, selection.chosen]);
  const set = useMemo(() => new Set(chosen), [chosen]);
  return {
    /** The selected agents in the order of the list. */
    chosen,
    has: set,
    toggle: (id: string) => setSelection((now) => toggled(now, id)),
    extend: (ids: readonly string[], id: string, from: string | null) =>
      setSelection((now) => extended(now, ids, id, from)),
    all: (ids: readonly string[]) => setSelection(({ anchor }) => ({ chosen: new Set(ids), anchor })),
    clear: () => setSelection(NO_SELECTION),
  };
};
