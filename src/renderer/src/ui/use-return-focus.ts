import { useRef } from 'react';
import { focusIsLost } from './use-focus-after-removal.ts';

/**
 * Returns the focused element, including in a shadow tree, such as the editor's text. Null if nothing has focus.
 */
const focusedElement = (): HTMLElement | null => {
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  // A menu also closes, and returns focus itself.
  if (!(element instanceof HTMLElement) || element.closest('[role="menu"]')) return null;
  return element === document.body ? null : element;
};

/** How a dialog returns focus. */
interface ReturnFocus {
  /**
   * True if the dialog returns focus automatically. A function would override focus that the page moved.
   */
  readonly finalFocus: boolean;
  /** Call this once the dialog has closed. */
  readonly onClosed: () => void;
}

/**
 * Returns focus to where it was before a dialog opened, including places that the dialog can't restore: where Tab
 * doesn't stop, or in a shadow tree.
 */
export const useReturnFocus = (open: boolean): ReturnFocus => {
  const opener = useRef<HTMLElement>(null);
  const wasOpen = useRef(false);
  if (open && !wasOpen.current) opener.current = focusedElement();
  wasOpen.current = open;
  const place = (): HTMLElement | undefined => {
    const element = opener.current;
    if (!element?.isConnected) return undefined;
    return element.tabIndex < 0 || element.getRootNode() !== document ? element : undefined;
  };
  return {
    finalFocus: place() === undefined,
    onClosed: () => {
      // The dialog's own elements may still exist. If someone moved focus elsewhere in the meantime, leave it there.
      if (focusIsLost() || document.activeElement?.closest('[data-closed]'))
        place()?.focus({ preventScroll: true });
    },
  };
};
