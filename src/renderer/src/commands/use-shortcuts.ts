import { useEffect, useRef } from 'react';
import { isField, isShortcut, type ShortcutId } from './shortcuts.ts';

/** Whether a dialog needs an answer or a menu is open. Toasts have the role of dialogs, but ask nothing. */
const isBusy = (): boolean =>
  [...document.querySelectorAll('[role="dialog"], [role="alertdialog"], [role="menu"]')].some(
    (element) => element.closest('[role="region"]') === null,
  );

// The focused editor uses these keys itself: it comments with Ctrl+/, and finds.
const EDITOR_FIRST: readonly ShortcutId[] = ['shortcuts', 'find'];

/** Handles shortcuts of the page. While a dialog or menu is open, neither page nor browser reacts to them. */
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
        if (event.defaultPrevented && EDITOR_FIRST.includes(id)) return;
        // Otherwise Ctrl+P would print, and Ctrl+K would search the web.
        event.preventDefault();
        if (!event.repeat && !isBusy()) run();
        return;
      }
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
};
