import { join } from 'node:path';
import type { ExtensionCalls } from '../../../pi/extension-calls.ts';
import { IGNORE_FILES } from '../../../pi/ignore-rules.ts';
import { isEntryName, type LinkKind } from '../../../shared/api/names.ts';
import { describeFile, type FileKind } from '../../catalog/describe-file.ts';
import { readSharedText } from '../../catalog/read-shared.ts';
import { createPathRecord, type PathRecord, type ScanContext } from '../../disk/coverage.ts';
import { systemCode } from '../../platform/app-error.ts';
import type { Root } from '../../platform/root.ts';
import { insideOfRoot, placeOfSharedEntry, requireSharedInside } from '../../platform/shared-folder.ts';
import type { CheckResult } from '../run-rules.ts';
import type { IgnoreFile, SkillFacts, SkillSnapshot } from '../snapshot.ts';
import { readExtensionCalls } from './read-extension.ts';
import { newBudget, readRecorded } from './read-file.ts';
import { readSkill, skillSummary } from './read-skill.ts';

/** A shared skill: the facts its agents need, and its findings. */
interface SharedSkillState {
  readonly facts: SkillFacts | undefined;
  /** The ignore files in its directory, with their names as paths. */
  readonly ignoreFiles: readonly IgnoreFile[];
  readonly result: CheckResult;
}

/** A shared prompt template or theme. */
interface SharedFileState {
  /** The name pi knows it by. Undefined if pi doesn't load it. */
  readonly loadedAs: string | undefined;
}

/** The shared entries at one moment. Each one is the same object until it changes. */
export interface SharedEntries {
  skills(name: string): SharedSkillState | undefined;
  extensions(name: string): ExtensionCalls | undefined;
  prompts(name: string): SharedFileState | undefined;
  themes(name: string): SharedFileState | undefined;
}

interface KeptEntry<T> {
  readonly record: PathRecord;
  readonly value: T | undefined;
}

/** Caches one value per name, and reads it again after a change. */
const createCache = <T>(read: (name: string, record: PathRecord) => T | undefined) => {
  let known = new Map<string, KeptEntry<T>>();
  /** Returns undefined if the entry was removed or replaced meanwhile. */
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
    look(name: string, at: ScanContext): T | undefined {
      const before = known.get(name);
      if (before?.record.isUnchanged(at)) return before.value;
      const record = createPathRecord(at);
      const read = readIfReachable(name, record);
      const isSame = before && JSON.stringify(before.value) === JSON.stringify(read);
      const value = isSame ? before.value : read;
      known.set(name, { record, value });
      return value;
    },
    /** Drops entries that no longer exist. */
    keep(names: ReadonlySet<string>) {
      known = new Map([...known].filter(([name]) => names.has(name)));
    },
  };
};

/** Creates a reader of the shared entries. `begin` starts a scan, which reads each entry once, on first use. */
export const createSharedReader = (root: Root, check: (skill: SkillSnapshot) => CheckResult) => {
  const directoryOf = (kind: LinkKind, name: string) => join(root.shared(kind), name);

  const skills = createCache<SharedSkillState>((name, record) => {
    const directory = directoryOf('skills', name);
    if (!record.stat(directory)?.isDirectory()) return undefined;
    // A shared entry can be a link to a directory outside the root, but its SKILL.md can't be another link.
    const { path, inside } = placeOfSharedEntry(root, 'skills', name);
    const budget = newBudget();
    const skill = readSkill(name, path, { record, budget, inside });
    const ignoreFiles = IGNORE_FILES.filter((file) => skill.paths.includes(file)).flatMap((file) => {
      const read = readRecorded(join(path, file), record, budget, inside);
      return read.kind === 'text' ? [{ path: file, text: read.text }] : [];
    });
    return { facts: skillSummary(name, skill.file), ignoreFiles, result: check(skill) };
  });

  const extensions = createCache<ExtensionCalls>((name, record) => {
    if (!record.stat(directoryOf('extensions', name))) return undefined;
    const { path, inside } = placeOfSharedEntry(root, 'extensions', name);
    return readExtensionCalls(path, { record, budget: newBudget(), inside });
  });

  const createFiles = (kind: FileKind) =>
    createCache<SharedFileState>((name, record) => {
      const path = directoryOf(kind, name);
      if (!record.stat(path)) return undefined;
      // Only a theme is read, because its file contains its name. A prompt template's name is its file name.
      if (kind === 'prompts') return { loadedAs: name };
      return { loadedAs: describeFile(kind, name, readSharedText(path, insideOfRoot(root))).loadedAs };
    });
  const prompts = createFiles('prompts');
  const themes = createFiles('themes');

  const memo = <T>(look: (name: string) => T | undefined): ((name: string) => T | undefined) => {
    const seen = new Map<string, T | undefined>();
    return (name) => {
      if (!isEntryName(name)) return undefined;
      if (!seen.has(name)) seen.set(name, look(name));
      return seen.get(name);
    };
  };

  return {
    /** Throws `outside_root` if a shared directory is a link that points outside the root. */
    begin(at: ScanContext): SharedEntries {
      requireSharedInside(root, 'skills');
      requireSharedInside(root, 'extensions');
      // SECURITY: for other kinds, no file outside the root is read, and only names that agents link to are scanned.
      return {
        skills: memo((name) => skills.look(name, at)),
        extensions: memo((name) => extensions.look(name, at)),
        prompts: memo((name) => prompts.look(name, at)),
        themes: memo((name) => themes.look(name, at)),
      };
    },
    keepSkills: skills.keep,
  };
};
