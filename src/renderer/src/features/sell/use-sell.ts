import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { readDetails } from '../../../../shared/api/errors.ts';
import { writeFile } from '../../../../shared/api/files.ts';
import { blockPrepaidBalance } from '../../../../shared/api/prepaid-balances.ts';
import { buyFromService, type Service, startService, stopService } from '../../../../shared/api/services.ts';
import { type ApiError, call } from '../../api/client.ts';
import { after, refreshAfter } from '../../api/invalidations.ts';
import { fileQuery } from '../../api/queries.ts';
import { type ReadStatus, readStatus } from '../../api/read-status.ts';
import { estimateQuery, servicesQuery } from '../../api/service-queries.ts';
import { sell as words } from '../../strings/sell.ts';
import { dismissFailure, reportFailure } from '../../ui/failures.tsx';
import { notify } from '../../ui/toast.tsx';
import type { Terms, TypedTerms } from './sale-terms.ts';
import { forgetSaved } from './typed-terms.ts';

/** Returns an agent's service. Null if it was never for sale. */
export const useService = (agent: string): ReadStatus<Service | null> =>
  readStatus(
    useQuery({
      ...servicesQuery(),
      select: (services) => services.find((service) => service.agent === agent) ?? null,
    }),
  );

const SETTLED_AFTER_MS = 250;

/** Returns a value once it hasn't changed for a moment, so that typing causes only one request. */
export const useSettled = <T>(value: T): T => {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLED_AFTER_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
};

/** A person's choices for selling an agent. */
export interface Wanted {
  readonly terms: Terms;
  /** The form that the terms come from. */
  readonly typed: TypedTerms;
  readonly answer: Answer;
}

/** Removes the agent's tools first, or accepts these tools and loaded things, which the person has read. */
export type Answer = 'remove' | { readonly accepts: readonly string[] };

const NO_TOOLS = '--no-tools';

/** Adds the argument that switches all tools off. Fails if another program changed the file in the meantime. */
const removeTools = async (client: QueryClient, id: string): Promise<void> => {
  const { content, etag } = await client.fetchQuery({ ...fileQuery(id, 'pi-args'), staleTime: 0 });
  const end = content.includes('\r\n') ? '\r\n' : '\n';
  const before = content === '' || content.endsWith('\n') ? content : `${content}${end}`;
  await call(writeFile, {
    params: { id },
    headers: etag === null ? { 'if-none-match': '*' } : { 'if-match': etag },
    body: { path: 'pi-args', content: `${before}${NO_TOOLS}${end}` },
  });
  notify(words.tools.removed(id));
  void refreshAfter(client, after.agents(id));
};

/** Puts an agent up for sale, or changes its terms. `key` is for {@link forgetSaved}, if the terms were typed. */
export const useStart = (agent: string, key: string | undefined) => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ terms, answer }: Wanted) => {
      if (answer === 'remove') await removeTools(client, agent);
      const accepts = answer === 'remove' ? [] : [...answer.accepts];
      return call(startService, { body: { agent, ...terms, accepts } });
    },
    // Runs even if another page is open by now.
    onSuccess: (_, { typed }) => {
      if (key !== undefined) forgetSaved(key, typed);
      notify(words.started(agent));
    },
    meta: { refresh: after.service(agent) },
  });
};

/** What a refusal says that a stranger could use. Undefined for another error. */
export const risksOf = (
  error: ApiError | null,
): { tools: readonly string[]; loads: readonly string[] } | undefined =>
  error?.code === 'tools_not_accepted' ? readDetails('tools_not_accepted', error.details) : undefined;

/** Stops selling an agent, from any view. Reports the result. */
export const stopSelling = async (client: QueryClient, agent: string): Promise<void> => {
  try {
    await call(stopService, { params: { agent }, body: {} });
    dismissFailure(words.stopFailed(agent));
    notify(words.stopped(agent));
  } catch (error) {
    reportFailure(words.stopFailed(agent), error);
  } finally {
    await refreshAfter(client, after.service(agent));
  }
};

/** Blocks or unblocks a prepaid key, by the id of its balance. Reports the result. */
export const setBlocked = async (client: QueryClient, balanceId: string, blocked: boolean): Promise<void> => {
  try {
    await call(blockPrepaidBalance, { params: { balanceId }, body: { blocked } });
    dismissFailure(words.sales.blockFailed);
    notify(blocked ? words.sales.blockedToast(balanceId) : words.sales.unblockedToast(balanceId));
  } catch (error) {
    reportFailure(words.sales.blockFailed, error);
  } finally {
    await refreshAfter(client, after.services());
  }
};

/** Buys from an own service with a prompt. */
export const useBuy = (agent: string) =>
  useMutation({
    mutationFn: (prompt: string) => call(buyFromService, { params: { agent }, body: { prompt } }),
  });

/** Stops selling an agent. */
export const useStop = (agent: string) => {
  const client = useQueryClient();
  return useMutation({ mutationFn: () => stopSelling(client, agent) });
};

/** Returns an agent's price for customers, refetched shortly after the terms change. */
export const useEstimate = (agent: string, terms: Parameters<typeof estimateQuery>[1] | undefined) => {
  const settled = useSettled(JSON.stringify(terms ?? null));
  const requested = JSON.parse(settled) as NonNullable<typeof terms> | null;
  return useQuery({ ...estimateQuery(agent, requested ?? {}), enabled: requested !== null });
};
