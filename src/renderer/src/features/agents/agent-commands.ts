import type { AgentSummary } from '../../../../shared/api/agents.ts';
import { keys } from '../../api/queries.ts';
import { askNewAgent, requestAction } from '../../intents.ts';
import { agentOf } from '../../routes.ts';
import { type CommandSource, LINK_PREFIX } from '../../search.ts';
import { deleteAgentWords, duplicateAgentWords } from '../../strings/agents.ts';
import { palette as paletteWords } from '../../strings/palette.ts';
import { agentTools } from './agent-tools.ts';

/** What can be done with the open agent. */
export const agentCommands: CommandSource = ({ page, client }) => {
  const id = agentOf(page);
  const agent = id === null ? undefined : client.getQueryData<AgentSummary>(keys.summary(id));
  if (id === null || !agent) return [];
  const file = page.name === 'agent' && page.section.kind === 'files' ? page.section.file : null;
  const tools = agentTools(agent, file && agent.files[file].exists ? file : null).map((tool) => ({
    id: `agent.${tool.id}`,
    title: tool.label,
    run: tool.run,
  }));
  const isStart = (tool: (typeof tools)[number]): boolean =>
    tool.id === 'agent.run-in-terminal' || tool.id === 'agent.copy-run-command';
  const commands = [
    ...tools.filter(isStart),
    {
      id: 'agent.model',
      title: paletteWords.commands.setModel(id),
      keywords: 'provider price llm',
      run: () => requestAction({ kind: 'set-model', id }),
    },
    {
      id: 'agent.link',
      title: paletteWords.commands.link(id),
      keywords: 'add tool',
      query: LINK_PREFIX,
      run: () => undefined,
    },
    {
      id: 'agent.budget',
      title: paletteWords.commands.setBudget(id),
      keywords: 'limit spend guard',
      run: () => requestAction({ kind: 'set-budget', id }),
    },
    {
      id: 'agent.duplicate',
      title: duplicateAgentWords.openLabel(id),
      keywords: 'copy clone',
      run: () => requestAction({ kind: 'duplicate-agent', id }),
    },
    ...tools.filter((tool) => !isStart(tool)),
  ];
  return commands.map((command) => ({ ...command, group: paletteWords.groups.agent }));
};

/** Deletes the open agent. Apart, so that it comes last. */
export const deleteAgentCommands: CommandSource = ({ page, client }) => {
  const id = agentOf(page);
  if (id === null || client.getQueryData<AgentSummary>(keys.summary(id)) === undefined) return [];
  return [
    {
      id: 'agent.delete',
      title: deleteAgentWords.openLabel(id),
      group: paletteWords.groups.agent,
      keywords: 'trash',
      run: () => requestAction({ kind: 'delete-agent', id }),
    },
  ];
};

/** The commands for agents that need none to be open. */
export const newAgentCommands: CommandSource = ({ page, navigate }) => [
  {
    id: 'agents.new',
    title: paletteWords.commands.newAgent,
    group: paletteWords.groups.create,
    keywords: 'create add',
    ...(page.name === 'agents' || page.name === 'agent' ? { shortcut: 'newEntry' as const } : {}),
    run: () => askNewAgent(page, navigate),
  },
];
