import { createKey, deleteKey, getOwnKey, listKeys } from '../../shared/api/keys.ts';
import type { Routes } from '../http/bind-endpoint.ts';
import type { KeysService } from './keys.service.ts';

/** The routes of agent keys. `onChange` is called when one was created or revoked. */
export const keysRoutes =
  (keys: KeysService, onChange: () => void): Routes =>
  (bind) => {
    bind(listKeys, () => keys.list());
    bind(getOwnKey, async (_, { key }) => ({ key: key ? await keys.describe(key.id) : null }));
    bind(createKey, async ({ body }) => {
      const created = await keys.create(body);
      onChange();
      return created;
    });
    bind(deleteKey, async ({ params }) => {
      await keys.remove(params.keyId);
      onChange();
      return { ok: true as const };
    });
  };
