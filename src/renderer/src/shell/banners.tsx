import { strings } from '../strings.ts';
import { Button } from '../ui/button.tsx';
import type { ApiStatus } from './use-api-status.ts';
import type { Move } from './use-move.ts';

/** How a banner above every page looks. */
export const BANNER =
  'flex min-h-8 items-center justify-center gap-3 border-b px-4 py-1 text-center text-sm font-medium';

interface BannersProps {
  readonly status: ApiStatus;
  readonly move: Move;
}

/** What counts for every page, above all of them. None of these can be closed: they end when their cause does. */
export const Banners = ({ status, move }: BannersProps) => (
  <>
    {status.health?.devMode && (
      <div role="status" className={`${BANNER} border-warn-line bg-warn-soft text-warn`}>
        {strings.api.devModeBanner}
      </div>
    )}
    {move.to !== null && (
      <div role="status" className={`${BANNER} border-line bg-sunken`}>
        {strings.api.moving(move.to)}
        <Button size="small" onClick={move.goNow}>
          {strings.api.goThere}
        </Button>
      </div>
    )}
    {/* Nothing answers here while the server moves, and trying again would not change that. */}
    {status.state === 'offline' && move.to === null && (
      <div role="alert" className={`${BANNER} border-danger-line bg-danger-soft text-danger`}>
        {strings.api.offlineBanner}
        <Button size="small" onClick={status.retryNow}>
          {strings.common.tryAgain}
        </Button>
      </div>
    )}
  </>
);
