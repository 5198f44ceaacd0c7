import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { createTestToken, receiveToken } from '../../../shared/api/wallet.ts';
import { call } from '../api/client.ts';
import { after, refreshAfter } from '../api/invalidations.ts';
import { randomKey } from '../random-key.ts';
import { paths } from '../routes.ts';
import { testSats as words } from '../strings/test-sats.ts';
import { reportFailure } from '../ui/failures.tsx';
import { notify } from '../ui/toast.tsx';

/** How many test sats a click gets. */
export const TEST_SATS = 100;

/** The recipient of test sats, and what {@link getTestSats} needs from the page. */
interface TestSats {
  /** The agent to pay, or undefined. */
  readonly agent?: string | undefined;
  readonly client: QueryClient;
  readonly navigate: (path: string) => void;
}

let isGetting = false;

/**
 * Gets test sats the way real ones arrive: as a token, which the wallet receives. If they pay an agent, the toast
 * offers its activity. Does nothing while earlier ones are being received.
 */
export const getTestSats = async ({ agent, client, navigate }: TestSats): Promise<void> => {
  if (isGetting) return;
  isGetting = true;
  try {
    const { token } = await call(createTestToken, { body: { amount: TEST_SATS } });
    const headers = { 'idempotency-key': randomKey() };
    const { amount } = await call(receiveToken, { headers, body: { token, ...(agent ? { agent } : {}) } });
    const activity = agent && paths.agent(agent, { kind: 'activity' });
    const isShown = activity === window.location.pathname;
    const showEarned = (): void => {
      if (activity) navigate(activity);
      // Move focus, which would otherwise stay in the corner on the next toast.
      document.querySelector('main')?.focus();
    };
    notify(
      words.got(amount, agent),
      activity && !isShown ? { label: words.showEarned, run: showEarned } : undefined,
    );
  } catch (error) {
    reportFailure(words.failed, error);
  } finally {
    isGetting = false;
    void refreshAfter(client, after.wallet());
  }
};

/** Returns a function that gets test sats, for an agent if there is one. */
export const useTestSats = (agent?: string): (() => void) => {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  return () => void getTestSats({ agent, client, navigate });
};
