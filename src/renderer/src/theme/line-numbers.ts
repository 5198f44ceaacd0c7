import { useSyncExternalStore } from 'react';
import { type Kept, kept } from '../kept.ts';

/** Whether the editor shows line numbers. */
export const lineNumbersChosen = ({ get }: Pick<Kept, 'get'> = kept): boolean =>
  get('line-numbers') === 'shown';

/** Shows or hides the line numbers of every editor, also of the pages that open later. */
export const chooseLineNumbers = (areShown: boolean, { set }: Pick<Kept, 'set'> = kept): void =>
  set('line-numbers', areShown ? 'shown' : null);

/** Whether the editor shows line numbers, also after they were switched on this page. */
export const useLineNumbers = (): boolean => useSyncExternalStore(kept.subscribe, () => lineNumbersChosen());
