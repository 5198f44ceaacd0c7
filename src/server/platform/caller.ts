import type { KeyScope } from '../../shared/api/key-scopes.ts';
import { AppError } from './app-error.ts';

/** An agent key that was sent with a request. */
export interface CallingKey {
  readonly id: string;
  readonly label: string;
  /** The key's agent, and the id of that agent's root. */
  readonly agent: { readonly id: string; readonly rootId: string } | undefined;
  readonly scopes: readonly KeyScope[];
  /** The limit of the `spend` scope. */
  readonly satsPerDay: number | undefined;
  /** Records that a request with this key was allowed. */
  markUsed(): void;
  /** Returns whether the key still works, because it can be revoked or expire. A stream outlives its first check. */
  isValid(): boolean;
}

/** The person at this computer, or their page: the operator token, or a page token made from it. */
export interface OperatorCaller {
  readonly kind: 'operator';
}

/** A program with an agent key. The key limits it, even where callers without a token have more access. */
export interface AgentCaller {
  readonly kind: 'agent';
  readonly key: CallingKey;
  /** The agent of the managed root that the key belongs to. Undefined for a key without one. */
  readonly agent: string | undefined;
  /** True if the key belongs to an agent of another root. Such a caller acts for no agent of this root. */
  readonly isOfOtherRoot: boolean;
}

/** Anybody else. API_TOKEN only lets a caller in, and gives no other rights. */
export interface AnyoneCaller {
  readonly kind: 'anyone';
  /** False if routes that need a token refuse this caller. Routes with the access `open` don't. */
  readonly isLetIn: boolean;
}

/** The operator, also for dot-mi's own work on the operator's behalf. */
export const OPERATOR: OperatorCaller = Object.freeze({ kind: 'operator' });

/** Who sent a request. Only `http/access.ts` makes other callers, from a request's token. */
export type Caller = OperatorCaller | AgentCaller | AnyoneCaller;

/** A caller as plain data, which other threads can receive. `agent` is the one that an agent key belongs to. */
export interface Reader {
  readonly kind: Caller['kind'];
  readonly agent: string | undefined;
}

/** The operator as a reader, for dot-mi's own work on the operator's behalf. */
export const OPERATOR_READER: Reader = { kind: 'operator', agent: undefined };

/** Anybody as a reader, for lists that are the same for all callers. */
export const ANYONE_READER: Reader = { kind: 'anyone', agent: undefined };

/** Returns a caller as plain data. */
export const readerOf = (caller: Caller): Reader => ({
  kind: caller.kind,
  agent: caller.kind === 'agent' ? caller.agent : undefined,
});

/** The error for a caller that isn't the operator. It must not encourage an agent to look for the token. */
export const operatorRequired = (): AppError =>
  new AppError(
    'operator_required',
    'Only the operator can do this. Ask them. Don’t look for the operator token.',
  );

/** The error for another agent's key. It must not encourage the agent to retry without a key. */
export const forbiddenAgent = (agent: string): AppError =>
  new AppError(
    'forbidden_agent',
    `This key belongs to "${agent}", but this request is about another agent. Ask the operator. Don’t send the request with another key or without one.`,
  );

/**
 * Returns the agent that a caller acts for: its key's agent, or else the named one. Throws `forbidden_agent` if the
 * key belongs to another agent than the named one.
 */
export const actingAgent = (caller: Caller, named: string | undefined): string | undefined => {
  if (caller.kind !== 'agent') return named;
  const bound = caller.key.agent;
  if (!bound) return named;
  // SECURITY: an agent in another root can have the same id.
  if (named !== undefined && named !== caller.agent) throw forbiddenAgent(bound.id);
  return caller.agent;
};

/** Throws `forbidden_agent` for a key of another root, for routes that are about the agents of this root. */
export const requireKeyOfRoot = (caller: Caller): void => {
  if (caller.kind === 'agent' && caller.isOfOtherRoot && caller.key.agent)
    throw forbiddenAgent(caller.key.agent.id);
};
