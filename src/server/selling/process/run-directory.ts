import {
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { type JsonObject, jsonObjectOf } from '../../../shared/json-object.ts';
import { isInsideWorkspace } from '../../../shared/run-command.ts';
import { parseShallowJson } from '../../../shared/shallow-json.ts';
import { CALLS_EXTENSION } from './rpc-conversation.ts';

/** An agent for sale, as a run needs it. */
export interface SoldFiles {
  readonly agent: string;
  /** The agent's directory in its private copy. */
  readonly directory: string;
  /** The agent's directory in the root, for its sign-ins. */
  readonly liveDirectory: string;
  /** A private directory for the sessions of runs, which has one directory for each day. */
  readonly sessionsDirectory: string;
  /** The directories that a run creates in its workspace. */
  readonly workspaceDirectories: readonly string[];
}

/** A model, and the most output tokens that one call to it can have. */
export interface OutputLimit {
  readonly provider: string;
  readonly model: string;
  readonly maxTokens: number;
}

/** The directories of one run. */
export interface RunDirectory {
  /** An empty working directory. */
  readonly workspace: string;
  /** pi's configuration for this run. Its last name is the agent's id. */
  readonly agentDirectory: string;
  /** The extension of dot-mi. */
  readonly extension: string;
  /** Removes the run's files. Never throws. */
  close(): Promise<void>;
}

const PRIVATE = 0o700;

/** The files that a run shares with the agent in the root: sign-ins, which pi refreshes. */
const LIVE = ['auth.json', 'mcp-auth.json'] as const;

/** The length of a date such as 2026-11-30. */
const DATE_LENGTH = 10;

const MODELS_FILE = 'models.json';

const fieldsOf = (value: unknown): JsonObject => jsonObjectOf(value) ?? {};

/** Removes comments from JSON, as pi does. A string with slashes stays as it is. */
const withoutComments = (text: string): string =>
  text
    .replace(/^\uFEFF/, '')
    .replace(
      /("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g,
      (_match, string: string | undefined) => string ?? '',
    )
    .replace(/("(?:\\.|[^"\\])*")|,(?=\s*[}\]])/g, (_match, string: string | undefined) => string ?? '');

/** Returns a models.json that also limits each call's output (`modelOverrides` in pi's documentation of models). */
const limitedModels = (text: string | undefined, { provider, model, maxTokens }: OutputLimit): string => {
  const config = fieldsOf(parseShallowJson(withoutComments(text?.trim() ? text : '{}')));
  const providers = fieldsOf(config.providers);
  const settings = fieldsOf(providers[provider]);
  const overrides = fieldsOf(settings.modelOverrides);
  const limited = { ...fieldsOf(overrides[model]), maxTokens };
  const models = Array.isArray(settings.models)
    ? {
        models: settings.models.map((each: unknown) =>
          fieldsOf(each).id === model ? { ...fieldsOf(each), maxTokens } : each,
        ),
      }
    : {};
  const changed = { ...settings, ...models, modelOverrides: { ...overrides, [model]: limited } };
  return JSON.stringify({ ...config, providers: { ...providers, [provider]: changed } });
};

const readIfThere = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });

/** Links to a file or directory. Windows allows everybody only junctions and hard links. */
const linkTo = async (target: string, path: string): Promise<void> => {
  const isDirectory = (await stat(target)).isDirectory();
  await symlink(target, path, isDirectory ? 'junction' : 'file').catch((error: NodeJS.ErrnoException) =>
    error.code === 'EPERM' && !isDirectory ? link(target, path) : Promise.reject(error),
  );
};

/**
 * Creates a run's directories in a private directory: an empty workspace, and pi's configuration, which consists of links
 * to the private copy and the agent's sign-ins. `limit` limits the output of each call to the model.
 *
 * SECURITY: nothing in the root decides where a run works or what it loads.
 */
export const openRunDirectory = async (
  { agent, directory, liveDirectory, sessionsDirectory, workspaceDirectories }: SoldFiles,
  parent: string,
  limit: OutputLimit | undefined,
): Promise<RunDirectory> => {
  // mkdtemp makes it private.
  const path = await mkdtemp(join(await realpath(parent), 'dot-mi-sell-'));
  // A run may have created a directory that can't be removed. It stays private.
  const close = () => rm(path, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  try {
    const workspace = join(path, 'workspace');
    const agentDirectory = join(path, 'agent', agent);
    await mkdir(agentDirectory, { recursive: true, mode: PRIVATE });
    await mkdir(workspace, { mode: PRIVATE });
    for (const name of workspaceDirectories.filter(isInsideWorkspace))
      await mkdir(join(workspace, name), { recursive: true, mode: PRIVATE });
    for (const name of await readdir(directory))
      if (limit === undefined || name !== MODELS_FILE)
        await linkTo(join(directory, name), join(agentDirectory, name));
    if (limit)
      await writeFile(
        join(agentDirectory, MODELS_FILE),
        limitedModels(await readIfThere(join(directory, MODELS_FILE)), limit),
        { mode: 0o600 },
      );
    const sessions = join(sessionsDirectory, new Date().toISOString().slice(0, DATE_LENGTH));
    await mkdir(sessions, { recursive: true, mode: PRIVATE });
    await linkTo(sessions, join(agentDirectory, 'sessions'));
    for (const name of LIVE)
      await linkTo(join(liveDirectory, name), join(agentDirectory, name)).catch(
        (error: NodeJS.ErrnoException) => {
          if (error.code !== 'ENOENT') throw error;
        },
      );
    const extension = join(path, 'calls.js');
    await writeFile(extension, CALLS_EXTENSION, { mode: 0o600 });
    return { workspace, agentDirectory, extension, close };
  } catch (error) {
    await close();
    throw error;
  }
};
