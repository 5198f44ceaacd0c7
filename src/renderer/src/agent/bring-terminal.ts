import { type AgentStatus, showTerminal } from '../../../shared/api/status.ts';
import { call } from '../api/client.ts';
import { status as words } from '../strings/status.ts';
import { reportFailure } from '../ui/failures.tsx';

/** Returns whether dot-mi can bring the terminal of one of an agent's runs to the front. */
export const hasShownTerminal = (status: AgentStatus | undefined): boolean =>
  status?.runs.find(({ terminal }) => terminal)?.terminal?.canShow ?? false;

/** Brings the terminal of an agent's most urgent run to the front, or says why it can't. */
export const bringTerminal = (id: string): void => {
  call(showTerminal, { params: { id } }).catch((error: unknown) => reportFailure(words.notShown(id), error));
};
