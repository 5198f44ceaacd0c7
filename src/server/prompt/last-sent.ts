import { closeSync, lstatSync, readSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { NamedSessionDirectories } from '../../pi/interpret.ts';
import { isJsonObject } from '../../shared/json-object.ts';
import { parseShallowJson } from '../../shared/shallow-json.ts';
import { unlessRefused } from '../platform/app-error.ts';
import { listInside, openInsideSync } from '../platform/open-inside.ts';
import { isInside, type Root } from '../platform/root.ts';

/** The prompt that a session file recorded. */
export interface RecordedPrompt {
  /** The time of the newest change, in milliseconds since 1970. */
  readonly at: number;
  /** The session file's path, without links. */
  readonly path: string;
  readonly cwd: string | undefined;
  /** The sections by name, in pi's order, with their tags. */
  readonly sections: ReadonlyMap<string, string>;
  readonly tools: readonly string[];
  /** True if the rest of a long file wasn't read. */
  readonly partial: boolean;
}

interface SessionFile {
  readonly path: string;
  /** The resolved directories that the file can be in. */
  readonly inside: readonly string[];
  readonly size: number;
  readonly modifiedAt: number;
}

/** How much of a session file is read. A prompt is among its first lines, and later changes are rare. */
const READ_BYTES = 16 * 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;
/** How many session files are scanned. Those from pi before 0.87 have no prompt. */
const MAX_FILES_READ = 10;
const MAX_PATHS_LISTED = 10_000;
/** How deep directories chosen by the operator are searched. pi creates a subdirectory for each working directory. */
const OTHER_DEPTH = 3;
const NEWLINE = 10;
const SYSTEM_ROLE = Buffer.from('"role":"system"');

const namesIn = (inside: readonly string[], directory: string): string[] => {
  try {
    return listInside(inside, directory).map(({ name }) => name);
  } catch {
    return [];
  }
};

/** Returns a directory's real path, or undefined if it doesn't exist yet. */
const realPathIfThere = (path: string): string | undefined => {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
};

/**
 * Returns an agent's newest session files, newest first: in `sessions`, in its workspaces, in directories it names
 * inside the root, and in `others`, which the operator chose. Doesn't follow links.
 */
export const sessionFiles = (
  root: Root,
  id: string,
  named: NamedSessionDirectories,
  others: readonly string[] = [],
): SessionFile[] => {
  const files = new Map<string, SessionFile>();
  let left = MAX_PATHS_LISTED;
  const realRoot = realpathSync.native(root.path);
  const chosen = others.map(realPathIfThere).filter((path) => path !== undefined);
  const inside = [realRoot, ...chosen];
  const look = (path: string, depth: number): void => {
    if (--left < 0) return;
    try {
      const stats = lstatSync(path);
      if (stats.isDirectory() && depth > 0)
        for (const name of namesIn(inside, path)) look(join(path, name), depth - 1);
      else if (stats.isFile() && path.endsWith('.jsonl'))
        files.set(path, { path, inside, size: stats.size, modifiedAt: stats.mtimeMs });
    } catch {
      // The entry was removed after the listing.
    }
  };
  const agent = join(realRoot, 'agents', id);
  look(join(agent, 'sessions'), 2);
  const workspaces = join(realRoot, 'workspaces', id);
  const runs = namesIn(inside, workspaces).map((name) => join(workspaces, name));
  for (const run of runs) look(join(run, 'sessions'), 1);
  // SECURITY: an agent can write pi-args and settings.json itself.
  const lookInRoot = (path: string, depth: number) => {
    const realPath = realPathIfThere(path);
    if (realPath !== undefined && isInside(realRoot, realPath)) look(path, depth);
  };
  const { inArgs, inSettings } = named;
  if (inSettings !== undefined) lookInRoot(resolve(agent, inSettings), 2);
  if (inArgs !== undefined) for (const run of [realRoot, ...runs]) lookInRoot(resolve(run, inArgs), 1);
  for (const directory of chosen) look(directory, OTHER_DEPTH);
  const isAllowed = (path: string) => {
    const realPath = realPathIfThere(path);
    return realPath !== undefined && inside.some((directory) => isInside(directory, realPath));
  };
  return (
    [...files.values()]
      .sort((a, b) => b.modifiedAt - a.modifiedAt)
      .slice(0, MAX_FILES_READ)
      // SECURITY: a linked parent directory could be anywhere.
      .filter(({ path }) => isAllowed(path))
  );
};

const parseLine = (line: Buffer): Record<string, unknown> | undefined => {
  try {
    const entry = parseShallowJson(line.toString('utf8'));
    return isJsonObject(entry) ? entry : undefined;
  } catch {
    return undefined;
  }
};

/** Collects a session's prompt from its lines. */
const createRecord = () => {
  const sections = new Map<string, string>();
  const tools = new Set<string>();
  let cwd: string | undefined;
  let at: number | undefined;

  const takeSystem = (message: Record<string, unknown>, timestamp: unknown): void => {
    if (isJsonObject(message.sections))
      for (const [name, text] of Object.entries(message.sections)) {
        if (typeof text === 'string') sections.set(name, text);
        else sections.delete(name);
      }
    const names = (list: unknown): string[] =>
      (Array.isArray(list) ? list : []).flatMap((tool) => {
        const name: unknown = isJsonObject(tool) ? tool.name : tool;
        return typeof name === 'string' ? [name] : [];
      });
    for (const name of names(message.toolsRemoved)) tools.delete(name);
    for (const name of names(message.toolsAdded)) tools.add(name);
    const time = Date.parse(String(timestamp));
    if (!Number.isNaN(time)) at = time;
  };

  return {
    take(line: Buffer, isFirst: boolean): void {
      if (!isFirst && !line.includes(SYSTEM_ROLE)) return;
      const entry = parseLine(line);
      if (entry?.type === 'session' && typeof entry.cwd === 'string') cwd = entry.cwd;
      const message = entry?.message;
      if (isJsonObject(message) && message.role === 'system') takeSystem(message, entry?.timestamp);
    },
    cwd: () => cwd,
    prompt: () =>
      sections.size === 0 || at === undefined ? undefined : { at, cwd, sections, tools: [...tools] },
  };
};

/** Passes the lines at the start of a file to `take` until it returns false. */
const readLines = (
  { path, inside }: SessionFile,
  take: (line: Buffer, isFirst: boolean) => boolean,
  limit = READ_BYTES,
): void => {
  const file = openInsideSync(inside, path);
  try {
    let rest = Buffer.alloc(0);
    let isFirst = true;
    for (let position = 0; position < limit; ) {
      const buffer = Buffer.alloc(CHUNK_BYTES);
      const bytesRead = readSync(file, buffer, 0, CHUNK_BYTES, position);
      position += bytesRead;
      let chunk = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE)) {
        if (!take(chunk.subarray(0, end), isFirst)) return;
        isFirst = false;
        chunk = chunk.subarray(end + 1);
      }
      rest = chunk;
      if (bytesRead === 0) {
        if (rest.length > 0) take(rest, isFirst);
        return;
      }
    }
  } finally {
    closeSync(file);
  }
};

/** Creates a reader of an agent's last recorded prompt. An unchanged file isn't read again. */
export const createLastSentReader = () => {
  const known = new Map<string, { stamp: string; prompt: RecordedPrompt | undefined }>();

  const readPrompt = (file: SessionFile) => {
    const { path, size, modifiedAt } = file;
    const stamp = `${size}:${modifiedAt}`;
    const before = known.get(path);
    if (before?.stamp === stamp) return before.prompt;
    const record = createRecord();
    readLines(file, (line, isFirst) => {
      record.take(line, isFirst);
      return true;
    });
    const recorded = record.prompt();
    const prompt = recorded && { ...recorded, path, partial: size > READ_BYTES };
    if (known.size > 200) known.clear();
    known.set(path, { stamp, prompt });
    return prompt;
  };

  return {
    lastSent(files: readonly SessionFile[]): RecordedPrompt | undefined {
      for (const file of files) {
        // The file may have been deleted or become unreadable. An older one may have a prompt.
        const prompt = unlessRefused(() => readPrompt(file));
        if (prompt) return prompt;
      }
      return undefined;
    },
    /** Returns where the newest sessions ran, without duplicates. */
    directories(files: readonly SessionFile[]): string[] {
      const found = new Set<string>();
      for (const file of files) {
        const record = createRecord();
        const takeFirst = (line: Buffer, isFirst: boolean) => {
          record.take(line, isFirst);
          return false;
        };
        unlessRefused(() => readLines(file, takeFirst, CHUNK_BYTES));
        const cwd = record.cwd();
        if (cwd !== undefined) found.add(cwd);
      }
      return [...found];
    },
  };
};
