import { existsSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import type { PiVersion } from '../../pi/flags.ts';
import { readSessionDirectories } from '../../pi/interpret.ts';
import type { ReadFrontmatter } from '../../pi/skills-seen-by-pi.ts';
import type { AgentPrompt } from '../../shared/api/prompt.ts';
import { workspaceName } from '../../shared/run-command.ts';
import { requireAgentSync } from '../platform/agent-directory.ts';
import { AppError } from '../platform/app-error.ts';
import { ANYONE_READER, type Reader } from '../platform/caller.ts';
import type { InstalledPi } from '../platform/installed-pi.ts';
import { isDirectoryThere } from '../platform/list-directory.ts';
import type { ReadLimits } from '../platform/may-read.ts';
import { createPackageReader } from '../platform/package-contents.ts';
import { createKnownTexts, createPiDisk } from '../platform/pi-disk.ts';
import { resolvedPlace } from '../platform/resolves-outside.ts';
import { isInside, type Root } from '../platform/root.ts';
import { buildAgentPrompt, type PredictedPrompt } from './build-agent-prompt.ts';
import { createTokenCounter } from './count-tokens.ts';
import { createLastSentReader, type RecordedPrompt, sessionFiles } from './last-sent.ts';

/** A request to the prompt thread. */
export interface PromptQuestion {
  readonly id: string;
  /** The working directory, as an absolute path. Undefined for a new workspace, or the root. */
  readonly cwd: string | undefined;
  readonly version: PiVersion;
  readonly trusted: boolean | undefined;
  /** Who asks, which determines what the response shows. */
  readonly reader: Reader;
  /** The pi on the search path, if any. */
  readonly pi: InstalledPi | undefined;
  readonly nowMs: number;
}

/** The prompt thread's startup data. */
export interface PromptThreadData {
  readonly rootPath: string;
  readonly homeDirectory: string;
  /** The directories outside their own where agents store sessions, as chosen by the operator. */
  readonly sessionDirectories: readonly { readonly agent: string; readonly path: string }[];
  /** The directories of dot-mi's own data, which no prompt shows. */
  readonly ownData: readonly string[];
}

/**
 * Returns whether a path is a directory that dot-mi can see. Sessions contain the directories they ran in, which can
 * be any text.
 */
const isVisibleDirectory = (path: string): boolean => {
  try {
    return isDirectoryThere(path);
  } catch {
    return false;
  }
};

const isOperator = ({ reader }: Pick<PromptQuestion, 'reader'>): boolean => reader.kind === 'operator';

/** Creates the function that handles requests for prompts, for the prompt thread. */
export const createPromptResponses = (
  root: Root,
  { homeDirectory, sessionDirectories, ownData }: PromptThreadData,
  readFrontmatter: ReadFrontmatter,
) => {
  const limitsOf = (realRoot: string): ReadLimits => ({
    root: realRoot,
    ownData: ownData.map(resolvedPlace),
  });
  const texts = createKnownTexts();
  const countTokens = createTokenCounter();
  const sessions = createLastSentReader();

  const defaultDirectory = ({ id, nowMs }: PromptQuestion, realRoot: string): string =>
    existsSync(join(realRoot, 'agents', id, 'workspace.conf'))
      ? join(realRoot, 'workspaces', id, workspaceName(new Date(nowMs)))
      : realRoot;

  const requireDirectory = (question: PromptQuestion, realRoot: string): string => {
    if (question.cwd === undefined) return defaultDirectory(question, realRoot);
    const cwd = resolvedPlace(resolve(question.cwd));
    // SECURITY: only the operator can see names and contents of files anywhere on this computer.
    if (!isOperator(question) && !isInside(realRoot, cwd))
      throw new AppError(
        'outside_root',
        'cwd is outside the root. Choose a directory in the root, or send the operator token.',
      );
    if (isDirectoryThere(cwd) || isInside(join(realRoot, 'workspaces', question.id), cwd)) return cwd;
    throw new AppError('not_a_directory', 'cwd is not a directory. Choose one that exists.');
  };

  const shownSession = (path: string, realRoot: string): string =>
    isInside(realRoot, path) ? relative(realRoot, path).split(sep).join('/') : path;

  const toLastSent = async (recorded: RecordedPrompt, realRoot: string): Promise<AgentPrompt['lastSent']> => {
    const sections = await Promise.all(
      Array.from(recorded.sections, async ([name, text]) => ({
        name,
        text,
        tokens: await countTokens(text),
      })),
    );
    return {
      at: new Date(recorded.at).toISOString(),
      session: shownSession(recorded.path, realRoot),
      sections,
      ...(recorded.cwd === undefined ? {} : { cwd: recorded.cwd }),
      tools: [...recorded.tools],
      tokens: await countTokens(sections.map(({ text }) => text).join('\n\n')),
      partial: recorded.partial,
    };
  };

  const predict = (question: PromptQuestion, realRoot: string): Promise<PredictedPrompt> => {
    const { id, version, trusted, pi, nowMs } = question;
    return buildAgentPrompt(
      createPiDisk(question.reader, limitsOf(realRoot), texts, nowMs),
      {
        places: { agent: root.agent(id), cwd: requireDirectory(question, realRoot), home: homeDirectory },
        version,
        trusted,
        // SECURITY: only the operator can see where programs are on this computer.
        piDirectory: isOperator(question) ? pi?.directory : undefined,
        nowMs,
      },
      {
        createPackageReader: ({ agent, home }) =>
          createPackageReader({ top: realRoot, agent, home }, version, texts, nowMs),
        readFrontmatter,
        countTokens,
      },
    );
  };

  /**
   * Predicts a prompt and reads the last one sent. Throws `agent_not_found`, `root_unavailable`, `outside_root` and
   * `not_a_directory`.
   */
  return async (question: PromptQuestion): Promise<AgentPrompt> => {
    const realRoot = requireAgentSync(root, question.id);
    const predicted = await predict(question, realRoot);
    const common = { ...predicted, installedPi: question.pi?.version ?? null };
    // SECURITY: what pi sent is part of a session, and the name of its directory says where it ran.
    if (!isOperator(question))
      return { ...common, directories: [...new Set([defaultDirectory(question, realRoot), realRoot])] };
    const inRoot = createPiDisk(ANYONE_READER, limitsOf(realRoot), texts, question.nowMs);
    const named = readSessionDirectories(inRoot, root.agent(question.id), question.version);
    const others = sessionDirectories.filter(({ agent }) => agent === question.id).map(({ path }) => path);
    const files = sessionFiles(root, question.id, named, others);
    const recorded = sessions.lastSent(files);
    const earlier = sessions.directories(files).filter(isVisibleDirectory);
    return {
      ...common,
      ...(recorded ? { lastSent: await toLastSent(recorded, realRoot) } : {}),
      directories: [...new Set([defaultDirectory(question, realRoot), realRoot, ...earlier])],
    };
  };
};
