import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import {
  type ConfirmedWords,
  confirmSeed,
  getSeed,
  replaceMissingSeed,
  type BackupWords as Seed,
} from '../../../../../shared/api/wallet.ts';
import { ApiError, call } from '../../../api/client.ts';
import { after, refreshAfter } from '../../../api/invalidations.ts';

/** The backup words, from the request until they're hidden. */
export type WordsState =
  | { readonly status: 'hidden'; readonly error: ApiError | null }
  | { readonly status: 'reading' }
  | { readonly status: 'shown'; readonly seed: Seed };

/** Words that are shown on request. */
interface WordsOnRequest {
  readonly state: WordsState;
  readonly reveal: () => void;
  readonly hide: () => void;
}

/**
 * Fetches words on request. SECURITY: they're never cached, are dropped with their component, and are hidden as soon
 * as the page is.
 */
const useWordsOnRequest = (request: (signal: AbortSignal) => Promise<Seed>): WordsOnRequest => {
  const [state, setState] = useState<WordsState>({ status: 'hidden', error: null });
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
      const seed = await request(attempt.signal);
      if (attempt.signal.aborted) return;
      setState(document.hidden ? { status: 'hidden', error: null } : { status: 'shown', seed });
    } catch (error) {
      if (error instanceof ApiError) setState({ status: 'hidden', error });
    }
  };
  return {
    state,
    reveal: () => void reveal(),
    hide: () => setState({ status: 'hidden', error: null }),
  };
};

/** Loads the wallet's backup words. */
export const useBackupWords = (): WordsOnRequest => useWordsOnRequest((signal) => call(getSeed, {}, signal));

/** Makes the wallet replace the missing words with new ones, and shows them. */
export const useNewWords = (): WordsOnRequest => {
  const client = useQueryClient();
  return useWordsOnRequest((signal) =>
    call(replaceMissingSeed, { body: { accept: 'new_words' } }, signal).finally(
      () => void refreshAfter(client, after.wallet()),
    ),
  );
};

/** Proves that the words were written down. SECURITY: the typed words aren't cached. */
export const useConfirmedWords = () =>
  useMutation({
    mutationFn: (words: ConfirmedWords) => call(confirmSeed, { body: { words } }),
    meta: { refresh: after.wallet() },
    gcTime: 0,
  });
