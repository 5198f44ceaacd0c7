import { isMac } from './platform.ts';

/** A combination of keys; `mod` is ⌘ on a Mac and Ctrl elsewhere. */
export interface Keys {
  /** The value of `KeyboardEvent.key`, in lower case. */
  readonly key: string;
  readonly mod?: boolean;
  readonly shift?: boolean;
}

/** A shortcut of the page. `where` is the part of the page that handles it. */
export interface Shortcut {
  readonly keys: readonly Keys[];
  readonly where: 'everywhere' | 'agent' | 'list';
  /** Also works while typing in a field. Only for keys that no field needs. */
  readonly inFields: boolean;
}

/** Every shortcut of the page. The sheet of shortcuts shows this table. */
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
  shortcuts: { keys: [{ key: '?' }, { key: '/', mod: true }], where: 'everywhere', inFields: false },
  takeBack: { keys: [{ key: 'z', mod: true }], where: 'everywhere', inFields: false },
  save: { keys: [{ key: 's', mod: true }], where: 'agent', inFields: true },
  find: { keys: [{ key: 'f', mod: true }], where: 'agent', inFields: true },
  undo: { keys: [{ key: 'z', mod: true }], where: 'agent', inFields: true },
  nextFinding: { keys: [{ key: 'f8' }], where: 'agent', inFields: true },
  listFindings: { keys: [{ key: 'm', mod: true, shift: true }], where: 'agent', inFields: true },
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

/** The caps of one combination as shown: `['Ctrl', 'K']`, on a Mac `['⌘', 'K']`. */
export const keyCaps = ({ key, mod, shift }: Keys, mac: boolean = isMac()): string[] => [
  ...(mod ? [mac ? '⌘' : 'Ctrl'] : []),
  ...(shift ? [mac ? '⇧' : 'Shift'] : []),
  NAMES[key] ?? key.toUpperCase(),
];

/** A shortcut's value for `aria-keyshortcuts`. */
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
  // The place of "?" and "/" depends on the keyboard, and Shift may be needed to reach them.
  return /^[a-z]$/.test(keys.key) ? shiftKey === Boolean(keys.shift) : true;
};

/** Whether a key event is a shortcut that works where the event happened. */
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
