import type { QueryClient } from '@tanstack/react-query';
import type { Service } from '../../../../shared/api/services.ts';
import { servicesQuery } from '../../api/service-queries.ts';
import { agentOf, paths } from '../../routes.ts';
import type { CommandSource } from '../../shell/search.ts';
import { palette as words } from '../../strings/palette.ts';

/** Loaded when it's needed, because the first view has these commands. */
const stop = async (client: QueryClient, agent: string): Promise<void> => {
  const { stopSelling } = await import('./use-sell.ts');
  return stopSelling(client, agent);
};

const isRunning = ({ state }: Service): boolean => state === 'running' || state === 'starting';

/** The commands that start selling the open agent, and stop selling any agent. */
export const sellCommands: CommandSource = ({ page, client, navigate }) => {
  const id = agentOf(page);
  const sold = (client.getQueryData(servicesQuery().queryKey) ?? []).filter(
    ({ state }) => state !== 'stopped',
  );
  const isSold = sold.some((service) => service.agent === id && isRunning(service));
  return [
    ...(id === null || isSold
      ? []
      : [
          {
            id: 'agent.sell',
            title: words.commands.sell(id),
            group: words.groups.agent,
            keywords: 'service price customers earn',
            run: () => navigate(paths.agent(id, { kind: 'sell' })),
          },
        ]),
    ...sold.map(({ agent }) => ({
      id: `agent.stop-selling.${agent}`,
      title: words.commands.stopSelling(agent),
      group: agent === id ? words.groups.agent : words.groups.money,
      keywords: 'service sell customers',
      run: () => void stop(client, agent),
    })),
  ];
};
