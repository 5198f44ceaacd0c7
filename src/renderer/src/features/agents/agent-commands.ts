import type { AgentSummary } from '../../../../shared/api/agents.ts';
import { EDITABLE_FILES } from '../../../../shared/api/names.ts';
import { keys } from '../../api/queries.ts';
import { askNewAgent, requestAction } from '../../intents.ts';
import { agentOf, paths } from '../../routes.ts';
import type { CommandSource } from '../../search.ts';
import { palette } from '../../strings/palette.ts';
import { strings } from '../../strings.ts';
import { agentTools } from './agent-tools.ts';

const words = palette.commands;

/** The commands for agents, and for the open agent. */
export const agentCommands: CommandSource = ({ page, client, navigate }) => {
  const id = agentOf(page);
  const agent = id === null ? undefined : client.getQueryData<AgentSummary>(keys.summary(id));
  const file = page.name === 'agent' && page.section.kind === 'files' ? page.section.file : null;
  const open = agent
    ? [
        ...EDITABLE_FILES.filter((name) => agent.files[name].exists && name !== file).map((name) => ({
          id: `agent.open.${name}`,
          title: words.openFile(agent.id, name),
          run: () => navigate(paths.agent(agent.id, { kind: 'files', file: name })),
        })),
        ...(['extensions', 'skills', 'checks', 'entries'] as const).map((kind) => ({
          id: `agent.open.${kind}`,
          title: words.openSection(agent.id, strings.agents.section[kind].toLowerCase()),
          run: () => navigate(paths.agent(agent.id, { kind })),
        })),
        ...agentTools(agent, file && agent.files[file].exists ? file : null).map((tool) => ({
          id: `agent.${tool.id}`,
          title: tool.label,
          run: tool.run,
        })),
        {
          id: 'agent.duplicate',
          title: strings.duplicateAgent.openLabel(agent.id),
          keywords: 'copy clone',
          run: () => requestAction({ kind: 'duplicate-agent', id: agent.id }),
        },
      ]
    : [];
  return [
    ...open.map((command) => ({ ...command, group: palette.groups.agent })),
    {
      id: 'agents.new',
      title: words.newAgent,
      group: palette.groups.create,
      keywords: 'create add',
      run: () => askNewAgent(page, navigate),
    },
  ];
};
