import { stat, symlink } from 'node:fs/promises';
import { dirname, isAbsolute, resolve } from 'node:path';
import { AppError, systemCode } from './app-error.ts';

/** The system that creates links. A test passes a Windows that refuses symlinks. */
export interface LinkSystem {
  platform: NodeJS.Platform;
  /** `fs.symlink`. Only Windows uses `type`, and its junctions need an absolute target. */
  symlink(target: string, path: string, type: 'dir' | 'file' | 'junction'): Promise<void>;
}

/** This machine. */
export const hostLinks: LinkSystem = { platform: process.platform, symlink };

/** A link to create. */
export interface NewLink {
  /** The symlink's text. */
  text: string;
  path: string;
  /** What the text points to. `unknown`: the link is broken. */
  target: 'dir' | 'file' | 'unknown';
  /** The link's absolute path after its directory was renamed. Default: `path`. */
  finalPath?: string;
}

/** The error when Windows refuses a link. It allows symlinks only in Developer Mode or for administrators. */
export const symlinksRefused = (cause?: unknown): AppError =>
  new AppError(
    'permission_denied',
    "Windows doesn't allow symlinks yet. Turn on Developer Mode (Settings, System, For developers) and try again.",
    {},
    cause,
  );

/**
 * Creates a symlink. If Windows refuses it, creates a junction to a directory instead, and never a copy.
 * Returns whether it is a junction. A junction stores an absolute target, so it breaks when the root moves.
 *
 * Throws `permission_denied` if Windows allows neither, and the system's errors.
 */
export const createLink = async (
  { text, path, target, finalPath = path }: NewLink,
  system: LinkSystem = hostLinks,
): Promise<{ junction: boolean }> => {
  try {
    await system.symlink(text, path, target === 'dir' ? 'dir' : 'file');
    return { junction: false };
  } catch (error) {
    if (system.platform !== 'win32' || systemCode(error) !== 'EPERM') throw error;
    // A broken link with an absolute target was a junction, because only junctions need no Developer Mode.
    const canBeJunction = target === 'dir' || (target === 'unknown' && isAbsolute(text));
    if (!canBeJunction) throw symlinksRefused(error);
    try {
      await system.symlink(resolve(dirname(finalPath), text), path, 'junction');
    } catch (junctionError) {
      throw systemCode(junctionError) === 'EEXIST' ? junctionError : symlinksRefused(error);
    }
    return { junction: true };
  }
};

/**
 * Whether a link on Windows is a junction. Node reads a symlink with an absolute target to a directory in the
 * same way, and such a link also breaks when the root moves, so it counts as one.
 */
export const isJunction = async (
  path: string,
  text: string,
  { platform }: LinkSystem = hostLinks,
): Promise<boolean> => {
  if (platform !== 'win32' || !isAbsolute(text)) return false;
  const stats = await stat(path).catch(() => undefined);
  return stats === undefined || stats.isDirectory();
};
