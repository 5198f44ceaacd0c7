import { hash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  EDITABLE_FILES,
  FORM_FILES,
  isEntryName,
  LINK_KINDS,
  type LinkKind,
  MAX_FILE_BYTES,
  SHARED_WITH_HISTORY,
  type WrittenFile,
} from '../../shared/api/names.ts';
import { requireAgentSync } from '../platform/agent-directory.ts';
import { AppError, isNotFound, systemCode, unlessRefused } from '../platform/app-error.ts';
import type { SeenPath, SeenState } from '../platform/changes.ts';
import { fingerprintOf, mayKeepRead } from '../platform/fingerprint.ts';
import { agentIdOf, lstatIfThere } from '../platform/list-directory.ts';
import { type InsideDirectory, listInside, withDirectoryInside } from '../platform/open-inside.ts';
import { plainText, readRegularSync } from '../platform/regular-file.ts';
import { requireAgentsFolder } from '../platform/root.ts';
import { type FilesPlace, readAgentFile } from './agent-file.ts';

/** What change sets can change in an agent or a shared entry, as it is on disk. */
export interface Seen {
  /** Equal while nothing changes. Empty if it's too new to tell. */
  readonly print: string;
  /** When something in it was last changed, in milliseconds since 1970. */
  readonly changedAtMs: number;
  readonly paths: readonly SeenPath[];
  /** Paths that can't be read, or have too much in them. So nothing there is known to be gone. */
  readonly unknown: readonly string[];
}

/** An agent or a shared entry, as its path relative to the root: `agents/scout`, or `shared/skills/pdf-tools`. */
type Subject = string;

/** A request to the disk thread for all that is followed, for what may have changed, or for each {@link SeenAnswer}. */
export type SeenQuestion =
  | { readonly seenIn: 'root' | 'shared' }
  | { readonly seenChanges: readonly (readonly [subject: Subject, print: string])[] }
  | { readonly seen: readonly Subject[] };

const FILES: readonly WrittenFile[] = [...EDITABLE_FILES, ...FORM_FILES];

/** A directory with more entries isn't followed, so that a hostile one takes neither time nor memory. */
const MOST_ENTRIES = 2_000;
/** A shared entry with more files and directories, or more text, isn't followed. */
const MOST_NAMES = 500;
const MOST_BYTES = 2 * MAX_FILE_BYTES;
/** How deep a change set changes files of a shared entry. */
const MOST_DEPTH = 7;

/** Something in a subject that exists. `name` is its path in the subject, and empty for the subject itself. */
interface Look {
  readonly name: string;
  readonly print: string;
  readonly changedAtMs: number;
  /** Undefined if the system denies access. */
  readonly stats?: BigIntStats;
}

const lookAt = (place: string, name: string): Look | undefined => {
  try {
    const stats = lstatIfThere(join(place, name));
    if (!stats) return undefined;
    const { text, changedAtMs } = fingerprintOf(stats);
    return { name, print: text, changedAtMs, stats };
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    return { name, print: code, changedAtMs: 0 };
  }
};

/** Looks at those of these names that exist, without reading them. */
const lookAtAll = (place: string, names: readonly string[]): Look[] =>
  names.flatMap((name) => lookAt(place, name) ?? []);

const newest = (looks: readonly Look[]): number =>
  Math.max(0, ...looks.map(({ changedAtMs }) => changedAtMs));

/** No path has this in it. */
const BETWEEN = '//';

/** What doesn't exist isn't in it: if it appears, the directory around it changes. */
const printOf = (looks: readonly Look[], nowMs: number): string =>
  mayKeepRead({ changedAtMs: newest(looks) }, nowMs)
    ? [hash('sha1', looks.map(({ print }) => print).join(' ')), ...looks.map(({ name }) => name)].join(
        BETWEEN,
      )
    : '';

const otherState = ({ stats, print }: Look): SeenState => ({
  is: 'other',
  print: stats ? `${stats.size}:${stats.mtimeNs}` : print,
});

/** Returns the state of one of the agent's files. Undefined if it's missing. */
const seeFile = (place: FilesPlace, id: string, look: Look): SeenState | undefined => {
  // A change set refuses a link, so its target is nobody's version of this file.
  if (!look.stats?.isFile()) return otherState(look);
  try {
    const found = readAgentFile(place, id, look.name as WrittenFile, undefined);
    if (found?.kind === 'missing') return undefined;
    return found?.kind === 'text'
      ? { is: 'file', text: found.file.content, mode: Number(look.stats.mode) & 0o777 }
      : otherState(look);
  } catch (error) {
    // A file that is being replaced is read again. One that can't be read doesn't hide the others.
    if (isNotFound(error) || systemCode(error) === 'ESTALE' || systemCode(error) === undefined) throw error;
    return otherState(look);
  }
};

/** Returns the names in a directory. Undefined if they're more than `most`. */
const namesIn = ({ names }: InsideDirectory, most: number): string[] | undefined => {
  const found: string[] = [];
  for (const name of names()) {
    if (found.length === most) return undefined;
    found.push(name);
  }
  return found;
};

/**
 * Returns the links in one of the agent's folders. Undefined if they're too many, or can't be read. SECURITY: the open
 * folder, so that swapping it for a link reveals nothing about another directory.
 */
const seeLinks = (agent: string, kind: LinkKind): [name: string, state: SeenState][] | undefined =>
  unlessRefused(() =>
    withDirectoryInside([agent], join(agent, kind), (directory) => {
      if (!namesIn(directory, MOST_ENTRIES)) return undefined;
      return directory
        .list()
        .filter((entry) => entry.isSymbolicLink() && isEntryName(entry.name))
        .flatMap(({ name }): [string, SeenState][] => {
          const text = unlessRefused(() => directory.linkText(name));
          return text === undefined ? [] : [[name, { is: 'link', text }]];
        });
    }),
  );

const seeAgent = (place: FilesPlace, id: string, nowMs: number): Seen => {
  const agent = join(requireAgentSync(place.root, id), 'agents', id);
  // Before it's read, so that a change in between is found by the next look.
  const looks = lookAtAll(agent, ['', ...FILES, ...LINK_KINDS]);
  const paths: SeenPath[] = [];
  const unknown: string[] = [];
  for (const look of looks) {
    const path = `agents/${id}/${look.name}`;
    const kind = LINK_KINDS.find((name) => name === look.name);
    if (look.name === '') continue;
    if (!look.stats) unknown.push(path);
    else if (kind === undefined) {
      const state = seeFile(place, id, look);
      if (state) paths.push({ path, state });
    } else if (look.stats.isDirectory()) {
      const links = seeLinks(agent, kind);
      for (const [name, state] of links ?? []) paths.push({ path: `${path}/${name}`, state });
      if (!links) unknown.push(path);
    }
  }
  return { print: printOf(looks, nowMs), changedAtMs: newest(looks), paths, unknown };
};

/** Installed by a package manager, so nobody edits it. */
const isLeftOut = (name: string): boolean => !isEntryName(name) || name === 'node_modules';

/** Returns the names of all that is in a shared entry, and its own, which is empty. Undefined if they're too many. */
const namesBelow = (entry: string): string[] | undefined => {
  const found = [''];
  for (const name of found) {
    const place = join(entry, name);
    const depth = name === '' ? 0 : name.split('/').length;
    if (depth === MOST_DEPTH || !lstatIfThere(place)?.isDirectory()) continue;
    // SECURITY: exactly this directory, which can be swapped for a link by now.
    const own = withDirectoryInside([place], place, (directory) => namesIn(directory, MOST_NAMES));
    if (!own || found.length + own.length > MOST_NAMES) return undefined;
    for (const each of own.sort()) if (!isLeftOut(each)) found.push(name === '' ? each : `${name}/${each}`);
  }
  return found;
};

/** Returns the state of a shared file. SECURITY: its path has no link. */
const seeText = (top: string, path: string, look: Look): SeenState => {
  const read = readRegularSync(path, { inside: [top], isExact: true, maxBytes: MAX_FILE_BYTES });
  const decoded = 'bytes' in read ? plainText(read.bytes) : undefined;
  return decoded && 'text' in decoded
    ? { is: 'file', text: decoded.text, mode: Number(look.stats?.mode) & 0o777 }
    : otherState(look);
};

const seeShared = ({ root }: FilesPlace, subject: Subject, nowMs: number): Seen | null => {
  const top = realpathSync.native(root.path);
  const folder = join(top, dirname(subject));
  if (lstatIfThere(folder) && realpathSync.native(folder) !== folder)
    throw new AppError('outside_root', `${dirname(subject)} is a symlink, so dot-mi doesn’t follow it.`);
  const entry = join(top, subject);
  const names = namesBelow(entry);
  const looks = lookAtAll(entry, names ?? ['']);
  if (looks.length === 0) return null;
  const files = looks.filter(({ stats }) => stats && !stats.isDirectory());
  const bytes = files.reduce((sum, { stats }) => sum + (stats?.isFile() ? Number(stats.size) : 0), 0);
  const isKnown = names !== undefined && bytes <= MOST_BYTES;
  return {
    print: printOf(looks, nowMs),
    changedAtMs: newest(looks),
    paths: isKnown
      ? files.map((look) => {
          const path = look.name === '' ? subject : `${subject}/${look.name}`;
          return {
            path,
            state: look.stats?.isFile() ? seeText(top, join(top, path), look) : otherState(look),
          };
        })
      : [],
    unknown: isKnown ? looks.flatMap(({ name, stats }) => (stats ? [] : [join(subject, name)])) : [subject],
  };
};

/** What became of a look at an agent or a shared entry. Null if it's missing. */
export type SeenAnswer = Seen | 'unread' | null;

const see = (place: FilesPlace, subject: Subject, nowMs: number): SeenAnswer => {
  const [top, id = ''] = subject.split('/');
  try {
    return top === 'agents' ? seeAgent(place, id, nowMs) : seeShared(place, subject, nowMs);
  } catch (error) {
    if (error instanceof AppError && error.code === 'agent_not_found') return null;
    if (!(error instanceof AppError) && systemCode(error) === undefined) throw error;
    // It can be replaced while it's read.
    return isNotFound(error) && !lstatIfThere(join(place.root.path, subject)) ? null : 'unread';
  }
};

/** Returns the names in a shared folder. Empty if they're too many, or if the folder isn't a directory of the root. */
const sharedNames = (folder: string): string[] => {
  const found = unlessRefused(() =>
    withDirectoryInside([folder], folder, (directory) => namesIn(directory, MOST_ENTRIES)),
  );
  return found?.filter((name) => !isLeftOut(name)) ?? [];
};

/** Returns the agents, shared entries and presets of the root, or all but the agents. Throws `root_unavailable`. */
const seenIn = ({ root }: FilesPlace, where: 'root' | 'shared'): Subject[] => {
  requireAgentsFolder(root);
  const top = realpathSync.native(root.path);
  const agents = where === 'root' ? listInside([top], root.agents) : [];
  return [
    ...agents.flatMap((entry) => agentIdOf(entry) ?? []).map((id) => `agents/${id}`),
    ...SHARED_WITH_HISTORY.flatMap((kind) =>
      sharedNames(join(top, 'shared', kind)).map((name) => `shared/${kind}/${name}`),
    ),
  ];
};

/** Answers a {@link SeenQuestion}. Blocks. Throws `root_unavailable`. */
export const answerSeen = (place: FilesPlace, question: SeenQuestion, nowMs: number): unknown => {
  if ('seenIn' in question) return seenIn(place, question.seenIn);
  if ('seen' in question) return question.seen.map((subject) => see(place, subject, nowMs));
  return question.seenChanges.flatMap(([subject, print]) => {
    const [, ...names] = print.split(BETWEEN);
    const now = printOf(lookAtAll(join(place.root.path, subject), names), nowMs);
    return now !== '' && now === print ? [] : [subject];
  });
};
