import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { type Restored, restoreWallet } from '../../../../shared/api/wallet.ts';
import { type ApiError, call } from '../../api/client.ts';
import { keys } from '../../api/queries.ts';
import { checkMnemonic, type MnemonicCheck, wordsOf } from './mnemonic.ts';

/** Typing words and restoring from them. */
export interface Restore {
  readonly text: string;
  readonly type: (text: string) => void;
  readonly check: MnemonicCheck;
  readonly submit: () => void;
  readonly isRunning: boolean;
  readonly error: ApiError | null;
}

const useWordList = (): readonly string[] => {
  const [list, setList] = useState<readonly string[]>([]);
  useEffect(() => {
    let isWanted = true;
    // Without the list the server is the only judge of the words.
    void import('@scure/bip39/wordlists/english.js').then(
      ({ wordlist }) => isWanted && setList(wordlist),
      () => {},
    );
    return () => {
      isWanted = false;
    };
  }, []);
  return list;
};

/** Restores the wallet from words. SECURITY: the words are forgotten with the component. */
export const useRestore = (onRestored: (restored: Restored) => void): Restore => {
  const client = useQueryClient();
  const list = useWordList();
  const [text, setText] = useState('');
  const check = useMemo(() => checkMnemonic(text, list), [text, list]);
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: (mnemonic: string) => call(restoreWallet, { body: { mnemonic } }),
    onSuccess: onRestored,
    onSettled: () => client.invalidateQueries({ queryKey: keys.wallet }),
    gcTime: 0,
  });
  return {
    text,
    type: (next) => {
      setText(next);
      if (error) reset();
    },
    check,
    submit: () => {
      if (!isPending && check.hasLength && check.unknown.length === 0) mutate(wordsOf(text).join(' '));
    },
    isRunning: isPending,
    error,
  };
};
