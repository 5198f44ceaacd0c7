import { type KeyboardEvent, useCallback, useState } from 'react';

/** The active option, and the keys that move it. */
export interface ActiveOption {
  readonly index: number;
  readonly setId: (id: string) => void;
  /** Handles a listbox's keys. Returns whether it handled the key. */
  readonly onKeyDown: (event: KeyboardEvent<HTMLElement>) => boolean;
}

const PAGE = 10;

/**
 * Keyboard navigation in a list, which can be virtualized. The active option is tracked by its id, so it survives
 * filtering and updates. It starts at the opened item, or else the first, and moves to any item that opens.
 */
export const useActiveOption = (
  ids: readonly string[],
  openedId: string | null,
  onMove: (index: number) => void,
  onOpen: (id: string) => void,
): ActiveOption => {
  const [choice, setChoice] = useState<{ id: string; openedId: string | null } | null>(null);
  const setId = useCallback((id: string): void => setChoice({ id, openedId }), [openedId]);
  const chosen = choice?.openedId === openedId ? ids.indexOf(choice.id) : -1;
  const opened = openedId === null ? -1 : ids.indexOf(openedId);
  const index = chosen >= 0 ? chosen : Math.max(opened, Math.min(0, ids.length - 1));

  const moveTo = (target: number): void => {
    const next = Math.max(0, Math.min(target, ids.length - 1));
    const id = ids[next];
    if (id === undefined) return;
    setId(id);
    onMove(next);
  };

  const onKeyDown = (event: KeyboardEvent<HTMLElement>): boolean => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.nativeEvent.isComposing) return false;
    const targets: Readonly<Record<string, number>> = {
      ArrowDown: index + 1,
      ArrowUp: index - 1,
      PageDown: index + PAGE,
      PageUp: index - PAGE,
      Home: 0,
      End: ids.length - 1,
    };
    const target = targets[event.key];
    const current = ids[index];
    if (target !== undefined) moveTo(target);
    else if (event.key === 'Enter' && current !== undefined) onOpen(current);
    else return false;
    event.preventDefault();
    return true;
  };

  return { index, setId, onKeyDown };
};
