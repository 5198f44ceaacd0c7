import { realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { SETTINGS_FILE } from '../../pi/agent-model.ts';
import { NEWEST_PI } from '../../pi/flags.ts';
import { interpretationLimit, sessionDirIn } from '../../pi/interpret.ts';
import { parsePiArguments } from '../../pi/pi-args.ts';
import { MAX_FILE_BYTES } from '../../shared/api/names.ts';
import { isNotFound, systemCode } from '../platform/app-error.ts';
import { expandHome } from '../platform/home.ts';
import { lstatIfThere } from '../platform/list-directory.ts';
import { listInside } from '../platform/open-inside.ts';
import { plainText, readRegularSync } from '../platform/regular-file.ts';
import { placeInside } from '../platform/resolves-outside.ts';
import { isInside, type Root } from '../platform/root.ts';

/** How many directories of a workspace can be above its `sessions`. */
const MAX_DEPTH_IN_WORKSPACE = 1;

/** Returns the agent's directory in which pi stores sessions, unless a setting names another. */
export const ownSessions = (agentDirectory: string): string => join(agentDirectory, 'sessions');

/** A directory outside the agent's own that one of its files names for sessions. */
export interface NamedSessions {
  /** Absolute. It may be missing, or outside the root. */
  readonly path: string;
  /** True if it's a relative path. pi resolves it in each run's directory, which dot-mi doesn't know here. */
  readonly isRelative: boolean;
}

/** What one of an agent's files says about its sessions. */
export interface SessionSetting {
  /** The name of the file. */
  readonly file: string;
  /** The setting or argument in it. */
  readonly by: 'sessionDir' | '--session-dir';
  readonly named: NamedSessions | undefined;
  /** True if the file may name a directory, but dot-mi can't read it. */
  readonly isUnknown: boolean;
  /** True if the file is a link. */
  readonly isLinked: boolean;
}

/** Returns whether dot-mi finds the sessions in a directory of each run's workspace, because it's in one called `sessions`. */
const isInWorkspace = (agentDirectory: string, relativePath: string): boolean => {
  const at = relativePath.split(/[\\/]/).filter((name) => name !== '.' && name !== '');
  const isFound =
    !at.includes('..') && at.indexOf('sessions') >= 0 && at.indexOf('sessions') <= MAX_DEPTH_IN_WORKSPACE;
  return isFound && lstatIfThere(join(agentDirectory, 'workspace.conf')) !== undefined;
};

const toNamed = (
  named: string | undefined,
  agentDirectory: string,
  homeDirectory: string,
): NamedSessions | undefined => {
  // pi treats an empty name as missing.
  if (!named) return undefined;
  const expanded = expandHome(named, homeDirectory);
  const path = resolve(agentDirectory, expanded);
  const isRelative = !isAbsolute(expanded);
  if (!isRelative && isInside(ownSessions(agentDirectory), path)) return undefined;
  if (isRelative && isInWorkspace(agentDirectory, expanded)) return undefined;
  return { path, isRelative };
};

/** A small text file of an agent. */
interface AgentText {
  /** Undefined if the file is missing, or dot-mi can't read it. */
  readonly text: string | undefined;
  /** True if it may exist, but dot-mi can't read it. */
  readonly isUnknown: boolean;
  /** True if it's a link. */
  readonly isLinked: boolean;
}

/**
 * Reads a small file in an agent's directory. It can link to another file in the root, if `mayEnd` allows its place.
 * Blocks.
 */
export const readAgentText = (
  root: Pick<Root, 'path'>,
  path: string,
  mayEnd: (place: string, realRoot: string) => boolean = () => true,
): AgentText => {
  let isLinked = false;
  try {
    const realRoot = realpathSync.native(root.path);
    const read = (place: string): AgentText => {
      const found = readRegularSync(place, { inside: [realRoot], maxBytes: MAX_FILE_BYTES });
      const read = 'bytes' in found ? plainText(found.bytes) : found;
      if (!('text' in read) || interpretationLimit(basename(path), read.text) !== undefined)
        return { text: undefined, isUnknown: true, isLinked };
      return { text: read.text, isUnknown: false, isLinked };
    };
    try {
      return read(path);
    } catch (error) {
      // Opening refuses a link.
      isLinked = isNotFound(error) && (lstatIfThere(path)?.isSymbolicLink() ?? false);
      if (!isLinked) throw error;
    }
    const place = placeInside(path, [realRoot]);
    const isAllowed = place !== undefined && mayEnd(place, realRoot);
    return isAllowed ? read(place) : { text: undefined, isUnknown: true, isLinked };
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return { text: undefined, isUnknown: !isNotFound(error), isLinked };
  }
};

const settingIn = (
  root: Pick<Root, 'path'>,
  path: string,
  by: SessionSetting['by'],
  namedIn: (text: string) => NamedSessions | undefined,
): SessionSetting => {
  const { text, ...read } = readAgentText(root, path);
  return { file: basename(path), by, named: text === undefined ? undefined : namedIn(text), ...read };
};

/** Reads what an agent's settings.json and pi-args say about its sessions. Blocks. */
export const readSessionSettings = (
  root: Pick<Root, 'path'>,
  agentDirectory: string,
  homeDirectory: string,
): readonly SessionSetting[] => {
  const named = (path: string | undefined) => toNamed(path, agentDirectory, homeDirectory);
  return [
    settingIn(root, join(agentDirectory, SETTINGS_FILE), 'sessionDir', (text) => named(sessionDirIn(text))),
    settingIn(root, join(agentDirectory, 'pi-args'), '--session-dir', (text) =>
      named(parsePiArguments(text, NEWEST_PI).sessionDirectory),
    ),
  ];
};

/** SECURITY: resolving the links of one agent must not hold up others. Sessions behind further links are counted, but not watched. */
const MOST_LINKS = 200;

/** Returns the directories that have what an agent's session directory links to. Blocks. */
const linkedSessions = (root: Pick<Root, 'path'>, agentDirectory: string): string[] => {
  const realRoot = realpathSync.native(root.path);
  const own = ownSessions(agentDirectory);
  const isLink = lstatIfThere(own)?.isSymbolicLink() ?? false;
  const top = isLink ? placeInside(own, [realRoot]) : own;
  if (top === undefined || !lstatIfThere(top)?.isDirectory()) return [];
  const ends = listInside([realRoot], top)
    .filter((entry) => entry.isSymbolicLink())
    .slice(0, MOST_LINKS)
    .flatMap(({ name }) => placeInside(join(top, name), [realRoot]) ?? [])
    .map((end) => (lstatIfThere(end)?.isDirectory() ? end : dirname(end)));
  return [...new Set([...(isLink ? [top] : []), ...ends])];
};

/** Returns the session directories outside an agent's own that its files name, or where its links end. Blocks. */
export const sessionsElsewhere = (
  root: Pick<Root, 'path'>,
  agentDirectory: string,
  homeDirectory: string,
): string[] => {
  const named = readSessionSettings(root, agentDirectory, homeDirectory).flatMap(
    (setting) => setting.named?.path ?? [],
  );
  try {
    return [...named, ...linkedSessions(root, agentDirectory)];
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return named;
  }
};

/**
 * Returns whether dot-mi can read a session directory in an agent's settings: it's inside the root, even after
 * following links. SECURITY: agents write their own settings, so the settings must not give access outside the root.
 */
export const mayReadNamed = (root: Pick<Root, 'path'>, path: string): boolean => {
  try {
    return isInside(realpathSync.native(root.path), realpathSync.native(path));
  } catch {
    return false;
  }
};
