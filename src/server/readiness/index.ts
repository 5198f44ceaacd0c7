import { join } from 'node:path';
import { parseModelName } from '../../pi/agent-model.ts';
import type { AgentChecks } from '../../shared/api/checks.ts';
import type { AgentProfile } from '../../shared/api/profiles.ts';
import type { AgentPrompt } from '../../shared/api/prompt.ts';
import {
  type AgentReadiness,
  type AgentSignIn,
  getReadiness,
  listSignIns,
  type SignIns,
  stopsRun,
} from '../../shared/api/readiness.ts';
import type { Base, Feature } from '../feature.ts';
import { type Caller, type Reader, readerOf } from '../platform/caller.ts';
import { queueNameOf } from '../platform/fair-queue.ts';
import type { PreparedBody } from '../platform/prepared-body.ts';
import { createSignInCheck, hasAuthCheck, isCheckable } from './sign-in-check.ts';

interface ReadinessDeps
  extends Pick<Base, 'config' | 'disk' | 'clock' | 'findPi' | 'readSearchPath' | 'requireAgent'> {
  /** Predicts a prompt. The result names the model the agent starts with. */
  prompt(id: string, reader: Reader): Promise<AgentPrompt>;
  isRootTrusted(): Promise<boolean>;
}

/**
 * The limit for groups of agents that are checked for the list. A group has the same provider and credentials, and its
 * check starts pi once.
 */
export const MAX_SIGN_IN_GROUPS = 12;

const parse = <T>({ json }: PreparedBody<T>): T => JSON.parse(json.toString()) as T;

/** Creates the route that reports whether an agent can run. */
export const createReadiness = ({
  config,
  disk,
  clock,
  findPi,
  requireAgent,
  prompt,
  isRootTrusted,
  readSearchPath,
}: ReadinessDeps): Feature => {
  const stopping = new AbortController();
  const signIns = createSignInCheck({
    readSearchPath,
    systemRoot: config.systemRoot,
    now: clock.now,
    signal: stopping.signal,
  });

  const signInOf = async (
    id: string,
    model: string | undefined,
    pi: Awaited<ReturnType<typeof findPi>>,
    caller: Caller,
  ): Promise<AgentSignIn> => {
    const provider = model === undefined ? undefined : parseModelName(model).provider;
    const unknown = (reason: NonNullable<AgentSignIn['reason']>): AgentSignIn => ({
      state: 'unknown',
      provider: provider ?? null,
      reason,
    });
    if (!pi) return unknown('pi_missing');
    const { command, version } = pi;
    if (!command) return unknown('pi_unsafe');
    if (!hasAuthCheck(version)) return unknown('pi_too_old');
    if (model === undefined) return unknown('no_model');
    // Without a provider, pi would report "invalid", as if the credentials were unreadable.
    if (provider === undefined) return unknown('no_provider');
    // SECURITY: models.json can name a command that pi runs to get a key, so the root must be trusted.
    if (!(await isRootTrusted())) return unknown('root_not_trusted');
    const [realRoot, fingerprint] = await Promise.all([
      requireAgent(id),
      disk.ask<string>({ signInFilesOf: id }).then(parse),
    ]);
    const question = {
      directory: join(realRoot, 'agents', id),
      pi: { command, ...(version === undefined ? {} : { version }) },
      provider,
      fingerprint,
    };
    // SECURITY: a check can run commands of the agent's own files, so only the operator starts one.
    return caller.kind === 'operator'
      ? signIns.check(question, queueNameOf(caller))
      : (signIns.known(question) ?? unknown('not_checked'));
  };

  let lastProfiles: PreparedBody<{ agents: AgentProfile[] }> | undefined;
  let providers: ReadonlyMap<string, string> = new Map();

  /** Reads the provider of each agent whose model names one. Reads an agent again only after a change. */
  const readProviders = async (): Promise<ReadonlyMap<string, string>> => {
    const body = await disk.list('profiles');
    if (body === lastProfiles) return providers;
    lastProfiles = body;
    providers = new Map(
      parse(body).agents.flatMap(({ id, model }) => {
        const { provider } = model ? parseModelName(model.name) : {};
        return provider === undefined ? [] : [[id, provider]];
      }),
    );
    return providers;
  };

  /** Groups the agents that share a result of `pi auth check`, largest group first. */
  const groupAgents = async () => {
    const [byId, files] = await Promise.all([
      readProviders(),
      disk.ask<Record<string, string>>({ signInFiles: 'all' }).then(parse),
    ]);
    const groups = Map.groupBy(
      Object.entries(files).filter(([id]) => byId.has(id)),
      ([id, fingerprint]) => `${byId.get(id)} ${fingerprint}`,
    );
    return [...groups.values()]
      .sort((a, b) => b.length - a.length)
      .flatMap((group) => {
        const [[first, fingerprint] = []] = group;
        const provider = first === undefined ? undefined : byId.get(first);
        return first === undefined || fingerprint === undefined || provider === undefined
          ? []
          : [{ first, fingerprint, provider, ids: group.map(([id]) => id) }];
      });
  };

  const allSignIns = async (caller: Caller): Promise<SignIns> => {
    const [groups, pi, isTrusted] = await Promise.all([groupAgents(), findPi(), isRootTrusted()]);
    const nothing = { pi: pi ? { version: pi.version ?? null } : null, checking: false, agents: [] };
    // SECURITY: the check may run commands from models.json, so the root must be trusted.
    if (!pi?.command || !hasAuthCheck(pi.version) || !isTrusted) return nothing;
    const { command, version } = pi;
    // The agent may have just been removed.
    const realRoot = groups[0] && (await requireAgent(groups[0].first).catch(() => undefined));
    if (realRoot === undefined) return nothing;
    let checking = false;
    const agents: SignIns['agents'] = [];
    for (const [index, { first, ids, provider, fingerprint }] of groups.entries()) {
      const question = {
        directory: join(realRoot, 'agents', first),
        pi: { command, ...(version === undefined ? {} : { version }) },
        provider,
        fingerprint,
      };
      const found = signIns.known(question);
      if (found && found.state !== 'unknown') for (const id of ids) agents.push({ id, state: found.state });
      else if (caller.kind === 'operator' && !found && index < MAX_SIGN_IN_GROUPS && isCheckable(provider)) {
        checking = true;
        void signIns.check(question, queueNameOf(caller));
      }
    }
    return { ...nothing, checking, agents: agents.sort((a, b) => (a.id < b.id ? -1 : 1)) };
  };

  return {
    routes(bind) {
      bind(listSignIns, (_request, caller) => allSignIns(caller));
      bind(getReadiness, async ({ params: { id } }, caller): Promise<AgentReadiness> => {
        const [{ findings }, { model }, pi] = await Promise.all([
          disk.ask<AgentChecks>({ check: 'agent', id, reader: readerOf(caller) }).then(parse),
          prompt(id, readerOf(caller)),
          findPi(),
        ]);
        const signIn = await signInOf(id, model?.name, pi, caller);
        const stopping = findings.filter(stopsRun);
        const isStopped =
          !pi || stopping.length > 0 || signIn.state === 'missing' || signIn.state === 'invalid';
        return {
          ready: isStopped ? false : signIn.state === 'ready' ? true : null,
          pi: pi ? { version: pi.version ?? null } : null,
          model: model?.name ?? null,
          signIn,
          findings: stopping,
        };
      });
    },
    close: () => stopping.abort(),
  };
};
