import { SquareTerminal } from 'lucide-react';
import { type AgentStatus, showTerminal } from '../../../shared/api/status.ts';
import { call } from '../api/client.ts';
import { status as words } from '../strings/status.ts';
import { Button } from '../ui/button.tsx';
import { notifyFailure } from '../ui/toast.tsx';

/** Returns whether dot-mi can bring the terminal of one of an agent's runs to the front. */
export const hasShownTerminal = (status: AgentStatus | undefined): boolean =>
  status?.runs.find(({ terminal }) => terminal)?.terminal?.canShow ?? false;

/** Brings the terminal of an agent's most urgent run to the front, or says why it can't. */
export const bringTerminal = (id: string): void => {
  call(showTerminal, { params: { id } }).catch((error: unknown) => notifyFailure(words.notShown(id), error));
};

/** A button that brings an agent's terminal to the front. Nothing if dot-mi can't. */
export const ShowTerminal = ({ status }: { readonly status: AgentStatus | undefined }) => {
  if (!status || !hasShownTerminal(status)) return null;
  return (
    <Button
      variant="secondary"
      size="small"
      aria-label={words.showTerminalOf(status.agent)}
      onClick={() => bringTerminal(status.agent)}
    >
      <SquareTerminal aria-hidden="true" className="size-3.5" />
      {words.showTerminal}
    </Button>
  );
};
