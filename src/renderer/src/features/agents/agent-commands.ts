import type { AgentSummary } from '../../../../shared/api/agents.ts';
import { EDITABLE_FILES } from '../../../../shared/api/names.ts';
import { keys } from '../../api/queries.ts';
import { askNewAgent, requestAction } from '../../intents.ts';
import { agentOf, paths } from '../../routes.ts';
import type { CommandSource } from '../../search.ts';
import { duplicateAgentWords, agents as words } from '../../strings/agents.ts';
import { palette as paletteWords } from '../../strings/palette.ts';
import { agentTools } from './agent-tools.ts';

/** The commands for agents, and for the open agent. */
export const agentCommands: CommandSource = ({ page, client, navigate }) => {
  const id = agentOf(page);
  const agent = id === null ? undefined : client.getQueryData<AgentSummary>(keys.summary(id));
  const file = page.name === 'agent' && page.section.kind === 'files' ? page.section.file : null;
  const open = agent
    ? [
        ...EDITABLE_FILES.filter((name) => agent.files[name].exists && name !== file).map((name) => ({
          id: `agent.open.${name}`,
          title: paletteWords.commands.openFile(agent.id, name),
          run: () => navigate(paths.agent(agent.id, { kind: 'files', file: name })),
        })),
        ...(['extensions', 'skills', 'checks', 'entries'] as const).map((kind) => ({
          id: `agent.open.${kind}`,
          title: paletteWords.commands.openSection(agent.id, words.section[kind].toLowerCase()),
          run: () => navigate(paths.agent(agent.id, { kind })),
        })),
        ...agentTools(agent, file && agent.files[file].exists ? file : null).map((tool) => ({
          id: `agent.${tool.id}`,
          title: tool.label,
          run: tool.run,
        })),
        {
          id: 'agent.duplicate',
          title: duplicateAgentWords.openLabel(agent.id),
          keywords: 'copy clone',
          run: () => requestAction({ kind: 'duplicate-agent', id: agent.id }),
        },
      ]
    : [];
  return [
    ...open.map((command) => ({ ...command, group: paletteWords.groups.agent })),
    {
      id: 'agents.new',
      title: paletteWords.commands.newAgent,
      group: paletteWords.groups.create,
      keywords: 'create add',
      run: () => askNewAgent(page, navigate),
    },
  ];
};
