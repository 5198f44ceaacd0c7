import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';

/** Returns whether nothing has focus: the focused element is gone, or a person clicked an empty area. */
export const focusIsLost = (): boolean =>
  document.activeElement === null || document.activeElement === document.body;

/** The position of focus in a list. */
interface Place {
  readonly control: HTMLElement;
  /** The index among controls with the same `data-row-action`, if it has one. */
  index: number;
}

const CONTROLS = 'a[href], button, input';

/**
 * Returns whether an element covers a list, so the position is kept. A toast has a dialog's role but doesn't count.
 */
const isOnTop = (element: Element | null): boolean =>
  element?.closest(':is([role="dialog"], [role="alertdialog"]):not([role="region"] *)') != null;

/** Returns the controls in the list that can get focus in place of `control`. */
const fellowsOf = (control: HTMLElement, list: HTMLElement | null): HTMLElement[] => {
  const kind = control.dataset.rowAction;
  const selector = kind === undefined ? CONTROLS : `[data-row-action="${kind}"]`;
  return [...(list?.querySelectorAll<HTMLElement>(selector) ?? [])];
};

/**
 * Keeps focus in a list when rows are removed for any reason. Focus moves to the control that replaced the
 * focused one, to the last one, or to the list. Controls with `data-row-action` are replaced only by those with the
 * same value. Use one value for each kind of control in a row.
 */
export const useFocusAfterRemoval = (list: RefObject<HTMLElement | null>): void => {
  const place = useRef<Place | null>(null);

  useEffect(() => {
    const remember = ({ target }: FocusEvent): void => {
      if (!(target instanceof HTMLElement) || isOnTop(target)) return;
      const isHere = target !== list.current && list.current?.contains(target);
      place.current = isHere
        ? { control: target, index: fellowsOf(target, list.current).indexOf(target) }
        : null;
    };
    // A click on an empty area also removes focus, so forget the position. Keep it if the control was removed.
    const forget = (): void => {
      setTimeout(() => {
        if (focusIsLost() && place.current?.control.isConnected) place.current = null;
      });
    };
    document.addEventListener('focusin', remember);
    document.addEventListener('focusout', forget);
    return () => {
      document.removeEventListener('focusin', remember);
      document.removeEventListener('focusout', forget);
    };
  }, [list]);

  // A render may have removed the control, or moved it.
  useLayoutEffect(() => {
    const was = place.current;
    if (!was) return;
    if (was.control.isConnected) {
      was.index = fellowsOf(was.control, list.current).indexOf(was.control);
      return;
    }
    let frame: number | undefined;
    const move = (): void => {
      // A dialog that just closed still has focus, and would return it to a button that is gone.
      if (isOnTop(document.activeElement)) {
        frame = requestAnimationFrame(move);
        return;
      }
      place.current = null;
      // Don't move focus if the person has moved it in the meantime.
      if (!focusIsLost()) return;
      const rest = fellowsOf(was.control, list.current);
      (rest[Math.min(was.index, rest.length - 1)] ?? list.current)?.focus();
    };
    move();
    return () => {
      if (frame !== undefined) cancelAnimationFrame(frame);
    };
  });
};
