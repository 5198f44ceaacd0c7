import { strings } from '../strings.ts';
import { notify } from './toast.tsx';

/** Copies a text, and says that it did, or that the browser did not allow it. */
export const copyText = (text: string, said: string): void => {
  navigator.clipboard.writeText(text).then(
    () => notify(said),
    () => notify(strings.common.copyFailed),
  );
};
