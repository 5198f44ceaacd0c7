import { useQuery } from '@tanstack/react-query';
import { agentListQuery } from '../../api/queries.ts';
import { wallet as words } from '../../strings/wallet.ts';

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
    <label className="flex flex-col gap-1.5">
      <span className="font-medium">{words.assign.agent}</span>
      <select
        value={agent}
        disabled={disabled}
        onChange={({ target }) => onAgentChange(target.value)}
        className="h-8 w-full rounded-md border border-line-strong bg-canvas px-2"
      >
        <option value="">{words.assign.none}</option>
        {isGone && <option value={agent}>{agent}</option>}
        {agents.map(({ id }) => (
          <option key={id} value={id}>
            {id}
          </option>
        ))}
      </select>
    </label>
  );
};
