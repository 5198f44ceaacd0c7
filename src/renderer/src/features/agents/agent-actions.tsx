import { Menu } from '@base-ui/react/menu';
import { Ellipsis } from 'lucide-react';
import type { AgentSummary } from '../../../../shared/api/agents.ts';
import type { Section } from '../../routes.ts';
import { strings } from '../../strings.ts';
import { buttonClass } from '../../ui/button.tsx';
import { agentTools } from './agent-tools.ts';

interface AgentActionsProps {
  readonly agent: AgentSummary;
  readonly section: Section;
}

/** A menu of actions on an agent outside this page: in the file manager, an editor or a terminal. */
export const AgentActions = ({ agent, section }: AgentActionsProps) => {
  const file = section.kind === 'files' && agent.files[section.file].exists ? section.file : null;
  return (
    <Menu.Root>
      <Menu.Trigger
        aria-label={strings.tools.more(agent.id)}
        title={strings.tools.more(agent.id)}
        className={buttonClass('quiet', 'icon')}
      >
        <Ellipsis aria-hidden="true" className="size-4" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={4} align="end" className="z-10">
          <Menu.Popup className="min-w-48 rounded-lg bg-raised p-1 shadow-popup outline-none transition-opacity duration-100 data-ending-style:opacity-0 data-starting-style:opacity-0">
            {agentTools(agent, file).map(({ id, label, run }) => (
              <Menu.Item
                key={id}
                onClick={run}
                className="flex cursor-default rounded-md px-2.5 py-1.5 outline-none data-highlighted:bg-hover"
              >
                {label}
              </Menu.Item>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
};
