import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useSession } from '../../api/page-session.ts';
import { agentsResponseQuery, healthQuery } from '../../api/queries.ts';
import { tabStorage } from '../../browser-storage.ts';
import { paths } from '../../routes.ts';
import { beginFirstSteps } from './first-steps.tsx';

const LATER_KEY = 'dot-mi.first-run-later';

/** The state of the first run: whether a root must still be chosen, and whether this page can choose it. */
export interface FirstRun {
  readonly isFirstRun: boolean;
  /** True if someone has chosen a root. */
  readonly isChosen: boolean;
  readonly hasToken: boolean;
  /** Postpones the choice and shows the starter root until this tab closes. */
  readonly later: () => void;
}

/** Tracks the first run, which lasts until someone chooses a root or postpones the choice. */
export const useFirstRun = (): FirstRun => {
  const { data } = useQuery(healthQuery());
  const hasToken = useSession() === 'signedIn';
  const [isPutOff, setIsPutOff] = useState(() => tabStorage.getItem(LATER_KEY) !== null);
  return {
    isFirstRun: data?.firstRun === true && !isPutOff,
    isChosen: data?.firstRun === false,
    hasToken,
    later: () => {
      tabStorage.setItem(LATER_KEY, 'yes');
      setIsPutOff(true);
    },
  };
};

/**
 * Opens the first agent, with a short checklist, once a root was chosen on the first run's page. Never leaves the
 * settings, or a page that was opened in the meantime.
 */
export const useLanding = (isShown: boolean, isChosen: boolean): void => {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const wasShown = useRef(false);
  useEffect(() => {
    if (isShown || !isChosen || !wasShown.current) {
      wasShown.current = isShown;
      return;
    }
    wasShown.current = false;
    const place = window.location.pathname;
    const land = async (): Promise<string> => {
      // Cached data may belong to the previous root.
      const { agents } = await client.fetchQuery({ ...agentsResponseQuery(), staleTime: 0 });
      const first = agents.find(({ problem }) => problem === undefined);
      if (!first) return paths.agents;
      beginFirstSteps(first.id);
      return paths.agent(first.id);
    };
    void land()
      // The overview shows why the agents can't be read.
      .catch(() => paths.overview)
      .then((path) => window.location.pathname === place && navigate(path));
  }, [isShown, isChosen, client, navigate]);
};
