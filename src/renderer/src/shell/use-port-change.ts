import { useCallback, useEffect, useState } from 'react';
import { getHealth } from '../../../shared/api/health.ts';
import { call } from '../api/client.ts';
import { desktopBridge } from '../api/desktop.ts';

const LOOK_EVERY_MS = 300;
/** After this many checks without a response, the server counts as moved. */
const GONE_AFTER = 3;
/** After this many responses, the server counts as not moving. A revert may be too quick for a check to fail. */
const STAYS_AFTER = 30;

interface PortChangeOptions {
  readonly respondsHere: () => Promise<boolean>;
  /** Called once when this address stops responding. */
  readonly onGone: () => void;
  /** Called when the server came back or never left. The checks end with this call. */
  readonly onReverted: () => void;
}

/** Checks whether a server has moved, until the move is reverted or the returned function is called. */
export const followPortChange = ({
  respondsHere,
  onGone,
  onReverted: onStayed,
}: PortChangeOptions): (() => void) => {
  let responses = 0;
  let silences = 0;
  let isStopped = false;
  let timer: ReturnType<typeof setTimeout>;
  const look = async (): Promise<void> => {
    const isHere = await respondsHere();
    if (isStopped) return;
    if (isHere && (silences > 0 || ++responses >= STAYS_AFTER)) return onStayed();
    if (!isHere && ++silences === GONE_AFTER) onGone();
    timer = setTimeout(() => void look(), LOOK_EVERY_MS);
  };
  timer = setTimeout(() => void look(), LOOK_EVERY_MS);
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
};

/** Follows the server to another port. */
export interface PortChange {
  /** The new address. Null if no change is in progress. */
  readonly to: string | null;
  /** `pageToken` is for the new address, which doesn't accept this page's token. */
  readonly begin: (target: Target) => void;
  readonly goNow: () => void;
}

interface Target {
  readonly url: string;
  readonly pageToken?: string | undefined;
}

const respondsHere = (): Promise<boolean> =>
  call(getHealth, { query: {} }).then(
    () => true,
    () => false,
  );

/**
 * Follows the server to its new address once the old one stops responding, no matter which page is open. The desktop
 * app moves its window itself.
 */
export const usePortChange = (): PortChange => {
  const [target, setTarget] = useState<Target | null>(null);
  const to = target?.url ?? null;
  useEffect(() => {
    if (target === null) return;
    return followPortChange({
      respondsHere,
      onGone: () => !desktopBridge() && go(target),
      // The new port wasn't available, and the settings say why.
      onReverted: () => setTarget(null),
    });
  }, [target]);
  const begin = useCallback(
    (next: Target): void => setTarget(new URL(next.url).port === window.location.port ? null : next),
    [],
  );
  return { to, begin, goNow: () => target !== null && go(target) };
};

/** Opens the new address, with the token because a new origin's storage has none. Keeps this page's host. */
const go = ({ url, pageToken }: Target): void => {
  const there = new URL(window.location.pathname, window.location.href);
  there.port = new URL(url).port;
  if (pageToken !== undefined) there.hash = `token=${pageToken}`;
  window.location.assign(there);
};
