import { useEffect, useRef } from 'react';

/** Returns whether this is a Mac, where shortcuts use ⌘ instead of Ctrl. */
export const isMac = (platform: string = navigator.platform): boolean => /^(Mac|iP)/.test(platform);

/** A key combination. `mod` is ⌘ on a Mac and Ctrl elsewhere. */
export interface Keys {
  /** The value of `KeyboardEvent.key`, in lowercase. */
  readonly key: string;
  readonly mod?: boolean;
  readonly shift?: boolean;
}

/** One of the page's shortcuts. `where` is the part of the page that handles it. */
export interface Shortcut {
  readonly keys: readonly Keys[];
  readonly where: 'everywhere' | 'agent' | 'list';
  /** True if the shortcut also works while typing in a field. Only for keys that no field needs. */
  readonly inFields: boolean;
}

/** All shortcuts of the page, as shown in the list of shortcuts. */
export const SHORTCUTS = {
  search: {
    keys: [
      { key: 'k', mod: true },
      { key: 'p', mod: true },
    ],
    where: 'everywhere',
    inFields: true,
  },
  settings: { keys: [{ key: ',', mod: true }], where: 'everywhere', inFields: true },
  shortcuts: { keys: [{ key: '?' }, { key: 'f1' }], where: 'everywhere', inFields: false },
  takeBack: { keys: [{ key: 'z', mod: true }], where: 'everywhere', inFields: false },
  putBack: {
    keys: [
      { key: 'z', mod: true, shift: true },
      { key: 'y', mod: true },
    ],
    where: 'everywhere',
    inFields: false,
  },
  changes: { keys: [{ key: 'h', mod: true, shift: true }], where: 'everywhere', inFields: true },
  save: { keys: [{ key: 's', mod: true }], where: 'agent', inFields: true },
  find: { keys: [{ key: 'f', mod: true }], where: 'agent', inFields: true },
  undo: { keys: [{ key: 'z', mod: true }], where: 'agent', inFields: true },
  nextFinding: { keys: [{ key: 'f8' }], where: 'agent', inFields: true },
  listFindings: { keys: [{ key: 'm', mod: true, shift: true }], where: 'agent', inFields: true },
  move: { keys: [{ key: 'arrowup' }, { key: 'arrowdown' }], where: 'list', inFields: true },
  open: { keys: [{ key: 'enter' }], where: 'list', inFields: true },
  clear: { keys: [{ key: 'escape' }], where: 'list', inFields: true },
  newEntry: { keys: [{ key: 'n' }], where: 'list', inFields: false },
  filter: { keys: [{ key: '/' }], where: 'list', inFields: false },
  edit: { keys: [{ key: 'e' }], where: 'list', inFields: false },
  select: { keys: [{ key: 'x' }], where: 'list', inFields: false },
} as const satisfies Record<string, Shortcut>;

/** A key of {@link SHORTCUTS}. */
export type ShortcutId = keyof typeof SHORTCUTS;

const NAMES: Readonly<Record<string, string>> = {
  arrowup: '↑',
  arrowdown: '↓',
  enter: 'Enter',
  escape: 'Esc',
};

/** Returns the key caps to show: `['Ctrl', 'K']`, or `['⌘', 'K']` on a Mac. */
export const keyCaps = ({ key, mod, shift }: Keys, mac: boolean = isMac()): string[] => [
  ...(mod ? [mac ? '⌘' : 'Ctrl'] : []),
  ...(shift ? [mac ? '⇧' : 'Shift'] : []),
  NAMES[key] ?? key.toUpperCase(),
];

/** Returns a shortcut's value for `aria-keyshortcuts`. */
export const ariaKeys = (id: ShortcutId, mac: boolean = isMac()): string =>
  SHORTCUTS[id].keys
    .map((keys: Keys) => [...(keys.mod ? [mac ? 'Meta' : 'Control'] : []), keys.key.toUpperCase()].join('+'))
    .join(' ');

/** The parts of a key event that identify a shortcut. */
type KeyPress = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>;

const isPressed = (keys: Keys, press: KeyPress, mac: boolean): boolean => {
  const { key, ctrlKey, metaKey, altKey, shiftKey } = press;
  if (key.toLowerCase() !== keys.key || altKey) return false;
  if ((mac ? metaKey : ctrlKey) !== Boolean(keys.mod) || (mac ? ctrlKey : metaKey)) return false;
  // The position of "?" and "/" depends on the keyboard, and may need Shift.
  return /^[a-z]$/.test(keys.key) ? shiftKey === Boolean(keys.shift) : true;
};

/** Returns whether a key types nothing, so that it works in fields too. */
const isFunctionKey = ({ key }: Keys): boolean => /^f\d+$/.test(key);

/** Returns whether a key event is a shortcut that works where the event happened. */
export const isShortcut = (
  id: ShortcutId,
  press: KeyPress,
  isInField: boolean,
  mac: boolean = isMac(),
): boolean => {
  const { keys, inFields }: Shortcut = SHORTCUTS[id];
  return keys.some(
    (combination) =>
      isPressed(combination, press, mac) && (inFields || !isInField || isFunctionKey(combination)),
  );
};

/** Returns whether an element accepts typed text. */
const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input, textarea, select, [role="textbox"]'));

/** Marks a dialog without input, so the search can replace it. */
export const GIVES_WAY = 'data-gives-way';

/**
 * Returns the open dialogs and menus. Excludes toasts, which have the role of dialogs but need no response, and
 * anything that is fading.
 */
const openPopups = (): readonly Element[] =>
  [...document.querySelectorAll('[role="dialog"], [role="alertdialog"], [role="menu"]')].filter(
    (element) => element.closest('[role="region"]') === null && !element.hasAttribute('data-closed'),
  );

/** Returns whether a dialog or menu is open, from which nothing may take the focus. */
export const isPopupOpen = (): boolean => openPopups().length > 0;

const givesWay = (element: Element): boolean =>
  element.getAttribute('role') === 'menu' || element.hasAttribute(GIVES_WAY);

/** Closes everything that a new dialog can replace: menus, and dialogs without input. */
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

// A focused editor uses these keys itself.
const EDITOR_FIRST: readonly ShortcutId[] = ['find'];

/**
 * Handles the page's shortcuts. While a dialog or menu is open, neither page nor browser reacts to them. Only the
 * search opens over popups that it can replace.
 */
export const useShortcuts = (handlers: Partial<Record<ShortcutId, () => void>>): void => {
  const latest = useRef(handlers);
  latest.current = handlers;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.isComposing) return;
      // The editor is in a shadow tree, so out here the event's target is only its host.
      const inField = isField(event.composedPath()[0] ?? null);
      for (const [id, run] of Object.entries(latest.current) as [ShortcutId, () => void][]) {
        if (!isShortcut(id, event, inField)) continue;
        // Respect `defaultPrevented` only here, because a focused disabled button prevents every key without using it.
        if (inField && event.defaultPrevented && EDITOR_FIRST.includes(id)) return;
        // The browser would print on Ctrl+P and search the web on Ctrl+K.
        event.preventDefault();
        if (!event.repeat && !isBlocked(id)) run();
        return;
      }
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
};
