import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { type Restored, rescanWallet, restoreWallet } from '../../../../../shared/api/wallet.ts';
import { call } from '../../../api/client.ts';
import { after, refreshAfter } from '../../../api/invalidations.ts';
import { type SearchProgress, searchProgressQuery } from '../../../api/wallet-queries.ts';
import { checkMnemonic, type MnemonicCheck, wordsOf } from './mnemonic.ts';
import { restoreStore, type SearchKind, type SearchState } from './restore-store.ts';

/** Words that are being typed. */
export interface TypedWords {
  readonly text: string;
  readonly type: (text: string) => void;
  readonly check: MnemonicCheck;
  /** The normalized words. Null while they can't be backup words. */
  readonly mnemonic: string | null;
}

const useWordList = (): readonly string[] => {
  const [list, setList] = useState<readonly string[]>([]);
  useEffect(() => {
    let isWanted = true;
    // Without the list, only the server checks the words.
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

/** Tracks backup words as they're typed. SECURITY: the words are discarded with the component. */
export const useTypedWords = (): TypedWords => {
  const list = useWordList();
  const [text, setText] = useState('');
  const check = useMemo(() => checkMnemonic(text, list), [text, list]);
  const isReady = check.hasLength && check.unknown.length === 0;
  return { text, type: setText, check, mnemonic: isReady ? wordsOf(text).join(' ') : null };
};

/** The state and actions of a search for sats at the mint. */
export interface Search {
  readonly state: SearchState;
  /** The progress of a search, even if another page or a server restart began it. */
  readonly progress: SearchProgress;
  readonly restore: (mnemonic: string) => void;
  readonly rescan: () => void;
  readonly clear: () => void;
}

/** Restores from words and checks the mint for missing sats. The caller shows the results of the `watched` kind. */
export const useSearch = (watched: SearchKind): Search => {
  const client = useQueryClient();
  const state = useSyncExternalStore(restoreStore.subscribe, restoreStore.get);
  const { data: progress = null } = useQuery(searchProgressQuery());
  useEffect(() => restoreStore.watch(watched), [watched]);
  const run = (kind: SearchKind, search: () => Promise<Restored>): void =>
    void restoreStore.run(kind, () => search().finally(() => void refreshAfter(client, after.wallet())));
  return {
    state,
    progress,
    restore: (mnemonic) => run('restore', () => call(restoreWallet, { body: { mnemonic } })),
    rescan: () => run('rescan', () => call(rescanWallet, { body: {} })),
    clear: restoreStore.clear,
  };
};
