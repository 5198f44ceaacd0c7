import { isMac } from './platform.ts';

/** A combination of keys; `mod` is ⌘ on a Mac and Ctrl elsewhere. */
export interface Keys {
  /** As `KeyboardEvent.key` says it, in lower case. */
  readonly key: string;
  readonly mod?: boolean;
  readonly shift?: boolean;
}

/** A shortcut of the page. `where` says which part of the page hears it. */
export interface Shortcut {
  readonly keys: readonly Keys[];
  readonly where: 'everywhere' | 'agent' | 'list';
  /** Also while typing in a field: only what no field needs. */
  readonly inFields: boolean;
}

/** Every shortcut of the page: the one table, which the sheet of shortcuts shows. */
export const SHORTCUTS = {
  palette: { keys: [{ key: 'k', mod: true }], where: 'everywhere', inFields: true },
  quickOpen: { keys: [{ key: 'p', mod: true }], where: 'everywhere', inFields: true },
  settings: { keys: [{ key: ',', mod: true }], where: 'everywhere', inFields: true },
  shortcuts: { keys: [{ key: '?' }, { key: '/', mod: true }], where: 'everywhere', inFields: false },
  takeBack: { keys: [{ key: 'z', mod: true }], where: 'everywhere', inFields: false },
  save: { keys: [{ key: 's', mod: true }], where: 'agent', inFields: true },
  find: { keys: [{ key: 'f', mod: true }], where: 'agent', inFields: true },
  undo: { keys: [{ key: 'z', mod: true }], where: 'agent', inFields: true },
  move: { keys: [{ key: 'arrowup' }, { key: 'arrowdown' }], where: 'list', inFields: true },
  open: { keys: [{ key: 'enter' }], where: 'list', inFields: true },
  clear: { keys: [{ key: 'escape' }], where: 'list', inFields: true },
} as const satisfies Record<string, Shortcut>;

/** A key of {@link SHORTCUTS}. */
export type ShortcutId = keyof typeof SHORTCUTS;

const NAMES: Readonly<Record<string, string>> = {
  arrowup: '↑',
  arrowdown: '↓',
  enter: 'Enter',
  escape: 'Esc',
};

/** The caps of one combination as they are shown: `['Ctrl', 'K']`, on a Mac `['⌘', 'K']`. */
export const keyCaps = ({ key, mod, shift }: Keys, mac: boolean = isMac()): string[] => [
  ...(mod ? [mac ? '⌘' : 'Ctrl'] : []),
  ...(shift ? [mac ? '⇧' : 'Shift'] : []),
  NAMES[key] ?? key.toUpperCase(),
];

/** What a combination is called in `aria-keyshortcuts`. */
export const ariaKeys = (id: ShortcutId, mac: boolean = isMac()): string =>
  SHORTCUTS[id].keys
    .map((keys: Keys) => [...(keys.mod ? [mac ? 'Meta' : 'Control'] : []), keys.key.toUpperCase()].join('+'))
    .join(' ');

/** The parts of a key event that decide. */
export type KeyPress = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>;

const isPressed = (keys: Keys, press: KeyPress, mac: boolean): boolean => {
  const { key, ctrlKey, metaKey, altKey, shiftKey } = press;
  if (key.toLowerCase() !== keys.key || altKey) return false;
  if ((mac ? metaKey : ctrlKey) !== Boolean(keys.mod) || (mac ? ctrlKey : metaKey)) return false;
  // Where "?" and "/" are depends on the keyboard; Shift may be part of reaching them.
  return /^[a-z]$/.test(keys.key) ? shiftKey === Boolean(keys.shift) : true;
};

/** Whether a key event is a shortcut, and one that may be heard where the event is from. */
export const isShortcut = (
  id: ShortcutId,
  press: KeyPress,
  isInField: boolean,
  mac: boolean = isMac(),
): boolean => {
  const { keys, inFields }: Shortcut = SHORTCUTS[id];
  return (inFields || !isInField) && keys.some((combination) => isPressed(combination, press, mac));
};

/** Whether keys typed at an element are text. */
export const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input, textarea, select, [role="textbox"]'));
