import { join } from 'node:path';
import type { AgentChecks, Finding } from '../../shared/api/checks.ts';
import type { AgentEntries } from '../../shared/api/entries.ts';
import type { AgentPrompt } from '../../shared/api/prompt.ts';
import { type AgentReadiness, type AgentSignIn, getReadiness } from '../../shared/api/readiness.ts';
import { parseModelName } from '../../shared/pi/agent-model.ts';
import type { Base, Feature } from '../feature.ts';
import type { PreparedBody } from '../platform/prepared-body.ts';
import { createSignInCheck, hasAuthCheck } from './sign-in-check.ts';

/** Dependencies of {@link createReadiness}. */
interface ReadinessDeps extends Pick<Base, 'config' | 'disk' | 'clock' | 'findPi' | 'requireAgent'> {
  /** Predicts a prompt, which says which model the agent starts with. */
  prompt(id: string, isOperator: boolean): Promise<AgentPrompt>;
  isRootTrusted(): Promise<boolean>;
  readSearchPath: (() => Promise<string | undefined>) | undefined;
}

/** Rules about what pi does without, although a person wanted it. The others that stop a run are errors. */
const STOPPING_RULES: ReadonlySet<string> = new Set(['tool-unknown', 'model-unknown', 'provider-renamed']);

const stopsRun = ({ rule, severity }: Finding): boolean => severity === 'error' || STOPPING_RULES.has(rule);

/** The files that decide whether pi is signed in. */
const SIGN_IN_FILES: ReadonlySet<string> = new Set(['auth.json', 'models.json', 'settings.json']);

const parse = <T>({ json }: PreparedBody<T>): T => JSON.parse(json.toString()) as T;

/** Creates the route that says whether an agent can run. */
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
  const checkSignIn = createSignInCheck({
    readSearchPath: async () => (await readSearchPath?.()) ?? config.scriptEnvironment.PATH ?? '',
    systemRoot: config.systemRoot,
    now: clock.now,
    signal: stopping.signal,
  });

  const signInOf = async (
    id: string,
    model: string | undefined,
    pi: Awaited<ReturnType<typeof findPi>>,
  ): Promise<AgentSignIn> => {
    const provider = model === undefined ? undefined : parseModelName(model).provider;
    const unknown = (reason: NonNullable<AgentSignIn['reason']>): AgentSignIn => ({
      state: 'unknown',
      provider: provider ?? null,
      reason,
    });
    if (!pi) return unknown('pi_missing');
    if (!hasAuthCheck(pi.version)) return unknown('pi_too_old');
    if (model === undefined) return unknown('no_model');
    // For a model, pi reports "invalid" as if the credentials couldn't be read.
    if (provider === undefined) return unknown('no_provider');
    // SECURITY: models.json can name a command, which pi runs to get a key.
    if (!(await isRootTrusted())) return unknown('root_not_trusted');
    const [realRoot, { entries }] = await Promise.all([
      requireAgent(id),
      disk.ask<AgentEntries>({ entriesOf: id }).then(parse),
    ]);
    return checkSignIn({
      directory: join(realRoot, 'agents', id),
      pi,
      provider,
      fingerprint: entries
        .filter(({ name }) => SIGN_IN_FILES.has(name))
        .map(({ name, size, modifiedAt }) => `${name} ${size} ${modifiedAt}`)
        .join('\n'),
    });
  };

  return {
    routes(bind) {
      bind(getReadiness, async ({ params: { id } }, caller): Promise<AgentReadiness> => {
        const [{ findings }, { model }, pi] = await Promise.all([
          disk.ask<AgentChecks>({ check: 'agent', id }).then(parse),
          prompt(id, caller.may('operator')),
          findPi(),
        ]);
        const signIn = await signInOf(id, model?.name, pi);
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
