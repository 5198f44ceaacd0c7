import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { healthQuery } from '../api/queries.ts';
import { useSession } from '../sign-in/use-session.ts';

const LATER_KEY = 'dot-mi.first-run-later';

/** Whether a root has still to be chosen, and whether this page may choose it. */
export interface FirstRun {
  readonly isFirstRun: boolean;
  readonly hasToken: boolean;
  /** Looks around in the starter root first; for as long as this tab lives. */
  readonly later: () => void;
}

/** Reads whether this is the first run. */
export const useFirstRun = (): FirstRun => {
  const { data } = useQuery(healthQuery());
  const hasToken = useSession() === 'signedIn';
  const [isPutOff, setIsPutOff] = useState(() => sessionStorage.getItem(LATER_KEY) !== null);
  return {
    isFirstRun: data?.firstRun === true && !isPutOff,
    hasToken,
    later: () => {
      sessionStorage.setItem(LATER_KEY, 'yes');
      setIsPutOff(true);
    },
  };
};
