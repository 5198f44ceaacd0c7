import type { AgentSummary } from '../../shared/api/agents.ts';
import { entryActions } from './entry-actions.ts';
import { Button } from './ui/button.tsx';

/** Buttons that open an agent's file as text, reveal it, or copy its path. */
export const FileActions = ({
  agent,
  name,
}: {
  readonly agent: Pick<AgentSummary, 'id' | 'path'>;
  readonly name: string;
}) => (
  <>
    {entryActions(agent, { name, kind: 'file' }).map(({ label, fullLabel, run }) => (
      <Button key={label} variant="quiet" size="small" aria-label={fullLabel} onClick={run}>
        {label}
      </Button>
    ))}
  </>
);
