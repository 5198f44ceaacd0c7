// The view that app.tsx loads. It chooses between two others, which don't load one without the other.
import { useLocation } from 'wouter';
import type { AgentSummary } from '../../../../shared/api/agents.ts';
import { paths } from '../../routes.ts';
import { SessionList } from './session-list.tsx';
import { Transcript } from './transcript.tsx';

interface SessionsSectionProps {
  readonly agent: AgentSummary;
  /** The id of the open session. */
  readonly session: string | null;
}

/** An agent's sessions, or the transcript of one of them. */
export const SessionsSection = ({ agent, session }: SessionsSectionProps) => {
  const [, navigate] = useLocation();
  const list = paths.agent(agent.id, { kind: 'sessions', session: null });
  return session === null ? (
    <SessionList agent={agent} />
  ) : (
    <Transcript
      key={session}
      agent={agent}
      session={session}
      listPath={list}
      onDeleted={() => navigate(list)}
    />
  );
};
