import { isMac } from './platform.ts';
import { type Keys, SHORTCUTS, type ShortcutId } from './shortcuts.ts';

/**
 * Does what the keys of a shortcut do, for the native menu, so that there is one way for both: where the focus is, or
 * beside it if those keys would be text there.
 */
export const pressShortcut = (id: ShortcutId): void => {
  const { key, mod = false, shift = false }: Keys = SHORTCUTS[id].keys[0];
  const target = (SHORTCUTS[id].inFields && document.activeElement) || document.body;
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
