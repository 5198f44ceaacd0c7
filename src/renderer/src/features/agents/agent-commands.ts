import type { AgentSummary } from '../../../../shared/api/agents.ts';
import type { AgentStatus } from '../../../../shared/api/status.ts';
import { bringTerminal, hasShownTerminal } from '../../agent/bring-terminal.ts';
import { keys } from '../../api/queries.ts';
import { agentOf, type PageRoute, paths } from '../../routes.ts';
import { askNewAgent, requestAction } from '../../shell/intents.ts';
import {
  type CommandContext,
  type CommandSource,
  linkPrefix,
  type SearchCommand,
} from '../../shell/search.ts';
import { deleteAgentWords, duplicateAgentWords } from '../../strings/agents.ts';
import { palette as paletteWords } from '../../strings/palette.ts';
import { status as statusWords } from '../../strings/status.ts';
import { agentTools } from './agent-tools.ts';

/**
 * Returns an agent's actions, except selling and deleting. Empty until the agent is loaded. Omit `page` if the agent
 * isn't open.
 */
export const agentActions = (
  id: string,
  { client, navigate }: Pick<CommandContext, 'client' | 'navigate'>,
  page?: PageRoute,
): readonly Omit<SearchCommand, 'group'>[] => {
  const agent = client.getQueryData<AgentSummary>(keys.summary(id));
  if (!agent) return [];
  const file = page?.name === 'agent' && page.section.kind === 'files' ? page.section.file : null;
  const tools = agentTools(agent, file && agent.files[file].exists ? file : null).map((tool) => ({
    id: `agent.${tool.id}`,
    title: tool.label,
    run: tool.run,
  }));
  const isStart = (tool: (typeof tools)[number]): boolean =>
    tool.id === 'agent.run-in-terminal' || tool.id === 'agent.copy-run-command';
  const request = (kind: 'set-model' | 'set-budget' | 'duplicate-agent') => (): void => {
    if (page === undefined) navigate(paths.agent(id));
    requestAction({ kind, id });
  };
  const status = client.getQueryData<readonly AgentStatus[]>(keys.status)?.find(({ agent: of }) => of === id);
  return [
    ...tools.filter(isStart),
    ...(hasShownTerminal(status)
      ? [
          {
            id: 'agent.terminal',
            title: statusWords.showTerminalOf(id),
            keywords: 'answer waiting tmux pane window',
            run: () => bringTerminal(id),
          },
        ]
      : []),
    {
      id: 'agent.model',
      title: paletteWords.commands.setModel(id),
      keywords: 'provider price llm',
      run: request('set-model'),
    },
    {
      id: 'agent.link',
      title: paletteWords.commands.link(id),
      keywords: 'add tool skill extension prompt template theme',
      query: page === undefined ? linkPrefix(id) : linkPrefix(),
      run: () => undefined,
    },
    {
      id: 'agent.budget',
      title: paletteWords.commands.setBudget(id),
      keywords: 'limit spend guard',
      run: request('set-budget'),
    },
    {
      id: 'agent.duplicate',
      title: duplicateAgentWords.openLabel(id),
      keywords: 'copy clone',
      run: request('duplicate-agent'),
    },
    ...tools.filter((tool) => !isStart(tool)),
  ];
};

/** The open agent's actions. */
export const agentCommands: CommandSource = ({ page, client, navigate }) => {
  const id = agentOf(page);
  if (id === null) return [];
  return agentActions(id, { client, navigate }, page).map((command) => ({
    ...command,
    group: paletteWords.groups.agent,
  }));
};

/** Deletes the open agent. A separate source, so that the command is listed last. */
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

/** The commands for agents that don't need an open one. */
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
