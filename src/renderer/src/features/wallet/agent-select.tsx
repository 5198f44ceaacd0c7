import { useQuery } from '@tanstack/react-query';
import { agentListQuery } from '../../api/queries.ts';
import { wallet as words } from '../../strings/wallet.ts';
import { SelectField } from '../../ui/field.tsx';

interface AgentSelectProps {
  /** An agent's id, even if the agent is gone. Empty for none. */
  readonly agent: string;
  readonly onAgentChange: (agent: string) => void;
  readonly disabled?: boolean;
}

/** Selects the agent that a payment is for. */
export const AgentSelect = ({ agent, onAgentChange, disabled = false }: AgentSelectProps) => {
  const agents = useQuery(agentListQuery()).data ?? [];
  const isGone = agent !== '' && !agents.some(({ id }) => id === agent);
  return (
    <SelectField
      label={words.assign.agent}
      value={agent}
      disabled={disabled}
      onValueChange={onAgentChange}
      options={[
        ['', words.assign.none],
        ...(isGone ? [[agent, agent] as const] : []),
        ...agents.map(({ id }) => [id, id] as const),
      ]}
    />
  );
};
