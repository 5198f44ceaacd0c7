import { useCallback, useEffect, useState } from 'react';
import { getHealth } from '../../../shared/api/health.ts';
import { call } from '../api/client.ts';
import { desktopBridge } from '../api/desktop.ts';

const LOOK_EVERY_MS = 300;
/** So often nothing must answer here before the server counts as moved. */
const GONE_AFTER = 3;
/** So often it may answer here before it counts as one that stays: a way back may be too quick to be seen. */
const STAYS_AFTER = 30;

/** What {@link followPortChange} needs, and whom it tells. */
interface PortChangeOptions {
  readonly answersHere: () => Promise<boolean>;
  /** Nothing answers here any more: once. */
  readonly onGone: () => void;
  /** The server is here, again or still. Nothing is looked at after that. */
  readonly onReverted: () => void;
}

/** Looks whether a server that is to move has done so, until it has stayed or what is answered is called. */
export const followPortChange = ({
  answersHere,
  onGone,
  onReverted: onStayed,
}: PortChangeOptions): (() => void) => {
  let answers = 0;
  let silences = 0;
  let isStopped = false;
  let timer: ReturnType<typeof setTimeout>;
  const look = async (): Promise<void> => {
    const isHere = await answersHere();
    if (isStopped) return;
    if (isHere && (silences > 0 || ++answers >= STAYS_AFTER)) return onStayed();
    if (!isHere && ++silences === GONE_AFTER) onGone();
    timer = setTimeout(() => void look(), LOOK_EVERY_MS);
  };
  timer = setTimeout(() => void look(), LOOK_EVERY_MS);
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
};

/** The server moves to another port, and the page with it. */
export interface PortChange {
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
export const usePortChange = (): PortChange => {
  const [target, setTarget] = useState<Target | null>(null);
  const to = target?.url ?? null;
  useEffect(() => {
    if (target === null) return;
    return followPortChange({
      answersHere,
      onGone: () => !desktopBridge() && go(target),
      // The new port could not be had, and the settings say why.
      onReverted: () => setTarget(null),
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
