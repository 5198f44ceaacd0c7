import { join } from 'node:path';
import { z } from 'zod';
import { modelPrice } from '../../shared/api/pricing.ts';
import { createJsonStore } from '../platform/json-store.ts';

const stored = z.object({
  agent: z.string(),
  port: z.int(),
  priceSats: z.int().nullable(),
  marginPercent: z.int(),
  maxOutputTokens: z.int(),
  parallel: z.int(),
  timeoutSeconds: z.int(),
  lossLimitSats: z.int(),
  description: z.string().nullable(),
  variables: z.array(z.string()),
  startsWithApp: z.boolean(),
  /** The tools and loaded things that the operator accepted. */
  accepts: z.array(z.string()),
  /** True if it was put up for sale for test money. */
  isForTestMoney: z.boolean().default(false),
  createdAt: z.string(),
  /** The name of the agent's private copy. */
  copy: z.string(),
  /** When the copy was made. */
  copiedAt: z.string(),
  /** The facts of the copy. */
  facts: z.object({ model: z.string().nullable(), promptTokens: z.int(), tools: z.array(z.string()) }),
  /** The price of the agent's model in the copy's models.json, if it has one. */
  typedPrice: modelPrice.nullable(),
  /** The copy's arguments for pi. */
  args: z.array(z.string()),
  /** The directories that a run creates in its workspace. */
  workspaceDirectories: z.array(z.string()),
  /** True once the agent was deleted. The service stays for its key's id, which owns its customers' sats. */
  isDeleted: z.boolean().default(false),
  /** The service's agent key and its id. The id never changes, so that the service keeps its charges. */
  key: z.object({ id: z.string(), text: z.string() }),
});

/** A service as stored in the data directory. */
export type StoredService = z.infer<typeof stored>;

/**
 * Stores a root's services across restarts. SECURITY: the file contains their keys, so only its owner can read it.
 */
export interface ServiceStore {
  /** Lists the services of agents that weren't deleted. */
  list(): Promise<StoredService[]>;
  /** Returns the service of an agent, even a deleted one. */
  find(agent: string): Promise<StoredService | undefined>;
  put(service: StoredService): Promise<void>;
  /** Marks the service of a deleted agent. Returns whether there was one. */
  remove(agent: string): Promise<boolean>;
}

/** Creates a {@link ServiceStore} in `data/services`. */
export const createServiceStore = (directory: string, rootId: string): ServiceStore => {
  const file = createJsonStore(z.object({ services: z.array(stored) }));
  const path = join(directory, `${rootId}.json`);
  let known: StoredService[] | undefined;
  const all = async () => {
    known ??= (await file.read(path))?.services ?? [];
    return known;
  };
  const find = async (agent: string) => (await all()).find((each) => each.agent === agent);
  const put = async (service: StoredService) => {
    const others = (await all()).filter(({ agent }) => agent !== service.agent);
    const services = [...others, service].sort((a, b) => (a.agent < b.agent ? -1 : 1));
    await file.write(path, { services });
    known = services;
  };
  return {
    list: async () => (await all()).filter(({ isDeleted }) => !isDeleted),
    find,
    put,
    async remove(agent) {
      const service = await find(agent);
      if (!service || service.isDeleted) return false;
      await put({ ...service, isDeleted: true, startsWithApp: false });
      return true;
    },
  };
};
