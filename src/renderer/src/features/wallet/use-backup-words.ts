import { useEffect, useRef, useState } from 'react';
import { getSeed, type BackupWords as Seed } from '../../../../shared/api/wallet.ts';
import { ApiError, call } from '../../api/client.ts';

/** The backup words, from the moment they are asked for until they are hidden. */
export type BackupWords =
  | { readonly status: 'hidden'; readonly error: ApiError | null }
  | { readonly status: 'reading' }
  | { readonly status: 'shown'; readonly words: readonly string[]; readonly protection: Seed['protection'] };

/**
 * Reads the backup words when asked to. SECURITY: they are in no cache, go with the component that shows them, and are hidden
 * as soon as the page is.
 */
export const useBackupWords = (): { readonly state: BackupWords; readonly reveal: () => void } => {
  const [state, setState] = useState<BackupWords>({ status: 'hidden', error: null });
  const asking = useRef<AbortController>(undefined);
  useEffect(() => {
    const hide = (): void => {
      if (document.hidden) setState({ status: 'hidden', error: null });
    };
    document.addEventListener('visibilitychange', hide);
    return () => {
      document.removeEventListener('visibilitychange', hide);
      asking.current?.abort();
    };
  }, []);
  const reveal = async (): Promise<void> => {
    asking.current?.abort();
    const attempt = new AbortController();
    asking.current = attempt;
    setState({ status: 'reading' });
    try {
      const { mnemonic, protection } = await call(getSeed, {}, attempt.signal);
      if (attempt.signal.aborted) return;
      setState(
        document.hidden
          ? { status: 'hidden', error: null }
          : { status: 'shown', words: mnemonic.split(' '), protection },
      );
    } catch (error) {
      if (error instanceof ApiError) setState({ status: 'hidden', error });
    }
  };
  return { state, reveal: () => void reveal() };
};
