import type { Diagnostic } from '../../shared/api/catalog.ts';
import type { ExtensionCalls } from '../../shared/pi/extension-calls.ts';

/**
 * A file as the checks see it. `text` keeps its byte order mark and line ends. `refused`: something is there
 * that dot-mi doesn't read, such as a directory, a file of more than 2 MiB, or a link out of the root.
 */
export type FileState =
  | { readonly kind: 'missing' }
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'refused';
      readonly problem: 'not-a-file' | 'too-large' | 'not-text' | 'outside' | 'unreadable';
    };

/** The text of a file, if it has one that dot-mi reads. */
export const textOf = (file: FileState): string | undefined => (file.kind === 'text' ? file.text : undefined);

/** The files of an agent that rules read. Only the first five are ever written. */
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

/** One of {@link CHECKED_FILES}. */
export type CheckedFile = (typeof CHECKED_FILES)[number];

/** Where a symlink points. */
export interface LinkTarget {
  /** The text of the link. */
  readonly text: string;
  /** `broken`: nothing is there. `outside`: something is there, out of the root, and isn't read. */
  readonly state: 'there' | 'broken' | 'outside';
  /** Whether `shared` has an entry of the name of a broken link, so that it can be linked again. */
  readonly isRepairable?: boolean | undefined;
  /** The name of the shared entry that it points to, if it does. */
  readonly shared?: string | undefined;
}

/** What pi takes from a SKILL.md for its prompt. */
export interface SkillFacts {
  /** `name` of the frontmatter, or else the name of the directory. */
  readonly name: string;
  /** Undefined if there is none, so that pi doesn't load the skill. */
  readonly description: string | undefined;
  /** Whether `disable-model-invocation` hides it from the model. */
  readonly isHidden: boolean;
}

/** A `.gitignore`, `.ignore` or `.fdignore`. pi skips the entries that it matches. */
export interface IgnoreFile {
  /** Relative to the agent's or the skill's directory, with `/`. */
  readonly path: string;
  readonly text: string;
}

/** The directory of one skill. */
export interface SkillSnapshot {
  /** The name of its directory. */
  readonly name: string;
  /** Its SKILL.md. */
  readonly file: FileState;
  /** Paths in the directory, relative to it, with `/`. A directory ends with `/`. Sorted, at most 2,000. */
  readonly paths: readonly string[];
  /** Whether `paths` has everything. If not, a path that isn't listed may exist. */
  readonly hasAllPaths: boolean;
  /** Its other documents and scripts, as far as they are read. */
  readonly texts: readonly SkillTextFile[];
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
  /** Relative to the agent's directory, with `/`: `skills/git-summary`. */
  readonly path: string;
  /** Undefined for a directory or file of the agent itself. */
  readonly link?: LinkTarget | undefined;
  /** Undefined if there is no SKILL.md that dot-mi may read. */
  readonly facts?: SkillFacts | undefined;
  /** The skill, if no shared skill is. The findings of shared skills are reported once, with the shared skill. */
  readonly own?: SkillSnapshot | undefined;
  /** Whether the agent's settings.json switches it off, so that pi doesn't load it. */
  readonly isOff?: boolean | undefined;
}

/** An entry of an agent's `extensions`. */
export interface ExtensionEntry {
  readonly name: string;
  /** Relative to the agent's directory, with `/`. */
  readonly path: string;
  readonly link?: LinkTarget | undefined;
  /** What its code registers. `isComplete` is false too if not all of its code was read. */
  readonly calls: ExtensionCalls;
  /** Whether the agent's settings.json switches it off, so that pi doesn't load it. */
  readonly isOff?: boolean | undefined;
}

/** An entry of an agent's `prompts` or `themes`: one file. */
export interface FileEntry {
  readonly name: string;
  /** Relative to the agent's directory, with `/`. */
  readonly path: string;
  /** Undefined for a file of the agent itself. */
  readonly link?: LinkTarget | undefined;
  /** The name that pi knows it by. Undefined if pi doesn't load it. */
  readonly loadedAs?: string | undefined;
  /** What the catalog would report of a file that no shared entry is. Shared ones are reported in the catalog. */
  readonly own?: readonly Diagnostic[] | undefined;
  /** Whether the agent's settings.json switches it off, so that pi doesn't load it. */
  readonly isOff?: boolean | undefined;
}

/** Everything that rules know about one agent. Plain data: the findings are a pure function of it. */
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
  /** In `skills`, `prompts` and `themes`, from its root down. */
  readonly ignoreFiles: readonly IgnoreFile[];
  /** All names in the agent's directory, sorted. */
  readonly names: readonly string[];
  /** Whether there was too much to read all of it. */
  readonly isCut?: boolean;
}

/** What all agents of a root have in common. */
export interface CheckFacts {
  /** The models of the models file, by name. Undefined if it can't be read. */
  readonly pricedModels: readonly string[] | undefined;
  /** The skills in `~/.agents/skills`, which pi gives to every agent. */
  readonly userSkills: readonly SkillFacts[];
}
