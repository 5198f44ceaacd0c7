import { type RefObject, useEffect, useRef } from 'react';

/**
 * Keeps the focus in a list whose rows go away when their button is pressed: the focus moves to the button that took
 * the row's place, to the last one, or to the list. Put `data-row-action` on those buttons, with a value for each kind
 * where a row has several, call the answer when one is pressed, and give the number of rows.
 */
export const useFocusAfterRemoval = (
  list: RefObject<HTMLElement | null>,
  rowCount: number,
): ((pressed: HTMLElement) => void) => {
  const pressedIndex = useRef(-1);
  const kind = useRef<string>(undefined);
  const actions = (): HTMLElement[] => [
    ...(list.current?.querySelectorAll<HTMLElement>(`[data-row-action="${kind.current}"]`) ?? []),
  ];

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when rows come or go, and only then
  useEffect(() => {
    const index = pressedIndex.current;
    if (index < 0) return;
    pressedIndex.current = -1;
    let frame: number | undefined;
    const move = (): void => {
      const { activeElement } = document;
      // A question that was just answered still has the focus, and would give it back to a button that is gone.
      if (activeElement?.closest('[role="alertdialog"]') && !activeElement.closest('[role="region"]')) {
        frame = requestAnimationFrame(move);
        return;
      }
      // Someone who has moved on in the meantime is left where they are.
      if (activeElement !== null && activeElement !== document.body) return;
      const rest = actions();
      (rest[Math.min(index, rest.length - 1)] ?? list.current)?.focus();
    };
    move();
    return () => {
      if (frame !== undefined) cancelAnimationFrame(frame);
    };
  }, [rowCount]);

  return (pressed) => {
    kind.current = pressed.dataset.rowAction;
    pressedIndex.current = actions().indexOf(pressed);
  };
};
