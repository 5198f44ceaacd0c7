import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { AgentProfile } from '../../../../../shared/api/profiles.ts';
import { parseModelName, priceNames } from '../../../../../shared/pi/agent-model.ts';
import type { PricedModel } from '../../../api/models.ts';
import { profilesQuery } from '../../../api/queries.ts';

/** The ids of the agents that start with each priced model, by the name in the models file. */
export type ModelUsers = ReadonlyMap<string, readonly string[]>;

/** Finds the priced model of each agent. A price for exactly its provider is better than one for any. */
export const modelUsers = (
  profiles: readonly AgentProfile[],
  models: readonly Pick<PricedModel, 'name'>[],
): ModelUsers => {
  const priced = new Set(models.map(({ name }) => name));
  const users = new Map<string, string[]>();
  for (const { id, model } of profiles) {
    const name = model && priceNames(parseModelName(model.name)).find((candidate) => priced.has(candidate));
    if (name === undefined) continue;
    const ids = users.get(name);
    if (ids) ids.push(id);
    else users.set(name, [id]);
  }
  return users;
};

/** Reads which agents start with each of these models. Empty until it is read. */
export const useModelUsers = (models: readonly PricedModel[]): ModelUsers => {
  const { data } = useQuery(profilesQuery());
  return useMemo(() => modelUsers(data ?? [], models), [data, models]);
};
