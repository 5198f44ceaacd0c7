import { strings } from '../strings.ts';
import { writeClipboard } from './clipboard.ts';
import { notify } from './toast.tsx';

/** Copies a text, and says that it did, or that the browser did not allow it. */
export const copyText = (text: string, said: string): void => {
  void writeClipboard(text).then((isCopied) => notify(isCopied ? said : strings.common.copyFailed));
};
