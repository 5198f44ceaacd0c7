import { DEFAULT_BODY_LIMIT_BYTES } from '../../../../../shared/api/endpoint.ts';
import { wallet as words } from '../../../strings/wallet.ts';
import { reportFailure } from '../../../ui/failures.tsx';

/** Reads a file that contains a token, or reports why it can't. */
export const readToken = async (file: File, onText: (text: string) => void): Promise<void> => {
  if (file.size > DEFAULT_BODY_LIMIT_BYTES) return reportFailure(words.receive.fileTooLarge);
  try {
    onText(new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer()));
  } catch (error) {
    reportFailure(error instanceof TypeError ? words.receive.fileNotText : words.receive.fileUnreadable);
  }
};
