import { type RefObject, useEffect, useRef } from 'react';

/**
 * Keeps the focus in a list whose rows go away when their button is pressed: the focus moves to the button that took
 * the row's place, to the last one, or to the list. Put `data-row-action` on those buttons, call the answer when
 * one is pressed, and give the number of rows.
 */
export const useFocusAfterRemoval = (
  list: RefObject<HTMLElement | null>,
  rowCount: number,
): ((pressed: HTMLElement) => void) => {
  const pressedIndex = useRef(-1);
  const actions = (): HTMLElement[] => [
    ...(list.current?.querySelectorAll<HTMLElement>('[data-row-action]') ?? []),
  ];

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when rows come or go, and only then
  useEffect(() => {
    const index = pressedIndex.current;
    // Someone who has moved on in the meantime is left where they are.
    if (index < 0 || (document.activeElement !== null && document.activeElement !== document.body)) return;
    pressedIndex.current = -1;
    const rest = actions();
    (rest[Math.min(index, rest.length - 1)] ?? list.current)?.focus();
  }, [rowCount]);

  return (pressed) => {
    pressedIndex.current = actions().indexOf(pressed);
  };
};
