import { join } from 'node:path';
import type { LinkKind } from '../../../shared/api/names.ts';
import { isEntryName } from '../../../shared/api/names.ts';
import type { ExtensionCalls } from '../../../shared/pi/extension-calls.ts';
import { systemCode } from '../../platform/app-error.ts';
import type { Root } from '../../platform/root.ts';
import type { SettledWatch } from '../../platform/settled-watch.ts';
import { placeOfSharedEntry, requireSharedInside } from '../../platform/shared-folder.ts';
import type { CheckResult } from '../run-rules.ts';
import type { SkillFacts, SkillSnapshot } from '../snapshot.ts';
import { createPathRecord, type PathRecord } from './path-record.ts';
import { readExtensionCalls } from './read-extension.ts';
import { newBudget } from './read-file.ts';
import { readSkill, skillSummary } from './read-skill.ts';

/** A shared skill: what its agents need to know, and its findings. */
interface SharedSkillState {
  readonly facts: SkillFacts | undefined;
  readonly result: CheckResult;
}

/** The shared entries as they were in one moment. Each is the same object while it doesn't change. */
export interface SharedEntries {
  skill(name: string): SharedSkillState | undefined;
  extension(name: string): ExtensionCalls | undefined;
}

/** {@link SharedEntries} that know whether the watch reports every change to those that were asked for. */
export interface SharedLook extends SharedEntries {
  isCovered(): boolean;
}

/** When a look at the disk begins, and what its watch knows. */
export interface LookTime {
  readonly nowMs: number;
  /** Whether the watch has reported every change before the look. */
  readonly isSettled: boolean;
}

interface Known<T> {
  record: PathRecord;
  value: T | undefined;
}

/** Keeps one value for each name, and reads it again after a change. */
const createCache = <T>(
  read: (name: string, record: PathRecord) => T | undefined,
  watch: SettledWatch | undefined,
) => {
  let known = new Map<string, Known<T>>();
  /** Undefined if it was removed or replaced meanwhile. */
  const readIfReachable = (name: string, record: PathRecord): T | undefined => {
    try {
      return read(name, record);
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      record.neverReuse();
      return undefined;
    }
  };
  return {
    look(name: string, { nowMs, isSettled }: LookTime): Known<T> {
      const before = known.get(name);
      if (before?.record.isUnchanged(isSettled)) return before;
      const record = createPathRecord(nowMs, watch);
      const value = readIfReachable(name, record);
      const isSame = before && JSON.stringify(before.value) === JSON.stringify(value);
      const next = { record, value: isSame ? before.value : value };
      known.set(name, next);
      return next;
    },
    /** Forgets the entries that are gone. */
    keep(names: ReadonlySet<string>) {
      known = new Map([...known].filter(([name]) => names.has(name)));
    },
  };
};

/**
 * Creates a reader of the shared entries. `begin` starts a look at the disk: within it, each entry is looked at
 * once, when it is first asked for.
 */
export const createSharedReader = (
  root: Root,
  check: (skill: SkillSnapshot) => CheckResult,
  watch?: SettledWatch,
) => {
  const directoryOf = (kind: LinkKind, name: string) => join(root.shared(kind), name);

  const skills = createCache<SharedSkillState>((name, record) => {
    const directory = directoryOf('skills', name);
    if (!record.stat(directory)?.isDirectory()) return undefined;
    // A shared entry may be a link to a place outside. Its SKILL.md may not lead on.
    const { path, inside } = placeOfSharedEntry(root, 'skills', name);
    const skill = readSkill(name, path, { record, budget: newBudget(), inside });
    return { facts: skillSummary(name, skill.file), result: check(skill) };
  }, watch);

  const extensions = createCache<ExtensionCalls>((name, record) => {
    if (!record.stat(directoryOf('extensions', name))) return undefined;
    const { path, inside } = placeOfSharedEntry(root, 'extensions', name);
    return readExtensionCalls(path, { record, budget: newBudget(), inside });
  }, watch);

  const memo = <T>(look: (name: string) => T): ((name: string) => T | undefined) => {
    const seen = new Map<string, T>();
    return (name) => {
      if (!isEntryName(name)) return undefined;
      if (!seen.has(name)) seen.set(name, look(name));
      return seen.get(name);
    };
  };

  const requireInside = () => {
    requireSharedInside(root, 'skills');
    requireSharedInside(root, 'extensions');
  };

  return {
    /** Throws `outside_root` if a folder is a link out of the root. */
    requireInside,
    begin(time: LookTime): SharedLook {
      requireInside();
      let isCovered = true;
      const noted = <T>({ record, value }: Known<T>): T | undefined => {
        isCovered &&= record.isCovered();
        return value;
      };
      return {
        skill: memo((name) => noted(skills.look(name, time))),
        extension: memo((name) => noted(extensions.look(name, time))),
        isCovered: () => isCovered,
      };
    },
    keepSkills: skills.keep,
    keepExtensions: extensions.keep,
  };
};
