import { useSyncExternalStore } from 'react';
import { pageSession } from '../api/page-session.ts';
import type { SessionState } from '../api/session.ts';

/** Whether this page is signed in. */
export const useSession = (): SessionState => useSyncExternalStore(pageSession.subscribe, pageSession.state);

/** Confirms that the server is the same as before. */
export const vouch = (): void => pageSession.vouch();
