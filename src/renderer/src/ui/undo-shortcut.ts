import { isShortcut } from '../commands/shortcuts.ts';

/** What can be undone now, the newest last. */
const offers: (() => void)[] = [];

/** Whether Ctrl+Z belongs to the text in an element. In an empty line there is no text that one would mean. */
const editsText = (element: EventTarget | null): boolean =>
  element instanceof HTMLElement &&
  (element.isContentEditable ||
    element instanceof HTMLTextAreaElement ||
    (element instanceof HTMLInputElement && element.type !== 'checkbox' && element.value !== ''));

const onKeyDown = (event: KeyboardEvent): void => {
  // The editor is in a shadow tree, and out here the event is said to come from the host of that.
  const isInText = editsText(event.composedPath()[0] ?? null);
  if (!isShortcut('takeBack', event, isInText) || event.defaultPrevented) return;
  const undo = offers.at(-1);
  if (!undo) return;
  event.preventDefault();
  undo();
};

/** Lets Ctrl+Z, or Cmd+Z, undo something while it is offered, wherever the focus is not in a text. The answer ends it. */
export const offerUndo = (undo: () => void): (() => void) => {
  if (offers.length === 0) window.addEventListener('keydown', onKeyDown);
  offers.push(undo);
  return () => {
    const index = offers.indexOf(undo);
    if (index >= 0) offers.splice(index, 1);
    if (offers.length === 0) window.removeEventListener('keydown', onKeyDown);
  };
};
