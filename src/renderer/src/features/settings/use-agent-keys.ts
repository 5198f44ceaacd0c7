import { useMutation, useQuery } from '@tanstack/react-query';
import type { CallOf } from '../../../../shared/api/endpoint.ts';
import {
  type AgentKey,
  type AgentKeys,
  type CreatedAgentKey,
  createKey,
  deleteKey,
  listKeys,
} from '../../../../shared/api/keys.ts';
import { type ApiError, call } from '../../api/client.ts';
import { after } from '../../api/invalidations.ts';
import { keys } from '../../api/queries.ts';
import { readStatus, type Unread } from '../../api/read-status.ts';

type AgentKeysStatus = Unread | { readonly status: 'ready'; readonly data: AgentKeys };

/**
 * Loads the agent keys. Needs the operator token. They're cached with the wallet, because a send counts toward a
 * key's limit.
 */
export const useAgentKeys = (): AgentKeysStatus =>
  readStatus(useQuery({ queryKey: keys.agentKeys, queryFn: ({ signal }) => call(listKeys, {}, signal) }));

/** Creates a key. SECURITY: the cache drops the response once no component shows it. */
export const useCreateKey = (onCreated: (key: CreatedAgentKey) => void) =>
  useMutation<CreatedAgentKey, ApiError, CallOf<typeof createKey>['body']>({
    mutationFn: (body) => call(createKey, { body }),
    gcTime: 0,
    onSuccess: onCreated,
    meta: { refresh: after.agentKeys() },
  });

/** Revokes a key. */
export const useRevokeKey = (onRevoked: (key: AgentKey) => void, onFailure: (error: unknown) => void) =>
  useMutation({
    mutationFn: ({ id }: AgentKey) => call(deleteKey, { params: { keyId: id } }),
    onSuccess: (_response, key) => onRevoked(key),
    onError: onFailure,
    meta: { refresh: after.agentKeys() },
  });
