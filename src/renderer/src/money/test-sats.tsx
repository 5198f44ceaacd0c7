import type { ComponentProps } from 'react';
import { useSession } from '../api/page-session.ts';
import { testSats as words } from '../strings/test-sats.ts';
import { Button } from '../ui/button.tsx';
import { TEST_SATS, useTestSats } from './use-test-sats.ts';

interface GetTestSatsProps extends Pick<ComponentProps<typeof Button>, 'size'> {
  /** The agent to pay, if any. */
  readonly agent?: string;
}

/** A button that gets test sats. Renders nothing on a page that isn't signed in. */
export const GetTestSats = ({ size = 'medium', agent }: GetTestSatsProps) => {
  const get = useTestSats(agent);
  if (useSession() !== 'signedIn') return null;
  // Never disabled, because the button would lose focus.
  return (
    <Button size={size} onClick={get}>
      {words.get(TEST_SATS)}
    </Button>
  );
};
