import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useEffect, useMemo, useRef, useState } from 'react';
import { streamEvents } from '../../../shared/api/events.ts';
import { invalidateOnEvents } from './cache-invalidation.ts';
import { open } from './client.ts';
import type { ConnectionState, EventStream } from './events.ts';
import { EVERYTHING } from './invalidations.ts';
import { adoptToken, pageSession } from './page-session.ts';

interface Live {
  readonly state: ConnectionState;
  readonly retryNow: () => void;
}

const LiveContext = createContext<Live>({ state: 'connecting', retryNow: () => {} });

/** Returns the state of the connection to the API, and a function that retries at once. */
export const useLive = (): Live => use(LiveContext);

/** Keeps the cache current through the event stream while mounted. */
export const LiveProvider = ({ children }: { children: ReactNode }) => {
  const client = useQueryClient();
  const [state, setState] = useState<ConnectionState>('connecting');
  const stream = useRef<EventStream>(undefined);

  useEffect(() => {
    let wasOpen = false;
    const following = invalidateOnEvents(client, {
      open: (signal) => open(streamEvents, {}, signal),
      // Another program may be using the port by the time the page is shown again.
      onHidden: pageSession.doubt,
      onState: (next) => {
        // Or by the time we reconnect.
        if (wasOpen && next !== 'open') pageSession.doubt();
        wasOpen = next === 'open';
        setState(next);
      },
    });
    stream.current = following;
    return following.close;
  }, [client]);

  useEffect(() => {
    const readAgain = async (): Promise<void> => {
      stream.current?.reconnect();
      // Cancel initial reads in progress: without the token, the server would refuse them, and they aren't retried.
      await client.cancelQueries();
      await client.invalidateQueries({ queryKey: EVERYTHING });
    };
    // Someone pasted the printed address, with its token, over this page's address.
    const onHashChange = (): void => void (adoptToken() && readAgain());
    window.addEventListener('hashchange', onHashChange);
    const unsubscribe = pageSession.subscribe(() => void readAgain());
    return () => {
      window.removeEventListener('hashchange', onHashChange);
      unsubscribe();
    };
  }, [client]);

  const live = useMemo(() => ({ state, retryNow: () => stream.current?.retryNow() }), [state]);
  return <LiveContext value={live}>{children}</LiveContext>;
};
