import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { EDITABLE_FILES, type EditableFile } from '../../shared/api/names.ts';
import type { PromptMatch, PromptMatches } from '../../shared/api/search.ts';
import { AppError, isNotFound, systemCode } from '../platform/app-error.ts';
import type { Reader } from '../platform/caller.ts';
import { fingerprintOf, mayKeepRead } from '../platform/fingerprint.ts';
import { agentIdOf, createDirectoryLister, lstatIfThere } from '../platform/list-directory.ts';
import { rootUnavailable } from '../platform/root.ts';
import { createTurns, type Turn } from '../platform/thread.ts';
import { type FilesPlace, readAgentFile, readableOf } from '../root-model/agent-file.ts';

/** A search request. */
export interface PromptSearch {
  readonly text: string;
  /** The most files in the response. */
  readonly limit: number;
  readonly reader: Reader;
}

/** The limit for cached text, in UTF-16 code units. */
const CACHE_SIZE = 48 * 1024 * 1024;
const SHOWN_LENGTH = 160;
/** How much of a long line is shown before a match. */
const SHOWN_BEFORE = 40;
const MAX_PROBLEMS = 20;

type Problem = PromptMatches['unreadable'][number];

const problemOf = (error: unknown): string => {
  if (error instanceof AppError) return error.text;
  if (systemCode(error) === 'EACCES' || systemCode(error) === 'EPERM')
    return 'dot-mi doesn’t have permission to read it. Change its permissions.';
  return 'It can’t be read.';
};

/** Returns a pattern that matches some text, where any whitespace within a line matches any other. */
const patternOf = (text: string): RegExp =>
  new RegExp(
    text
      .split(/\s+/)
      .map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
      .join('[^\\S\\r\\n]+'),
    'iu',
  );

/** How much text is searched at once, in UTF-16 code units. A pattern of many words can take microseconds for each. */
const WINDOW = 16 * 1024;

/** How far a window reaches into the next one, for matches across. */
const OVERLAP = 2 * 1024;

const firstMatch = async (text: string, pattern: RegExp, turn: Turn) => {
  for (let from = 0; from < text.length; from += WINDOW) {
    const found = pattern.exec(text.slice(from, from + WINDOW + OVERLAP));
    if (found) return { index: from + found.index, length: found[0].length };
    await turn();
  }
  return undefined;
};

/** Returns the first match in some text, with its line. */
const matchIn = async (
  text: string,
  pattern: RegExp,
  turn: Turn,
): Promise<Omit<PromptMatch, 'agent' | 'file'> | undefined> => {
  const found = await firstMatch(text, pattern, turn);
  if (!found) return undefined;
  const { index, length } = found;
  const lineStart = text.lastIndexOf('\n', index - 1) + 1;
  const lineEnd = text.indexOf('\n', index);
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < index; at = text.indexOf('\n', at + 1)) line++;
  const from = Math.max(lineStart, index - SHOWN_BEFORE);
  const shown = text.slice(from, Math.min(lineEnd < 0 ? text.length : lineEnd, from + SHOWN_LENGTH));
  // Don't cut a surrogate pair, because that would create invalid text.
  const start = index - from;
  return {
    line,
    text: shown.toWellFormed().trimEnd(),
    start,
    length: Math.min(length, shown.trimEnd().length - start),
  };
};

/**
 * Creates a search of all agents' files, for the disk thread. Reads unchanged files only once. Pauses regularly, so
 * that the thread can handle other requests. Throws `root_unavailable`.
 */
export const createPromptSearch = (place: FilesPlace) => {
  const { root } = place;
  const listDirectory = createDirectoryLister(root.path, root.agents, agentIdOf);
  const texts = new LRUCache<string, { fingerprint: string; text: string }>({
    maxSize: CACHE_SIZE,
    sizeCalculation: ({ text }) => text.length + 256,
  });

  /** Returns a file's text, or undefined if it's missing. */
  const textOf = (agent: string, file: EditableFile, reader: Reader, nowMs: number): string | undefined => {
    const path = join(root.agents, agent, file);
    const stats = lstatIfThere(path);
    if (!stats) return undefined;
    const fingerprint = stats.isFile() ? fingerprintOf(stats) : undefined;
    const known = fingerprint && texts.get(path);
    if (known && known.fingerprint === fingerprint.text) return known.text;
    const snapshot = readAgentFile(place, agent, file, reader);
    // A broken link has no text to search.
    if (!snapshot?.info.exists) return undefined;
    const text = readableOf(snapshot)?.file.content.replace(/^\uFEFF/, '');
    if (text !== undefined && fingerprint && mayKeepRead(fingerprint, nowMs))
      texts.set(path, { fingerprint: fingerprint.text, text });
    return text;
  };

  return async ({ text, limit, reader }: PromptSearch, now: () => number): Promise<PromptMatches> => {
    const place = lstatIfThere(root.agents);
    // SECURITY: agents in a linked directory are outside the root.
    if (place && !place.isDirectory()) throw rootUnavailable();
    const pattern = patternOf(text);
    const matches: PromptMatch[] = [];
    const problems: Problem[] = [];
    let unreadableCount = 0;
    const turn = createTurns();
    const report = (agent: string, file: EditableFile | null, error: unknown): void => {
      unreadableCount++;
      if (problems.length < MAX_PROBLEMS) problems.push({ agent, file, problem: problemOf(error) });
    };
    const searchFile = async (agent: string, file: EditableFile): Promise<void> => {
      try {
        const found = textOf(agent, file, reader, now());
        const match = found === undefined ? undefined : await matchIn(found, pattern, turn);
        if (match) matches.push({ agent, file, ...match });
      } catch (error) {
        // The file was removed since the listing.
        if (!isNotFound(error)) report(agent, file, error);
      }
    };

    for (const agent of listDirectory(now()).entries) {
      await turn();
      let isReadable = true;
      try {
        // The agent was replaced by a link since the listing.
        isReadable = lstatIfThere(join(root.agents, agent))?.isDirectory() ?? false;
        if (isReadable) lstatIfThere(join(root.agents, agent, 'SYSTEM.md'));
      } catch (error) {
        isReadable = false;
        report(agent, null, error);
      }
      if (isReadable) for (const file of EDITABLE_FILES) await searchFile(agent, file);
      if (matches.length > limit) break;
    }
    return {
      matches: matches.slice(0, limit),
      truncated: matches.length > limit,
      unreadable: problems,
      unreadableCount,
    };
  };
};
