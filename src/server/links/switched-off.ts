import { homedir } from 'node:os';
import { join } from 'node:path';
import { SETTINGS_FILE } from '../../pi/agent-model.ts';
import {
  type EntryFiles,
  type IsOff,
  isEntryOff,
  readSwitches,
  type Switches,
} from '../../pi/switched-off.ts';
import { byKind, type LinkKind, MAX_FILE_BYTES } from '../../shared/api/names.ts';
import type { ScanContext, WatchCoverage } from '../disk/coverage.ts';
import { coverTarget } from '../disk/coverage.ts';
import { isNotFound, systemCode, unlessRefused } from '../platform/app-error.ts';
import { fingerprintOf, mayKeepRead } from '../platform/fingerprint.ts';
import { lstatIfThere, statIfThere } from '../platform/list-directory.ts';
import { readRegularSync } from '../platform/regular-file.ts';
import { placeInside } from '../platform/resolves-outside.ts';
import type { Root } from '../platform/root.ts';
import { insideOfRoot } from '../platform/shared-folder.ts';
import type { KnownAgent } from './link-folders.ts';

const NOTHING: Switches = byKind(() => undefined);

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

/** Reads which entries an agent's settings.json switches off. Blocks. */
export const readAgentSwitches = (root: Root, agentPath: string): Switches => {
  const switches = readSwitches(filesOf(root, agentPath).readText(SETTINGS_FILE));
  return Object.values(switches).some((rules) => rules !== undefined) ? switches : NOTHING;
};

/** Returns whether rules switch off an agent's entry, after scanning its files. Blocks. */
export const isSwitchedOff = (
  root: Root,
  rules: IsOff,
  agentPath: string,
  kind: LinkKind,
  name: string,
  at?: ScanContext,
): boolean => isEntryOff(rules, kind, name, filesOf(root, agentPath, at));

interface KnownSwitches {
  /** Stays the same object while settings.json is unchanged. */
  readonly switches: Switches;
  /** Undefined if settings.json must be read every time. */
  readonly fingerprint: string | undefined;
  readonly cover: WatchCoverage | undefined;
}

/**
 * Creates a blocking scan of agents' settings.json, for the disk thread. Without a watch, it costs one `lstat` per
 * agent.
 */
export const createSwitchesLook = (root: Root) => {
  let known: ReadonlyMap<string, KnownSwitches> = new Map();

  const lookAt = (path: string, before: KnownSwitches | undefined, at: ScanContext): KnownSwitches => {
    if (before && at.isSame(before.cover)) return before;
    const cover = at.cover(before?.cover, path);
    const stats = lstatIfThere(join(path, SETTINGS_FILE));
    if (!stats) return { switches: NOTHING, fingerprint: undefined, cover };
    const fingerprint = fingerprintOf(stats);
    const isFixed = !stats.isSymbolicLink() && stats.nlink === 1n;
    if (isFixed && before && before.fingerprint === fingerprint.text && before.cover === cover) return before;
    if (!isFixed) at.miss();
    return {
      switches: readAgentSwitches(root, path),
      fingerprint: isFixed && mayKeepRead(fingerprint, at.nowMs) ? fingerprint.text : undefined,
      cover: isFixed ? cover : undefined,
    };
  };

  return (agents: readonly KnownAgent[], at: ScanContext): ReadonlyMap<string, KnownSwitches> => {
    const next = new Map<string, KnownSwitches>();
    for (const { id, path } of agents) {
      try {
        next.set(id, lookAt(path, known.get(id), at));
      } catch (error) {
        at.miss();
        // Ignore an agent that was removed. The list of agents reports other system errors.
        if (!isNotFound(error) && systemCode(error) === undefined) throw error;
      }
    }
    known = next;
    return next;
  };
};
