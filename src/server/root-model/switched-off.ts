import { homedir } from 'node:os';
import { join } from 'node:path';
import { type EntryFiles, type IsOff, isEntryOff, type Switches } from '../../pi/switched-off.ts';
import type { LinkKind } from '../../shared/api/names.ts';
import { unlessRefused } from '../platform/app-error.ts';
import { statIfThere } from '../platform/list-directory.ts';
import { placeInside } from '../platform/resolves-outside.ts';
import type { Root } from '../platform/root.ts';
import { insideOfRoot } from '../platform/shared-folder.ts';
import { coverTarget, type ScanContext } from './coverage.ts';
import { type ReadRecord, readText } from './reader.ts';

const stat = (path: string) => unlessRefused(() => statIfThere(path));

/** A record for a result that isn't kept. */
export const NOT_KEPT: ReadRecord = { stat, neverReuse: () => undefined };

/** Returns a record for a result that is kept only while the watch reports nothing. */
export const watchedOnly = (at: ScanContext): ReadRecord => ({
  stat(path) {
    coverTarget(path, at);
    return stat(path);
  },
  neverReuse: at.miss,
});

/** Returns access to the files of an agent's entries. Blocks. */
const filesOf = (root: Root, agentPath: string, record: ReadRecord): EntryFiles => {
  const inside = insideOfRoot(root);
  return {
    isThere(file) {
      const path = join(agentPath, file);
      const isThere = record.stat(path) !== undefined;
      // SECURITY: outside files count as existing, so that no response reveals whether they do.
      return isThere || placeInside(path, inside.directories) === undefined;
    },
    readText(file) {
      const read = readText(join(agentPath, file), record, inside);
      return 'text' in read ? read.text : undefined;
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
  record: ReadRecord,
): boolean => isEntryOff(rules, kind, name, filesOf(root, agentPath, record));
