import type { ExtensionCalls } from '../../pi/extension-calls.ts';
import type { Diagnostic } from '../../shared/api/catalog.ts';

/**
 * A file as the checks see it. `text` keeps its byte order mark and line endings. `isPlain` is false for a skill or
 * prompt template that isn't UTF-8 or contains NUL bytes, which pi reads anyway. `refused` means dot-mi doesn't read the
 * file, because it's a directory, larger than 2 MiB or a link to outside the root, for example.
 */
export type FileState =
  | { readonly kind: 'missing' }
  | { readonly kind: 'text'; readonly text: string; readonly isPlain?: false }
  | {
      readonly kind: 'refused';
      readonly problem: 'not-a-file' | 'too-large' | 'not-text' | 'outside' | 'unreadable';
    };

/** Returns a file's text, if dot-mi reads it. */
export const textOf = (file: FileState): string | undefined => (file.kind === 'text' ? file.text : undefined);

/** The agent's files that rules read. Only the first five are ever written. */
export const CHECKED_FILES = [
  'pi-args',
  'SYSTEM.md',
  'APPEND_SYSTEM.md',
  'AGENT.md',
  'workspace.conf',
  'settings.json',
  'models.json',
  'mcp.json',
] as const;

export type CheckedFile = (typeof CHECKED_FILES)[number];

/** The target of a symlink. */
export interface LinkTarget {
  /** The path stored in the link. */
  readonly text: string;
  /** `broken`: the target is missing. `outside`: the target is outside the root and isn't read. */
  readonly state: 'there' | 'broken' | 'outside';
  /** True if `shared` has an entry with the broken link's name, so that it can be linked again. */
  readonly isRepairable?: boolean | undefined;
  /** The name of the shared entry that the link points to, if any. */
  readonly shared?: string | undefined;
}

/** The facts from a SKILL.md that pi puts in its prompt. */
export interface SkillFacts {
  /** `name` from the frontmatter, or else the directory's name. */
  readonly name: string;
  /** Undefined if it's missing. pi then doesn't load the skill. */
  readonly description: string | undefined;
  /** True if `disable-model-invocation` hides it from the model. */
  readonly isHidden: boolean;
}

/** A `.gitignore`, `.ignore` or `.fdignore`. pi skips the entries it matches. */
export interface IgnoreFile {
  /** Relative to the agent's or the skill's directory, with `/`. */
  readonly path: string;
  readonly text: string;
}

/** The directory of one skill. */
export interface SkillSnapshot {
  /** The name of its directory. */
  readonly name: string;
  readonly file: FileState;
  /** Relative to the directory, with `/`. Directories end with `/`. Sorted, at most 2,000. */
  readonly paths: readonly string[];
  /** False if paths may exist that `paths` doesn't list. */
  readonly hasAllPaths: boolean;
  /** Its other documents and scripts, up to the limits. */
  readonly texts: readonly SkillTextFile[];
  /** True if some of them weren't read. */
  readonly isCut?: boolean;
}

/** A document or script of a skill. */
export interface SkillTextFile {
  /** Relative to the skill's directory, with `/`. */
  readonly path: string;
  readonly text: string;
}

/** An entry of an agent's `skills`. */
export interface SkillEntry {
  readonly name: string;
  /** Relative to the agent's directory, with `/`, such as `skills/git-summary`. */
  readonly path: string;
  /** Undefined for the agent's own directories and files. */
  readonly link?: LinkTarget | undefined;
  /** Undefined if there's no SKILL.md that dot-mi can read. */
  readonly facts?: SkillFacts | undefined;
  /** Identifies the skill's file. Two links to one file are the same skill to pi. Undefined without facts. */
  readonly file?: string | undefined;
  /** Set for the agent's own skill. A shared skill's findings are reported once, with the skill. */
  readonly own?: SkillSnapshot | undefined;
  /** True if the agent's settings.json switches it off, so that pi doesn't load it. */
  readonly isOff?: boolean | undefined;
}

/** An entry of an agent's `extensions`. */
export interface ExtensionEntry {
  readonly name: string;
  /** Relative to the agent's directory, with `/`. */
  readonly path: string;
  readonly link?: LinkTarget | undefined;
  /** The names its code registers. `isComplete` is also false if some code wasn't read. */
  readonly calls: ExtensionCalls;
  /** True if the agent's settings.json switches it off, so that pi doesn't load it. */
  readonly isOff?: boolean | undefined;
}

/** A file in an agent's `prompts` or `themes`. */
export interface FileEntry {
  readonly name: string;
  /** Relative to the agent's directory, with `/`. */
  readonly path: string;
  /** Undefined for the agent's own file. */
  readonly link?: LinkTarget | undefined;
  /** The name pi knows it by. Undefined if pi doesn't load it. */
  readonly loadedAs?: string | undefined;
  /** Diagnostics of the agent's own file. The catalog reports those of shared files. */
  readonly own?: readonly Diagnostic[] | undefined;
  /** True if the agent's settings.json switches it off, so that pi doesn't load it. */
  readonly isOff?: boolean | undefined;
}

/** A package's state in the root. `unknown`: it's stored outside the root, or pi can't read its entry. */
export type PackageState = 'there' | 'missing' | 'unknown';

/** All facts about one agent that rules use. Plain data: the findings are a pure function of it. */
export interface AgentSnapshot {
  readonly id: string;
  readonly files: Readonly<Record<CheckedFile, FileState>>;
  /** Sorted by name. */
  readonly skills: readonly SkillEntry[];
  /** Sorted by name. */
  readonly extensions: readonly ExtensionEntry[];
  /** Sorted by name. */
  readonly prompts: readonly FileEntry[];
  /** Sorted by name. */
  readonly themes: readonly FileEntry[];
  /** The states of the `packages` entries in settings.json, in order. Absent if there are none. */
  readonly packages?: readonly PackageState[];
  /** The ignore files in `skills`, its skills, `prompts` and `themes`, from the top down. */
  readonly ignoreFiles: readonly IgnoreFile[];
  /** All names in the agent's directory, sorted. */
  readonly names: readonly string[];
  /** True if something wasn't read, such as what exceeds the limits. */
  readonly isCut?: boolean;
}

/** The facts that all agents of a root share. */
export interface CheckFacts {
  /** Names of the models in the models file. Undefined if it can't be read. */
  readonly pricedModels: readonly string[] | undefined;
  /** The skills in `~/.agents/skills`, which pi gives to every agent. */
  readonly userSkills: readonly SkillFacts[];
}
