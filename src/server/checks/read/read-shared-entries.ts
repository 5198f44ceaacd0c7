import { join } from 'node:path';
import type { ExtensionCalls } from '../../../pi/extension-calls.ts';
import { IGNORE_FILES } from '../../../pi/ignore-rules.ts';
import { byKind, isEntryName, type LinkKind } from '../../../shared/api/names.ts';
import { describeFile, type FileKind } from '../../catalog/describe-file.ts';
import { systemCode } from '../../platform/app-error.ts';
import type { Root } from '../../platform/root.ts';
import { insideOfRoot, placeOfSharedEntry, requireSharedInside } from '../../platform/shared-folder.ts';
import type { ScanContext } from '../../root-model/coverage.ts';
import { createKept, type Kept } from '../../root-model/kept.ts';
import type { createLinkFolders, SharedStates } from '../../root-model/link-folders.ts';
import type { PathRecord } from '../../root-model/path-record.ts';
import { readUtf8 } from '../../root-model/reader.ts';
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
  /** Returns whether an entry is a link whose target is missing. Undefined if there's no such entry. */
  isBroken(kind: LinkKind, name: string): boolean | undefined;
  /** Forgets the entries that nothing has asked for. */
  forgetOthers(): void;
}

/** Keeps one value for each name. An entry that was removed or replaced meanwhile has none. */
const createCache = <T>(read: (name: string, record: PathRecord) => T | undefined) =>
  createKept<T>((name, record) => {
    try {
      return read(name, record);
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      record.neverReuse();
      return undefined;
    }
  });

/** Creates a reader of the shared entries. `begin` starts a scan, which reads each entry once, on first use. */
export const createSharedReader = (
  root: Root,
  links: Pick<ReturnType<typeof createLinkFolders>, 'shared'>,
  check: (skill: SkillSnapshot) => CheckResult,
) => {
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
      const read = readUtf8(path, record, insideOfRoot(root));
      return { loadedAs: describeFile(kind, name, read).loadedAs };
    });
  const prompts = createFiles('prompts');
  const themes = createFiles('themes');

  /** Looks at each entry once. */
  const memo = <T>(kept: Kept<T>, at: ScanContext) => {
    const seen = new Map<string, T | undefined>();
    const look = (name: string): T | undefined => {
      if (!isEntryName(name)) return undefined;
      if (!seen.has(name)) seen.set(name, kept.one(name, at));
      return seen.get(name);
    };
    return { look, forgetOthers: () => kept.keep(new Set(seen.keys())) };
  };

  return {
    /** Throws `outside_root` if a shared directory is a link that points outside the root. */
    begin(at: ScanContext): SharedEntries {
      requireSharedInside(root, 'skills');
      requireSharedInside(root, 'extensions');
      // SECURITY: for other kinds, no file outside the root is read, and only names that agents link to are scanned.
      const looks = {
        skills: memo(skills, at),
        extensions: memo(extensions, at),
        prompts: memo(prompts, at),
        themes: memo(themes, at),
      };
      const states = byKind((kind) => {
        let known: SharedStates | undefined;
        return () => (known ??= links.shared(kind, at));
      });
      return {
        skills: looks.skills.look,
        extensions: looks.extensions.look,
        prompts: looks.prompts.look,
        themes: looks.themes.look,
        isBroken: (kind, name) => states[kind]().get(name),
        forgetOthers() {
          for (const { forgetOthers } of Object.values(looks)) forgetOthers();
        },
      };
    },
  };
};
