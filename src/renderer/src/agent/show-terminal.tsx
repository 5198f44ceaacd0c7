import { SquareTerminal } from 'lucide-react';
import type { AgentStatus } from '../../../shared/api/status.ts';
import { status as words } from '../strings/status.ts';
import { Button } from '../ui/button.tsx';
import { bringTerminal, hasShownTerminal } from './bring-terminal.ts';

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
