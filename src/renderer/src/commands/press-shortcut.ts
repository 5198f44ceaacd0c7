import { isMac } from './platform.ts';
import { type Keys, SHORTCUTS, type ShortcutId } from './shortcuts.ts';

/** Does what the keys of a shortcut do, where the focus is: for the native menu, so that there is one way for both. */
export const pressShortcut = (id: ShortcutId): void => {
  const { key, mod = false, shift = false }: Keys = SHORTCUTS[id].keys[0];
  const target = document.activeElement ?? document.body;
  target.dispatchEvent(
    new KeyboardEvent('keydown', {
      key,
      code: /^[a-z]$/.test(key) ? `Key${key.toUpperCase()}` : '',
      keyCode: key.toUpperCase().charCodeAt(0),
      ctrlKey: mod && !isMac(),
      metaKey: mod && isMac(),
      shiftKey: shift,
      bubbles: true,
      cancelable: true,
    }),
  );
};
