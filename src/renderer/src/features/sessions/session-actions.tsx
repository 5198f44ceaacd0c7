import { Copy, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { AgentSummary } from '../../../../shared/api/agents.ts';
import type { AgentSession } from '../../../../shared/api/sessions.ts';
import { common } from '../../strings/common.ts';
import { sessions as words } from '../../strings/sessions.ts';
import { Button } from '../../ui/button.tsx';
import { Question } from '../../ui/dialog.tsx';
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
  /** True if a customer paid for it, so that deleting it can't be undone. */
  readonly isOfSale: boolean;
  readonly onDelete: () => void;
}

interface DeleteButtonProps {
  readonly name: string;
  readonly onClick: () => void;
}

const DeleteButton = ({ name, onClick }: DeleteButtonProps) => (
  <Tooltip label={words.delete}>
    <Button variant="quiet" size="icon" aria-label={words.labelOf(words.delete, name)} onClick={onClick}>
      <Trash2 aria-hidden="true" className="size-3.5" />
    </Button>
  </Tooltip>
);

/** Deletes the session of a customer's request, after a question. */
const DeleteSold = ({ name, onDelete }: Pick<SessionActionsProps, 'name' | 'onDelete'>) => {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <DeleteButton name={name} onClick={() => setAsking(true)} />
      <Question
        open={asking}
        onCancel={() => setAsking(false)}
        title={words.deleteSoldTitle(name)}
        description={words.deleteSoldBody}
      >
        <Button onClick={() => setAsking(false)}>{common.cancel}</Button>
        <Button
          variant="danger"
          onClick={() => {
            setAsking(false);
            onDelete();
          }}
        >
          {words.deleteSold}
        </Button>
      </Question>
    </>
  );
};

/** The buttons for a session. */
export const SessionActions = ({ agent, id, name, isOfSale, onDelete }: SessionActionsProps) => (
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
    {isOfSale ? (
      <DeleteSold name={name} onDelete={onDelete} />
    ) : (
      <DeleteButton name={name} onClick={onDelete} />
    )}
  </>
);
