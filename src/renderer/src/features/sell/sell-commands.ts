import type { Service } from '../../../../shared/api/services.ts';
import { servicesQuery } from '../../api/service-queries.ts';
import { agentOf, paths } from '../../routes.ts';
import type { CommandSource } from '../../search.ts';
import { palette as words } from '../../strings/palette.ts';
import { stopSelling } from './use-sell.ts';

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
      run: () => void stopSelling(client, agent),
    })),
  ];
};
