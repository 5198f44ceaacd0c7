import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { desktopBridge } from '../api/desktop.ts';
import { pageSession, useSession } from '../api/page-session.ts';
import { balanceQuery } from '../api/wallet-queries.ts';
import { paths } from '../routes.ts';
import { api as apiWords, common } from '../strings/common.ts';
import { shell as words } from '../strings/shell.ts';
import { signInWords } from '../strings/sign-in.ts';
import { Button } from '../ui/button.tsx';
import { lazyView } from '../ui/lazy-view.tsx';
import type { ApiStatus } from './api-status.tsx';
import { Banner } from './banner.tsx';
import { requestAction } from './intents.ts';
import type { PortChange } from './use-port-change.ts';

const RestartedBanner = lazyView(
  async () => (await import('./restarted-banner.tsx')).RestartedBanner,
  'part',
);

// Only the desktop app has updates, so a browser's first view doesn't load this.
const UpdateBanner = lazyView(async () => (await import('./update-banner.tsx')).UpdateBanner, 'part');

interface BannersProps {
  readonly status: ApiStatus;
  readonly move: PortChange;
}

/** Every page's banners. Only the update banner can be closed. The others disappear with their cause. */
export const Banners = ({ status, move }: BannersProps) => (
  <>
    <UnprovenBanner />
    {desktopBridge()?.readUpdate && <UpdateBanner />}
    {move.to !== null && (
      <Banner role="status" tone="neutral" text={apiWords.moving(move.to)}>
        <Button size="small" onClick={move.goNow}>
          {apiWords.goThere}
        </Button>
      </Banner>
    )}
    {status.state === 'restarted' && <RestartedBanner />}
    {/* While the server moves, nothing responds at this address, so retrying wouldn't help. */}
    {status.state === 'offline' && move.to === null && (
      <Banner role="alert" tone="danger" text={apiWords.offlineBanner}>
        <Button size="small" onClick={status.retryNow}>
          {common.tryAgain}
        </Button>
      </Banner>
    )}
  </>
);

/** Warns that the page has a token, but doesn't send it until the person decides. */
const UnprovenBanner = () => {
  if (useSession() !== 'unproven') return null;
  return (
    <Banner role="alert" tone="warn" text={signInWords.unproven}>
      <Button size="small" onClick={pageSession.vouch}>
        {signInWords.vouch}
      </Button>
    </Banner>
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
    <Banner role="alert" tone="danger" text={words.seedMissing}>
      <Button size="small" onClick={fix}>
        {words.fixSeed}
      </Button>
    </Banner>
  );
};
