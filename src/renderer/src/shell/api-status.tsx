import { Popover } from '@base-ui/react/popover';
import { useQuery } from '@tanstack/react-query';
import type { Health } from '../../../shared/api/health.ts';
import type { ConnectionState } from '../api/events.ts';
import { useLive } from '../api/live.tsx';
import { healthQuery } from '../api/queries.ts';
import { api as words } from '../strings/common.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { cx } from '../ui/cx.ts';
import { POPUP } from '../ui/menu.tsx';
import { PathText } from '../ui/path-text.tsx';

/** The API's address, whether it responds, and its last health response. */
export interface ApiStatus {
  readonly state: ConnectionState;
  readonly address: string;
  /** Undefined until the first response. */
  readonly health: Health | undefined;
  readonly retryNow: () => void;
}

/** Returns the API's status, for the rail and the banners. */
export const useApiStatus = (): ApiStatus => {
  const { state, retryNow } = useLive();
  const { data } = useQuery(healthQuery());
  return { state, address: window.location.origin, health: data, retryNow };
};

const DOTS = {
  open: 'bg-ok',
  connecting: 'bg-warn',
  offline: 'bg-danger',
  refused: 'bg-danger',
  restarted: 'bg-danger',
} as const;

/** The bottom of the rail, which shows whether the API responds. Clicking shows details. */
export const ApiStatusButton = ({ status }: { readonly status: ApiStatus }) => {
  const { state, address, health } = status;
  return (
    <Popover.Root>
      <Popover.Trigger className="flex w-full shrink-0 flex-col gap-0.5 rounded-md px-2.5 py-1.5 text-left text-sm text-muted hover:bg-hover data-popup-open:bg-hover max-icons:items-center max-icons:px-0">
        <span className="flex items-center gap-2 max-icons:flex-col max-icons:gap-1">
          <span aria-hidden="true" className={cx('size-2 shrink-0 rounded-full', DOTS[state])} />
          <span className="text-ink max-icons:sr-only">
            <span className="sr-only">{words.label}: </span>
            {words.state[state]}
          </span>
        </span>
        <span className="w-full truncate max-icons:hidden">{address.replace(/^https?:\/\//, '')}</span>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner side="top" align="start" sideOffset={6} className="z-10">
          <Popover.Popup className={cx(POPUP, 'w-84 max-w-[calc(100vw-2rem)] p-4')}>
            <Popover.Title className="mb-2 flex items-center gap-2 font-semibold">
              <span aria-hidden="true" className={cx('size-2 rounded-full', DOTS[state])} />
              {words.details(words.state[state])}
            </Popover.Title>
            <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
              <Detail term={words.address}>{address}</Detail>
              <Detail term={words.root} copyLabel={words.copyRoot} copies={health?.dotMiRoot}>
                {health?.dotMiRoot ?? words.unknown}
              </Detail>
              <Detail term={words.version}>{health?.version ?? words.unknown}</Detail>
              {health?.devMode && <Detail term={words.mode}>{words.testMoney}</Detail>}
            </dl>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
};

interface DetailProps {
  readonly term: string;
  readonly children: string;
  readonly copyLabel?: string;
  readonly copies?: string | undefined;
}

const Detail = ({ term, children, copyLabel, copies }: DetailProps) => (
  <>
    <dt className="text-muted">{term}</dt>
    <dd className="flex min-w-0 items-start gap-1">
      <PathText path={children} className="min-w-0" />
      {copyLabel && copies && <CopyButton label={copyLabel} text={copies} />}
    </dd>
  </>
);
