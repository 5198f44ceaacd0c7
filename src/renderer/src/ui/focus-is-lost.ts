/** Whether nothing has the focus: the focused element is gone, or a person pressed on an empty place. */
export const focusIsLost = (): boolean =>
  document.activeElement === null || document.activeElement === document.body;
