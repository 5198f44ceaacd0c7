import { useCallback, useEffect, useState } from 'react';
import { getHealth } from '../../../shared/api/health.ts';
import { call } from '../api/client.ts';
import { desktopBridge } from '../api/desktop.ts';
import { storedToken } from '../api/token.ts';
import { followMove } from './follow-move.ts';

/** The server moves to another port, and the page with it. */
export interface Move {
  /** Where to; null while nothing moves. */
  readonly to: string | null;
  readonly begin: (url: string) => void;
  readonly goNow: () => void;
}

const answersHere = (): Promise<boolean> =>
  call(getHealth, {}).then(
    () => true,
    () => false,
  );

/**
 * Follows the server to its new address once the old one is silent, whatever page is open by then. The desktop's shell
 * moves its window itself.
 */
export const useMove = (): Move => {
  const [to, setTo] = useState<string | null>(null);
  useEffect(() => {
    if (to === null) return;
    return followMove({
      answersHere,
      onGone: () => !desktopBridge() && go(to),
      // The new port could not be had, and the settings say why.
      onStayed: () => setTo(null),
    });
  }, [to]);
  const begin = useCallback(
    (url: string): void => setTo(new URL(url).port === window.location.port ? null : url),
    [],
  );
  return { to, begin, goNow: () => to !== null && go(to) };
};

/** The other address is another origin, whose storage knows no token yet. It keeps the name this page was opened by. */
const go = (url: string): void => {
  const there = new URL(window.location.pathname, window.location.href);
  there.port = new URL(url).port;
  const token = storedToken(sessionStorage);
  if (token !== null) there.hash = `token=${token}`;
  window.location.assign(there);
};
