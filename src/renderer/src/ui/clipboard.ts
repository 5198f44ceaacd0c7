/** Copies from a field of the page, which browsers allow where they keep the clipboard from pages (http on another host). */
const copyFromField = (text: string): boolean => {
  const focused = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.readOnly = true;
  field.className = 'sr-only';
  // Beside the button: a dialog would take the focus back from anywhere else.
  (focused?.parentElement ?? document.body).append(field);
  try {
    field.select();
    return document.execCommand('copy');
  } catch {
    return false;
  } finally {
    field.remove();
    if (focused instanceof HTMLElement) focused.focus();
  }
};

/** Copies a text to the clipboard. Answers false when the browser allows none of the two ways. */
export const writeClipboard = async (text: string): Promise<boolean> => {
  // TypeScript does not know that it is missing where the page is not served securely.
  const clipboard: Clipboard | undefined = navigator.clipboard;
  try {
    if (clipboard) {
      await clipboard.writeText(text);
      return true;
    }
  } catch {
    // Refused: by a policy, or since the window is in the background.
  }
  return copyFromField(text);
};
