import { common } from '../strings/common.ts';
import { reportFailure } from './failures.tsx';
import { notify } from './toast.tsx';

/** Copies from a field in the page, which works where browsers deny the clipboard (http on another host). */
const copyFromField = (text: string): boolean => {
  const focused = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.readOnly = true;
  field.className = 'sr-only';
  // Put the field next to the button, because a dialog would take focus back from anywhere else.
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

/** Copies text to the clipboard. Returns false if the browser blocks both ways. */
export const writeClipboard = async (text: string): Promise<boolean> => {
  // TypeScript doesn't know that it's missing on insecure pages.
  const clipboard: Clipboard | undefined = navigator.clipboard;
  try {
    if (clipboard) {
      await clipboard.writeText(text);
      return true;
    }
  } catch {
    // Refused by a policy, or because the window is in the background.
  }
  return copyFromField(text);
};

/** Copies text and shows `said`, or says that copying failed. Resolves to whether the text was copied. */
export const copyText = async (text: string, said: string): Promise<boolean> => {
  const isCopied = await writeClipboard(text);
  if (isCopied) notify(said);
  else reportFailure(common.copyFailed);
  return isCopied;
};
