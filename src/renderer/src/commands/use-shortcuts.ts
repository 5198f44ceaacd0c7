import { useEffect, useRef } from 'react';
import { isField, isShortcut, type ShortcutId } from './shortcuts.ts';

/** Something that must be answered first, or a menu that is open. Toasts have the role of dialogs, but ask nothing. */
const isBusy = (): boolean =>
  [...document.querySelectorAll('[role="dialog"], [role="alertdialog"], [role="menu"]')].some(
    (element) => element.closest('[role="region"]') === null,
  );

// Keys that the editor has a use for itself, when the focus is in it: it comments with Ctrl+/, and finds.
const EDITOR_FIRST: readonly ShortcutId[] = ['shortcuts', 'find'];

/** Hears shortcuts of the page. Nothing is heard while a dialog or menu is open; the browser then keeps still too. */
export const useShortcuts = (handlers: Partial<Record<ShortcutId, () => void>>): void => {
  const latest = useRef(handlers);
  latest.current = handlers;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.isComposing) return;
      // The editor is in a shadow tree, and out here the event is said to come from the host of that.
      const inField = isField(event.composedPath()[0] ?? null);
      for (const [id, run] of Object.entries(latest.current) as [ShortcutId, () => void][]) {
        if (!isShortcut(id, event, inField)) continue;
        if (event.defaultPrevented && EDITOR_FIRST.includes(id)) return;
        // Ctrl+P would print, Ctrl+K search the web.
        event.preventDefault();
        if (!event.repeat && !isBusy()) run();
        return;
      }
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
};
