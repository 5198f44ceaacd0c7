import { useCallback, useEffect, useState } from 'react';
import { getHealth } from '../../../shared/api/health.ts';
import { call } from '../api/client.ts';
import { desktopBridge } from '../api/desktop.ts';
import { followMove } from './follow-move.ts';

/** The server moves to another port, and the page with it. */
export interface Move {
  /** Where to; null while nothing moves. */
  readonly to: string | null;
  /** `pageToken` is for the new address; the one of this page isn't accepted there. */
  readonly begin: (target: Target) => void;
  readonly goNow: () => void;
}

interface Target {
  readonly url: string;
  readonly pageToken?: string | undefined;
}

const answersHere = (): Promise<boolean> =>
  call(getHealth, { query: {} }).then(
    () => true,
    () => false,
  );

/**
 * Follows the server to its new address once the old one is silent, whatever page is open by then. The desktop's shell
 * moves its window itself.
 */
export const useMove = (): Move => {
  const [target, setTarget] = useState<Target | null>(null);
  const to = target?.url ?? null;
  useEffect(() => {
    if (target === null) return;
    return followMove({
      answersHere,
      onGone: () => !desktopBridge() && go(target),
      // The new port could not be had, and the settings say why.
      onStayed: () => setTarget(null),
    });
  }, [target]);
  const begin = useCallback(
    (next: Target): void => setTarget(new URL(next.url).port === window.location.port ? null : next),
    [],
  );
  return { to, begin, goNow: () => target !== null && go(target) };
};

/** The other address is another origin, whose storage knows no token yet. It keeps the name this page was opened by. */
const go = ({ url, pageToken }: Target): void => {
  const there = new URL(window.location.pathname, window.location.href);
  there.port = new URL(url).port;
  if (pageToken !== undefined) there.hash = `token=${pageToken}`;
  window.location.assign(there);
};
