import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { balanceQuery } from '../api/wallet-queries.ts';
import { requestAction } from '../commands/requested-action.ts';
import { paths } from '../routes.ts';
import { useSession, vouch } from '../sign-in/use-session.ts';
import { signIn } from '../strings/sign-in.ts';
import { strings } from '../strings.ts';
import { Button } from '../ui/button.tsx';
import { UpdateBanner } from './update-banner.tsx';
import type { ApiStatus } from './use-api-status.ts';
import type { PortChange } from './use-port-change.ts';

const BANNER =
  'flex min-h-8 items-center justify-center gap-3 border-b px-4 py-1 text-center text-sm font-medium';

interface BannersProps {
  readonly status: ApiStatus;
  readonly move: PortChange;
}

/** The banners of every page. Except for updates, nobody can close them: each ends when its cause does. */
export const Banners = ({ status, move }: BannersProps) => (
  <>
    <UnprovenBanner />
    <UpdateBanner className={BANNER} />
    {move.to !== null && (
      <div role="status" className={`${BANNER} border-line bg-sunken`}>
        {strings.api.moving(move.to)}
        <Button size="small" onClick={move.goNow}>
          {strings.api.goThere}
        </Button>
      </div>
    )}
    {/* Nothing answers here while the server moves, so trying again wouldn't help. */}
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

/** The page has a token but doesn't send it until the person decides. */
const UnprovenBanner = () => {
  if (useSession() !== 'unproven') return null;
  return (
    <div role="alert" className={`${BANNER} border-warn-line bg-warn-soft text-warn`}>
      {signIn.unproven}
      <Button size="small" onClick={vouch}>
        {signIn.vouch}
      </Button>
    </div>
  );
};

/** Says on every page that the wallet's backup words are missing, until that is fixed. */
export const SeedBanner = () => {
  const { data } = useQuery(balanceQuery());
  const [, navigate] = useLocation();
  if (data?.seed !== 'missing') return null;
  const fix = (): void => {
    requestAction({ kind: 'fix-seed' });
    navigate(paths.wallet);
  };
  return (
    <div role="alert" className={`${BANNER} border-danger-line bg-danger-soft text-danger`}>
      {strings.shell.seedMissing}
      <Button size="small" onClick={fix}>
        {strings.shell.fixSeed}
      </Button>
    </div>
  );
};
