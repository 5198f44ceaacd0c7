import { Copy, Trash2 } from 'lucide-react';
import type { AgentSummary } from '../../../../shared/api/agents.ts';
import type { AgentSession } from '../../../../shared/api/sessions.ts';
import { sessions as words } from '../../strings/sessions.ts';
import { Button } from '../../ui/button.tsx';
import { Tooltip } from '../../ui/tooltip.tsx';
import { visible } from './session-texts.ts';
import { copyResumeCommand } from './use-sessions.ts';

/** Returns a session's name: the one that a person gave it, its first user message, or else its id. */
export const sessionName = ({
  id,
  name,
  firstMessage,
}: Pick<AgentSession, 'id' | 'name' | 'firstMessage'>): string =>
  visible(name ?? firstMessage ?? words.unnamed(id));

interface SessionActionsProps {
  readonly agent: AgentSummary;
  readonly id: string;
  readonly name: string;
  readonly onDelete: () => void;
}

/** The buttons for a session. */
export const SessionActions = ({ agent, id, name, onDelete }: SessionActionsProps) => (
  <>
    <Tooltip label={words.copyResume}>
      <Button
        variant="quiet"
        size="icon"
        aria-label={words.labelOf(words.copyResume, name)}
        onClick={() => void copyResumeCommand(agent.id, agent.path, id)}
      >
        <Copy aria-hidden="true" className="size-3.5" />
      </Button>
    </Tooltip>
    <Tooltip label={words.delete}>
      <Button variant="quiet" size="icon" aria-label={words.labelOf(words.delete, name)} onClick={onDelete}>
        <Trash2 aria-hidden="true" className="size-3.5" />
      </Button>
    </Tooltip>
  </>
);
