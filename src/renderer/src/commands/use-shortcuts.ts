import { useEffect, useRef } from 'react';
import { isField, isShortcut, type ShortcutId } from './shortcuts.ts';

/** Marks a dialog that only shows something, so the search may replace it. */
export const GIVES_WAY = 'data-gives-way';

/** The open dialogs and menus. Toasts have the role of dialogs, but ask nothing, and neither does what fades. */
const openPopups = (): readonly Element[] =>
  [...document.querySelectorAll('[role="dialog"], [role="alertdialog"], [role="menu"]')].filter(
    (element) => element.closest('[role="region"]') === null && !element.hasAttribute('data-closed'),
  );

const givesWay = (element: Element): boolean =>
  element.getAttribute('role') === 'menu' || element.hasAttribute(GIVES_WAY);

/** Closes what is open and gives way to a new dialog: menus, and dialogs that only show something. */
export const closeWhatGivesWay = (): void => {
  for (const element of openPopups().filter(givesWay)) {
    element.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true, composed: true }),
    );
  }
};

const isBlocked = (id: ShortcutId): boolean => {
  const popups = openPopups();
  return id === 'search' ? !popups.every(givesWay) : popups.length > 0;
};

// The focused editor uses these keys itself: it comments with Ctrl+/, and finds.
const EDITOR_FIRST: readonly ShortcutId[] = ['shortcuts', 'find'];

/**
 * Handles shortcuts of the page. While a dialog or menu is open, neither page nor browser reacts to them. Only
 * the search also opens over what gives way.
 */
export const useShortcuts = (handlers: Partial<Record<ShortcutId, () => void>>): void => {
  const latest = useRef(handlers);
  latest.current = handlers;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.isComposing) return;
      // The editor is in a shadow tree. Out here, the event's target is its host.
      const inField = isField(event.composedPath()[0] ?? null);
      for (const [id, run] of Object.entries(latest.current) as [ShortcutId, () => void][]) {
        if (!isShortcut(id, event, inField)) continue;
        // A disabled button with the focus prevents every key, and uses none.
        if (inField && event.defaultPrevented && EDITOR_FIRST.includes(id)) return;
        // Otherwise Ctrl+P would print, and Ctrl+K would search the web.
        event.preventDefault();
        if (!event.repeat && !isBlocked(id)) run();
        return;
      }
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
};
