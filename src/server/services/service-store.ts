import { join } from 'node:path';
import { z } from 'zod';
import { createJsonStore } from '../platform/json-store.ts';

const stored = z.object({
  agent: z.string(),
  port: z.int(),
  priceSats: z.int().nullable(),
  marginPercent: z.int(),
  maxOutputTokens: z.int(),
  parallel: z.int(),
  timeoutSeconds: z.int(),
  description: z.string().nullable(),
  variables: z.array(z.string()),
  startsWithApp: z.boolean(),
  acceptTools: z.boolean(),
  createdAt: z.string(),
  /** The service's agent key and its id. The id never changes, so that the service keeps its charges. */
  key: z.object({ id: z.string(), text: z.string() }),
});

/** A service as stored in the data directory. */
export type StoredService = z.infer<typeof stored>;

/**
 * Stores a root's services across restarts. SECURITY: the file contains their keys, so only its owner can read it.
 */
export interface ServiceStore {
  list(): Promise<StoredService[]>;
  put(service: StoredService): Promise<void>;
  /** Returns whether there was one. */
  remove(agent: string): Promise<boolean>;
}

/** Creates a {@link ServiceStore} in `data/services`. */
export const createServiceStore = (directory: string, rootId: string): ServiceStore => {
  const file = createJsonStore(z.object({ services: z.array(stored) }));
  const path = join(directory, `${rootId}.json`);
  let known: StoredService[] | undefined;
  const list = async () => {
    known ??= (await file.read(path))?.services ?? [];
    return known;
  };
  return {
    list,
    async put(service) {
      const others = (await list()).filter(({ agent }) => agent !== service.agent);
      const services = [...others, service].sort((a, b) => (a.agent < b.agent ? -1 : 1));
      await file.write(path, { services });
      known = services;
    },
    async remove(agent) {
      const before = await list();
      const services = before.filter((each) => each.agent !== agent);
      if (services.length === before.length) return false;
      await file.write(path, { services });
      known = services;
      return true;
    },
  };
};
