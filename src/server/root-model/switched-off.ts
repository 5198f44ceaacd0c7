import { homedir } from 'node:os';
import { join } from 'node:path';
import { type EntryFiles, type IsOff, isEntryOff, type Switches } from '../../pi/switched-off.ts';
import { type LinkKind, MAX_FILE_BYTES } from '../../shared/api/names.ts';
import { unlessRefused } from '../platform/app-error.ts';
import { statIfThere } from '../platform/list-directory.ts';
import { readRegularSync } from '../platform/regular-file.ts';
import { placeInside } from '../platform/resolves-outside.ts';
import type { Root } from '../platform/root.ts';
import { insideOfRoot } from '../platform/shared-folder.ts';
import { coverTarget, type ScanContext } from './coverage.ts';

/** Returns access to the files of an agent's entries. Blocks. */
const filesOf = (root: Root, agentPath: string, at?: ScanContext): EntryFiles => {
  const inside = insideOfRoot(root).directories;
  const placeOf = (file: string): string | undefined => {
    const path = join(agentPath, file);
    if (at) coverTarget(path, at);
    return placeInside(path, inside);
  };
  return {
    // SECURITY: outside files count as existing, so that no response reveals whether they do.
    isThere(file) {
      const place = placeOf(file);
      return place === undefined || unlessRefused(() => statIfThere(place)) !== undefined;
    },
    readText(file) {
      const place = placeOf(file);
      if (place === undefined) return undefined;
      const read = unlessRefused(() => readRegularSync(place, { inside, maxBytes: MAX_FILE_BYTES }));
      return read && 'bytes' in read ? read.bytes.toString('utf8') : undefined;
    },
  };
};

/** Returns one kind's rules in an agent's settings.json. */
export const rulesOf = (switches: Switches, kind: LinkKind, agentPath: string): IsOff | undefined =>
  switches[kind]?.(agentPath, homedir());

/** Returns whether rules switch off an agent's entry, after scanning its files. Blocks. */
export const isSwitchedOff = (
  root: Root,
  rules: IsOff,
  agentPath: string,
  kind: LinkKind,
  name: string,
  at?: ScanContext,
): boolean => isEntryOff(rules, kind, name, filesOf(root, agentPath, at));
