import { isOwnVariable, isSystemVariable, piEnvironment } from '../../pi/environment.ts';
import type { AgentSignIn } from '../../shared/api/readiness.ts';
import { ownEnvironment } from '../config.ts';
import { createFairQueue, type Job } from '../platform/fair-queue.ts';
import type { InstalledPi } from '../platform/installed-pi.ts';
import { runProcess } from '../platform/run-process.ts';
import { withTemporaryDirectory } from '../platform/temporary-directory.ts';

/** An agent, and the provider that pi checks for it. */
interface SignInQuestion {
  /** The real path of the agent's directory. */
  readonly directory: string;
  readonly pi: Required<Pick<InstalledPi, 'command'>> & Pick<InstalledPi, 'version'>;
  readonly provider: string;
  /** The fingerprint of the agent's credentials and models. Agents with the same fingerprint share a check. */
  readonly fingerprint: string;
}

/** Runs pi to check whether agents are signed in. */
interface SignInCheck {
  /** Checks for a caller, in turn with other callers. Equal questions share a check. Never rejects. */
  check(question: SignInQuestion, caller: string): Promise<AgentSignIn>;
  /** Returns the result of a recent check. Undefined if there's none, or it's still running. */
  known(question: SignInQuestion): AgentSignIn | undefined;
}

interface SignInCheckDeps {
  /** Reads the PATH of the check. */
  readSearchPath(): Promise<string>;
  /** The Windows directory. */
  readonly systemRoot: string;
  readonly now: () => number;
  /** Ends a check when the server stops. */
  readonly signal: AbortSignal;
}

/** The time limit for a check. pi takes half a second to start, and much longer on a busy computer. */
const TIMEOUT_MS = 20_000;

/**
 * How long a result is valid. A key in the environment can't change while dot-mi runs, and file changes are detected,
 * but logins can expire.
 */
const KEPT_MS = 10 * 60_000;
/** How many results are cached. A person views fewer agents before results expire. */
const MOST_KEPT = 200;
/** How many checks of a caller wait. */
const MOST_WAITING = 32;

/** The first version with `pi auth check`. An older one would send these words to its model. */
const FIRST_VERSION = [0, 84, 1] as const;

/** Returns whether this version of pi has `pi auth check`. */
export const hasAuthCheck = (version: string | undefined): boolean => {
  const parts = /^(\d+)\.(\d+)\.(\d+)/
    .exec(version ?? '')
    ?.slice(1)
    .map(Number);
  if (!parts) return false;
  for (const [index, least] of FIRST_VERSION.entries()) {
    const part = parts[index] ?? 0;
    if (part !== least) return part > least;
  }
  return true;
};

/** Variables that change how programs start, so a placeholder could break the check. */
const OF_PROGRAMS = /^(NODE|V8|UV|OPENSSL|ELECTRON|LD|DYLD|BASH|ENV|GIT|NPM)(_|$)/i;

/** The value of a variable that is set, for a check that may see only that. */
const IS_SET = 'set';

/**
 * Returns the check's environment. Keys and other variables have no values, only their names, so that pi still finds
 * out whether a key is set.
 *
 * SECURITY: models.json can name a variable as a key, or a command to run.
 */
const environmentFor = (directory: string, searchPath: string): Record<string, string> => {
  const environment = ownEnvironment();
  const others = Object.keys(environment).filter(
    (name) => !isSystemVariable(name) && !isOwnVariable(name) && !OF_PROGRAMS.test(name),
  );
  return {
    ...Object.fromEntries(others.map((name) => [name, IS_SET])),
    // It's the path of a file with credentials, and pi checks whether that file exists.
    ...piEnvironment(environment, ['GOOGLE_APPLICATION_CREDENTIALS']),
    PATH: searchPath,
    PI_CODING_AGENT_DIR: directory,
    PI_OFFLINE: '1',
  };
};

/** A provider's name that is safe as an argument. SECURITY: pi would parse a leading dash as an option. */
const SAFE_NAME = /^[A-Za-z0-9][\w.:@/+-]{0,199}$/;

/** Returns whether pi can check a provider. */
export const isCheckable = (provider: string): boolean => SAFE_NAME.test(provider);

const UNKNOWN = { state: 'unknown', reason: 'check_failed' } as const;

/** Parses the output of `pi auth check --json`. Ignores anything else that was printed. */
const readResult = (provider: string, exitCode: number | null, stdout: string): AgentSignIn => {
  const line = stdout.trim().split('\n').at(-1) ?? '';
  let result: { status?: unknown; authType?: unknown };
  try {
    result = JSON.parse(line) as typeof result;
  } catch {
    return { ...UNKNOWN, provider };
  }
  if (exitCode === 0 && result.status === 'ready') {
    const { authType } = result;
    return {
      state: 'ready',
      provider,
      ...(authType === 'api_key' || authType === 'oauth' ? { method: authType } : {}),
    };
  }
  if (exitCode === 1 && result.status === 'not_ready') return { state: 'missing', provider };
  if (exitCode === 2 && result.status === 'invalid') return { state: 'invalid', provider };
  return { ...UNKNOWN, provider };
};

/**
 * Creates a {@link SignInCheck}. It runs one pi at a time, in turns between callers and agents, and caches a result for ten minutes, or until the
 * credentials or models change. `pi auth check` reads nothing else in an agent's directory.
 */
export const createSignInCheck = ({
  readSearchPath,
  systemRoot,
  now,
  signal,
}: SignInCheckDeps): SignInCheck => {
  const kept = new Map<
    string,
    { readonly at: number; readonly job: Job<AgentSignIn>; found?: AgentSignIn }
  >();
  const queue = createFairQueue(MOST_WAITING);

  const run = async ({ directory, pi, provider }: SignInQuestion): Promise<AgentSignIn> => {
    const args = ['auth', 'check', '--provider', provider, '--json', '--no-refresh'];
    const [program, ...first] = pi.command;
    // SECURITY: pi also reads files of its working directory, so it gets an empty one outside the root.
    return withTemporaryDirectory(async (cwd) => {
      const { exitCode, stdoutTail } = await runProcess({
        file: program,
        args: [...first, ...args],
        cwd,
        env: environmentFor(directory, await readSearchPath()),
        timeoutMs: TIMEOUT_MS,
        systemRoot,
        signal,
      });
      return readResult(provider, exitCode, stdoutTail);
    });
  };

  const keyOf = ({ pi, provider, fingerprint }: SignInQuestion): string =>
    JSON.stringify([pi.version, provider, fingerprint]);

  const keptFor = (question: SignInQuestion) => {
    const before = kept.get(keyOf(question));
    return before && now() - before.at < KEPT_MS ? before : undefined;
  };

  return {
    check(question, caller) {
      const { provider, directory } = question;
      if (!isCheckable(provider)) return Promise.resolve({ ...UNKNOWN, provider });
      const before = keptFor(question);
      if (before) {
        queue.join(caller, directory, before.job);
        return before.job.result;
      }
      const job = queue.add(caller, directory, async () =>
        signal.aborted
          ? { ...UNKNOWN, provider }
          : run(question).catch((): AgentSignIn => ({ ...UNKNOWN, provider })),
      );
      if (!job) return Promise.resolve({ ...UNKNOWN, provider });
      const key = keyOf(question);
      const entry: { at: number; job: Job<AgentSignIn>; found?: AgentSignIn } = { at: now(), job };
      void job.result.then((found) => {
        entry.found = found;
      });
      kept.delete(key);
      kept.set(key, entry);
      if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value ?? '');
      return job.result;
    },
    known: (question) => keptFor(question)?.found,
  };
};
