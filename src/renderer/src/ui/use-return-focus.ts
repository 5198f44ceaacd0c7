import { useRef } from 'react';
import { focusIsLost } from './use-focus-after-removal.ts';

/** What has the focus, also in a shadow tree, as the editor's text is. Null if nothing has it. */
const focusedElement = (): HTMLElement | null => {
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  // A menu closes as well, and has its own place to return the focus to.
  if (!(element instanceof HTMLElement) || element.closest('[role="menu"]')) return null;
  return element === document.body ? null : element;
};

/** How a dialog returns the focus. */
interface ReturnFocus {
  /** Whether the dialog returns the focus by itself. A function here would overrule a page that moves the focus. */
  readonly finalFocus: boolean;
  /** To call once the dialog has closed. */
  readonly onClosed: () => void;
}

/**
 * Returns the focus to where it was before a dialog opened, also to a place from which the dialog would pass it on:
 * one where Tab doesn't stop, or one in a shadow tree.
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
      // Its own elements may still be there. Whoever moved the focus elsewhere meanwhile keeps it.
      if (focusIsLost() || document.activeElement?.closest('[data-closed]'))
        place()?.focus({ preventScroll: true });
    },
  };
};
