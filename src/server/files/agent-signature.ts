import { join } from 'node:path';
import { EDITABLE_FILES, type EditableFile } from '../../shared/api/names.ts';
import { lookAtPlace } from '../platform/agent-place.ts';
import { fromSystemError } from '../platform/app-error.ts';
import { fingerprintOf } from '../platform/fingerprint.ts';
import { lstatIfThere } from '../platform/list-directory.ts';
import type { Root } from '../platform/root.ts';

/** The state of an agent's editable files, without their contents. */
export interface AgentSignature {
  /** Stays equal until one of these changes: the root, `agents`, the agent's directory, one of its files. */
  text: string;
  /** The same for each file alone: what {@link takeFileSignature} returns. */
  files: Readonly<Record<EditableFile, string>>;
  /** When the latest of them changed, in milliseconds since 1970. */
  changedAtMs: number;
  /** The device of all directories. Undefined if there are several. */
  device: bigint | undefined;
}

const unlessRefused = <T>(look: () => T): T | undefined => {
  try {
    return look();
  } catch (error) {
    if (fromSystemError(error)) return undefined;
    throw error;
  }
};

/** The fingerprint of a file, `-` if it is missing, or undefined if it is a link. */
const lookAtFile = (root: Root, id: string, name: EditableFile) => {
  const stats = lstatIfThere(join(root.agent(id), name));
  if (stats?.isSymbolicLink()) return undefined;
  return stats ? fingerprintOf(stats) : { text: '-', changedAtMs: 0 };
};

/**
 * Takes the signature of an agent: blocking, in 20 µs.
 *
 * Returns undefined if a signature can't cover everything: there is no such agent, a file is a link (its
 * target can change alone), or the system denies access. The caller then reads the files and reports the
 * problem.
 */
export const takeSignature = (root: Root, id: string): AgentSignature | undefined =>
  unlessRefused(() => {
    const place = lookAtPlace(root, id);
    if (!place) return undefined;
    const agent = fingerprintOf(place.agent);
    const files: Partial<Record<EditableFile, string>> = {};
    let text = `${place.text} ${agent.text}`;
    let { changedAtMs } = agent;
    for (const name of EDITABLE_FILES) {
      const file = lookAtFile(root, id, name);
      if (!file) return undefined;
      files[name] = `${place.text} ${file.text}`;
      text += ` ${file.text}`;
      changedAtMs = Math.max(changedAtMs, file.changedAtMs);
    }
    return {
      text,
      files: files as Record<EditableFile, string>,
      changedAtMs,
      device: place.device,
    };
  });

/** Takes the signature of one file of an agent: blocking, in 10 µs. Undefined as for {@link takeSignature}. */
export const takeFileSignature = (root: Root, id: string, name: EditableFile): string | undefined =>
  unlessRefused(() => {
    const place = lookAtPlace(root, id);
    const file = place && lookAtFile(root, id, name);
    return file && `${place.text} ${file.text}`;
  });
