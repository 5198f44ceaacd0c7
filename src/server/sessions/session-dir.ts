import { realpathSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { SETTINGS_FILE } from '../../pi/agent-model.ts';
import { parseShallowJson } from '../../shared/shallow-json.ts';
import { expandHome } from '../platform/home.ts';
import { readRegularSync } from '../platform/regular-file.ts';
import { isInside, type Root } from '../platform/root.ts';

/** The largest settings.json that is read, in bytes. */
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
    // The agent's checks report an unreadable file.
    return undefined;
  }
};

/** Returns the agent's directory in which pi stores sessions, unless a setting names another. */
export const ownSessions = (agentDirectory: string): string => join(agentDirectory, 'sessions');

/** A directory outside the agent's own that its settings.json names for sessions. */
export interface NamedSessions {
  /** Absolute. It may be missing, or outside the root. */
  readonly path: string;
  /** True if it's a relative path. pi resolves it in each run's directory, which dot-mi doesn't know here. */
  readonly isRelative: boolean;
}

/** Returns an agent's {@link NamedSessions}. Undefined if none is named, or the file can't be read. Blocks. */
export const namedSessions = (
  root: Pick<Root, 'path'>,
  agentDirectory: string,
  homeDirectory: string,
): NamedSessions | undefined => {
  const named = settingOf(root, agentDirectory);
  // pi treats an empty name as missing.
  if (!named) return undefined;
  const expanded = expandHome(named, homeDirectory);
  const path = resolve(agentDirectory, expanded);
  if (isInside(ownSessions(agentDirectory), path)) return undefined;
  return { path, isRelative: !isAbsolute(expanded) };
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
