import { symlinkSync } from 'node:fs';
import { dirname, isAbsolute, resolve } from 'node:path';
import { AppError, systemCode } from './app-error.ts';
import type { DirectoryHandle } from './directory-handle.ts';

/** The system that creates links. A test can pass a Windows that refuses symlinks. */
export interface LinkSystem {
  platform: NodeJS.Platform;
  /** `fs.symlink`. Only Windows uses `type`, and its junctions need an absolute target. */
  symlink(target: string, path: string, type: 'dir' | 'file' | 'junction'): Promise<void>;
}

/** This computer. */
export const hostLinks: LinkSystem = {
  platform: process.platform,
  // Blocks, because Node's thread pool would give an attacker time to swap a directory that has no handle.
  symlink: async (target, path, type) => symlinkSync(target, path, type),
};

/** A link to create. */
export interface NewLink {
  /** The symlink's text. */
  text: string;
  directory: DirectoryHandle;
  /** Its name in the directory. */
  name: string;
  /** The type of the target. `unknown` means the link is broken. */
  target: 'dir' | 'file' | 'unknown';
  /** The link's final absolute path, from which a junction's target is resolved. */
  finalPath: string;
}

/** The error if Windows refuses a link. Windows allows symlinks only in Developer Mode or for administrators. */
export const symlinksRefused = (cause?: unknown): AppError =>
  new AppError(
    'permission_denied',
    'Windows doesn’t let dot-mi create symlinks. Turn on Developer Mode (Settings > System > For developers) and try again.',
    {},
    cause,
  );

/**
 * Creates a symlink. If Windows refuses, creates a junction to a directory instead, but never a copy. Returns whether
 * it's a junction, whose absolute target breaks when the root moves.
 *
 * Throws `permission_denied` if Windows allows neither, and the system's errors.
 */
export const createLink = async (
  { text, directory, name, target, finalPath }: NewLink,
  system: LinkSystem = hostLinks,
): Promise<{ junction: boolean }> => {
  try {
    await directory.at(name, (path) => system.symlink(text, path, target === 'dir' ? 'dir' : 'file'));
    return { junction: false };
  } catch (error) {
    if (system.platform !== 'win32' || systemCode(error) !== 'EPERM') throw error;
    // A broken link with an absolute target was a junction, because only junctions work without Developer Mode.
    const canBeJunction = target === 'dir' || (target === 'unknown' && isAbsolute(text));
    if (!canBeJunction) throw symlinksRefused(error);
    try {
      const absolute = resolve(dirname(finalPath), text);
      await directory.at(name, (path) => system.symlink(absolute, path, 'junction'));
    } catch (junctionError) {
      throw systemCode(junctionError) === 'EEXIST' ? junctionError : symlinksRefused(error);
    }
    return { junction: true };
  }
};
