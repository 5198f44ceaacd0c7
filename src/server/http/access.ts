import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EndpointShape } from '../../shared/api/endpoint.ts';
import { AGENT_KEY_PREFIX, type KeyScope } from '../../shared/api/key-scopes.ts';
import { AppError } from '../platform/app-error.ts';
import {
  type AgentCaller,
  type AnyoneCaller,
  type Caller,
  type CallingKey,
  forbiddenAgent,
  OPERATOR,
  type OperatorCaller,
  operatorRequired,
} from '../platform/caller.ts';
import { requestNotes } from '../platform/request-notes.ts';
import type { GuessLimit } from './guess-limit.ts';

/** The part of the agent keys that this check needs. */
interface KeyLookup {
  /** Finds a key by its text. Throws `unauthorized` if it's unknown, revoked or expired. */
  find(key: string): CallingKey;
  /** Finds a key by its text, if it works. */
  lookUp(key: string): CallingKey | undefined;
}

/** The tokens that callers can send. */
export interface Tokens {
  /** API_TOKEN. If undefined, ordinary routes need no token unless `requireKeys` is set. */
  api?: string | undefined;
  /** Returns the operator token, which can be renewed. It also works where the API token is required. */
  operator: () => string;
  /** Page tokens, which pages hold instead of the other two. They're valid until the process ends. */
  pages: { readonly operator: string; readonly api: string };
  /** REQUIRE_KEYS: ordinary routes need an agent key or the operator token, and API_TOKEN gives no access. */
  requireKeys: boolean;
  agentKeys: KeyLookup;
  /** Identifies the managed root. */
  rootId: string;
}

/** The fields that determine which callers can use an endpoint. */
type AccessRule = Pick<EndpointShape, 'access' | 'keys' | 'ownAgent'>;

/**
 * Returns who sent a request, if that caller can use an endpoint. `agentId` is the agent in its path. On an `open`
 * endpoint, a wrong token counts as none. Throws `unauthorized`, `operator_required`, `forbidden_scope` and
 * `forbidden_agent`.
 */
export type AccessCheck = (req: IncomingMessage, rule: AccessRule, agentId?: string) => Caller;

/** The check of requests' tokens. */
export interface Access {
  /** A request that wasn't admitted counts as one without API_TOKEN. */
  check: AccessCheck;
  /** Calls `handle` when the request's token was compared: at once, or later while somebody guesses API_TOKEN. */
  admit(req: IncomingMessage, res: ServerResponse, handle: () => void): void;
}

/** The owner of a token, and the caller that it makes. */
interface Sender {
  readonly name: 'page' | 'operator' | 'api';
  readonly caller: OperatorCaller | AnyoneCaller;
}

const ANYONE: AnyoneCaller = Object.freeze({ kind: 'anyone', isLetIn: true });
const STRANGER: AnyoneCaller = Object.freeze({ kind: 'anyone', isLetIn: false });

const digest = (text: string) => createHash('sha256').update(text).digest();

const quoted = (scopes: readonly KeyScope[]) => scopes.map((scope) => `"${scope}"`).join(' or ');

const scopesOf = ({ keys = 'none' }: AccessRule): readonly KeyScope[] => (keys === 'none' ? [] : keys);

/** The error for a caller that isn't the operator, on a route that some keys can use. */
const operatorRequiredBy = (rule: AccessRule): AppError => {
  const scopes = scopesOf(rule);
  if (scopes.length === 0) return operatorRequired();
  return new AppError(
    'operator_required',
    `This needs the operator token, or an agent key with the scope ${quoted(scopes)}. Ask the operator. Don’t look for the token.`,
  );
};

const requireScope = (key: CallingKey, rule: AccessRule): void => {
  const scopes = scopesOf(rule);
  if (scopes.some((scope) => key.scopes.includes(scope))) return;
  if (rule.access === 'operator' && scopes.length === 0) throw operatorRequired();
  throw new AppError(
    'forbidden_scope',
    scopes.length === 0
      ? 'Agent keys can’t use this route. Ask the operator to do it.'
      : `This route needs an agent key with the scope ${quoted(scopes)}. Ask the operator for one.`,
    { scopes: [...scopes] },
  );
};

const shownIn = ({ headers }: IncomingMessage): string | undefined =>
  /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];

/** Creates the check of `Authorization: Bearer <token>` (RFC 6750) against this server's tokens. */
export const createAccess = (
  { api, operator, pages, requireKeys, agentKeys, rootId }: Tokens,
  guesses: GuessLimit,
): Access => {
  let renewable = { token: '', digest: digest('') };
  const operatorDigest = () => {
    const token = operator();
    if (renewable.token !== token) renewable = { token, digest: digest(token) };
    return renewable.digest;
  };
  const pageDigest = digest(pages.operator);
  const apiDigest = digest(api ?? '');
  const apiPageDigest = digest(pages.api);
  const hasApiToken = api !== undefined && !requireKeys;
  const isOpen = api === undefined && !requireKeys;
  /** Requests whose token is API_TOKEN. */
  const withApiToken = new WeakSet<IncomingMessage>();

  const agentCaller = (key: CallingKey): AgentCaller => {
    const { agent } = key;
    // SECURITY: an agent in another root can have the same id.
    const isOfOtherRoot = agent !== undefined && agent.rootId !== rootId;
    return { kind: 'agent', key, agent: isOfOtherRoot ? undefined : agent?.id, isOfOtherRoot };
  };

  /** Returns who sent a token that nobody can guess, and what it gives access to. */
  const randomSenderOf = (shown: string): Sender | undefined => {
    // SECURITY: compare equal lengths in constant time, so that responses don't reveal how close a guess was.
    const shownDigest = digest(shown);
    const is = (known: Buffer) => timingSafeEqual(shownDigest, known);
    if (is(pageDigest)) return { name: 'page', caller: OPERATOR };
    if (is(operatorDigest())) return { name: 'operator', caller: OPERATOR };
    if (hasApiToken && is(apiPageDigest)) return { name: 'page', caller: ANYONE };
    return undefined;
  };

  const senderOf = (req: IncomingMessage, shown: string): Sender | undefined =>
    randomSenderOf(shown) ?? (withApiToken.has(req) ? { name: 'api', caller: ANYONE } : undefined);

  const requireOwnAgent = ({ key, agent, isOfOtherRoot }: AgentCaller, agentId: string | undefined) => {
    if (key.agent === undefined)
      throw new AppError(
        'forbidden_agent',
        'This key is not assigned to an agent. Use a key that belongs to the agent in the request.',
      );
    if (isOfOtherRoot)
      throw new AppError(
        'forbidden_agent',
        `This key belongs to the agent "${key.agent.id}" in another root. Use a key that belongs to an agent in this root.`,
      );
    if (agent !== agentId) throw forbiddenAgent(key.agent.id);
  };

  const unauthorized = () =>
    new AppError(
      'unauthorized',
      requireKeys
        ? 'This server needs an agent key: send "Authorization: Bearer <key>". The operator creates keys in Settings.'
        : 'This server needs a token: send "Authorization: Bearer <API_TOKEN>". Ask the operator if you don’t have one.',
    );

  const refuse = (rule: AccessRule, shown: string | undefined, isKnown: boolean): AppError => {
    if (rule.access !== 'operator') return unauthorized();
    if (shown === undefined || isKnown) return operatorRequiredBy(rule);
    return new AppError(
      'unauthorized',
      'This token is not valid, or was replaced. Only the operator can make this request. Ask them. Don’t look for another token.',
    );
  };

  /** Returns the caller of an endpoint that needs no token. */
  const openCaller = (req: IncomingMessage, shown: string | undefined): Caller => {
    if (shown?.startsWith(AGENT_KEY_PREFIX)) {
      const key = agentKeys.lookUp(shown);
      return key ? agentCaller(key) : STRANGER;
    }
    const sender = shown === undefined ? undefined : senderOf(req, shown);
    if (sender) requestNotes(req).sender = sender.name;
    return sender?.caller ?? (isOpen ? ANYONE : STRANGER);
  };

  const admit: Access['admit'] = (req, res, handle) => {
    const shown = hasApiToken ? shownIn(req) : undefined;
    const isGuess = shown !== undefined && !shown.startsWith(AGENT_KEY_PREFIX) && !randomSenderOf(shown);
    if (!isGuess) return handle();
    const leave = guesses.compare({
      client: req.socket.remoteAddress ?? '',
      isRight: () => timingSafeEqual(digest(shown), apiDigest),
      done(isRight) {
        if (isRight) withApiToken.add(req);
        handle();
      },
    });
    res.once('close', leave);
  };

  const check: AccessCheck = (req, rule, agentId) => {
    const { access } = rule;
    const shown = shownIn(req);
    if (access === 'open') return openCaller(req, shown);
    // SECURITY: a key always limits its caller, even where callers without a token have more access.
    if (shown?.startsWith(AGENT_KEY_PREFIX)) {
      const caller = agentCaller(agentKeys.find(shown));
      const { key, agent } = caller;
      requestNotes(req).key = { label: key.label, agent };
      requireScope(key, rule);
      if (rule.ownAgent) requireOwnAgent(caller, agentId);
      return caller;
    }
    const sender = shown === undefined ? undefined : senderOf(req, shown);
    if (sender) requestNotes(req).sender = sender.name;
    if (sender?.caller.kind === 'operator') return sender.caller;
    if (access === 'api' && (isOpen || sender)) return ANYONE;
    throw refuse(rule, shown, sender !== undefined);
  };

  return { check, admit };
};
