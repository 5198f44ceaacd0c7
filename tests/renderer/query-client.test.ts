import { expect, it } from 'vitest';
import { after } from '../../src/renderer/src/api/invalidations.ts';
import { agentListQuery, healthQuery } from '../../src/renderer/src/api/queries.ts';
import { createQueryClient, followManagedRoot } from '../../src/renderer/src/api/query-client.ts';
import { balanceQuery } from '../../src/renderer/src/api/wallet-queries.ts';

const health = (rootId: string) => ({
  ok: true as const,
  dotMiRoot: `/${rootId}`,
  rootId,
  version: '1.0.0',
  devMode: true,
  firstRun: false,
  rootTrusted: true,
  asksForToken: false,
  uptimeSeconds: 1,
});

it('forgets what was read from a root when the server manages another one, and keeps the rest', () => {
  const client = createQueryClient();
  followManagedRoot(client);
  client.setQueryData(healthQuery().queryKey, health('one'));
  client.setQueryData(agentListQuery().queryKey, { agents: [], hidden: [] });
  client.setQueryData(balanceQuery().queryKey, {
    balance: 21,
    pending: 0,
    mint: 'https://mint.example',
    unit: 'sat',
    devMode: true,
    seed: 'present',
  });
  client.setQueryData(healthQuery().queryKey, health('one'));
  expect(client.getQueryData(agentListQuery().queryKey)).toBeDefined();
  client.setQueryData(healthQuery().queryKey, health('two'));
  expect(client.getQueryData(agentListQuery().queryKey)).toBeUndefined();
  expect(client.getQueryData(balanceQuery().queryKey)).toBeDefined();
});

it('makes what a mutation names stale, whether it succeeds or fails', async () => {
  const client = createQueryClient();
  const { queryKey } = balanceQuery();
  const settle = async (mutationFn: () => Promise<unknown>): Promise<boolean | undefined> => {
    client.setQueryData<unknown>(queryKey, {});
    const mutation = client
      .getMutationCache()
      .build(client, { mutationFn, meta: { refresh: after.wallet() } });
    await mutation.execute(undefined).catch(() => {});
    return client.getQueryState(queryKey)?.isInvalidated;
  };
  expect(await settle(() => Promise.resolve())).toBe(true);
  expect(await settle(() => Promise.reject(new Error('No.')))).toBe(true);
});
