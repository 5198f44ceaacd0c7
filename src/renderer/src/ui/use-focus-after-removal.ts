import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';
import { focusIsLost } from './focus-is-lost.ts';

/** Where in a list the focus is. */
interface Place {
  readonly control: HTMLElement;
  /** Of its fellows, those of the same `data-row-action` where it has one. */
  index: number;
}

const CONTROLS = 'a[href], button, input';

/** What is opened on top of a list keeps the place; a toast, which is a dialog by its role, does not. */
const isOnTop = (element: Element | null): boolean =>
  element?.closest(':is([role="dialog"], [role="alertdialog"]):not([role="region"] *)') != null;

/**
 * Keeps the focus in a list whose rows go away, whoever removes them: it moves to the control that took the place of the
 * one that had it, to the last one, or to the list. With `data-row-action` on some controls, with a value for each kind
 * where a row has several, only those of one kind take each other's place.
 */
export const useFocusAfterRemoval = (list: RefObject<HTMLElement | null>): void => {
  const place = useRef<Place | null>(null);
  const fellows = (control: HTMLElement): HTMLElement[] => {
    const kind = control.dataset.rowAction;
    const selector = kind === undefined ? CONTROLS : `[data-row-action="${kind}"]`;
    return [...(list.current?.querySelectorAll<HTMLElement>(selector) ?? [])];
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: `fellows` depends on the list alone
  useEffect(() => {
    const remember = ({ target }: FocusEvent): void => {
      if (!(target instanceof HTMLElement) || isOnTop(target)) return;
      const isHere = target !== list.current && list.current?.contains(target);
      place.current = isHere ? { control: target, index: fellows(target).indexOf(target) } : null;
    };
    // A press on nothing takes the focus away, too, and that is meant; what was removed by then was not left.
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

  // Whatever is drawn may have taken the control with it, or moved it.
  useLayoutEffect(() => {
    const was = place.current;
    if (!was) return;
    if (was.control.isConnected) {
      was.index = fellows(was.control).indexOf(was.control);
      return;
    }
    let frame: number | undefined;
    const move = (): void => {
      // A question that was just answered still has the focus, and would give it back to a button that is gone.
      if (isOnTop(document.activeElement)) {
        frame = requestAnimationFrame(move);
        return;
      }
      place.current = null;
      // Someone who has moved on in the meantime is left where they are.
      if (!focusIsLost()) return;
      const rest = fellows(was.control);
      (rest[Math.min(was.index, rest.length - 1)] ?? list.current)?.focus();
    };
    move();
    return () => {
      if (frame !== undefined) cancelAnimationFrame(frame);
    };
  });
};
