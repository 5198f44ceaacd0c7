import { realpathSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { SETTINGS_FILE } from '../../shared/pi/agent-model.ts';
import { parseShallowJson } from '../../shared/shallow-json.ts';
import { expandHome } from '../platform/home.ts';
import { readRegularSync } from '../platform/regular-file.ts';
import { isInside, type Root } from '../platform/root.ts';

/** A larger settings.json isn't one. */
const MAX_SETTINGS_BYTES = 256 * 1024;

const settingOf = (root: Pick<Root, 'path'>, directory: string): string | undefined => {
  const path = join(directory, SETTINGS_FILE);
  try {
    const inside = [realpathSync.native(root.path)];
    const read = readRegularSync(path, { inside, maxBytes: MAX_SETTINGS_BYTES });
    if ('problem' in read) return undefined;
    const settings: unknown = parseShallowJson(read.bytes.toString('utf8'));
    if (typeof settings !== 'object' || settings === null || !('sessionDir' in settings)) return undefined;
    return typeof settings.sessionDir === 'string' ? settings.sessionDir : undefined;
  } catch {
    // The checks of the agent report it.
    return undefined;
  }
};

/** The directory of an agent in which pi keeps its sessions unless a setting names another. */
export const ownSessions = (agentDirectory: string): string => join(agentDirectory, 'sessions');

/** A directory outside its own sessions that an agent's settings.json names for them. */
export interface NamedSessions {
  /** Absolute. It may be missing, or outside the root. */
  readonly path: string;
  /** Whether it is named relative to a directory. pi takes the one of each run, which isn't known here. */
  readonly isRelative: boolean;
}

/** The {@link NamedSessions} of an agent. Undefined if none is named, or the file can't be read. Blocks. */
export const namedSessions = (
  root: Pick<Root, 'path'>,
  agentDirectory: string,
  homeDirectory: string,
): NamedSessions | undefined => {
  const named = settingOf(root, agentDirectory);
  // pi takes an empty one as none.
  if (!named) return undefined;
  const expanded = expandHome(named, homeDirectory);
  const path = resolve(agentDirectory, expanded);
  if (isInside(ownSessions(agentDirectory), path)) return undefined;
  return { path, isRelative: !isAbsolute(expanded) };
};

/**
 * Whether dot-mi may read a directory that an agent's settings name: it is inside the root, also after links were followed.
 * SECURITY: an agent writes its own settings, so they open nothing outside.
 */
export const mayReadNamed = (root: Pick<Root, 'path'>, path: string): boolean => {
  try {
    return isInside(realpathSync.native(root.path), realpathSync.native(path));
  } catch {
    return false;
  }
};
