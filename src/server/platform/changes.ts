import type { ChangeList, CostSinceChange } from '../../shared/api/changes.ts';
import { LINK_KINDS, type LinkKind, type WrittenFile } from '../../shared/api/names.ts';
import { AppError } from './app-error.ts';
import type { Caller } from './caller.ts';
import type { DirectoryHandle } from './directory-handle.ts';

/** What the trash needs to know about a session. */
export interface SessionFacts {
  readonly agent: string;
  readonly id: string;
  readonly name: string | null;
}

/**
 * What is at a path of the root, as far as dot-mi changes it.
 *
 * - `missing`: nothing. `folderless` means that the directory around it is missing too, and is removed again with it.
 *   `trash` is the name of the trash item with a copy, or with the session that was there.
 * - `file`: a text file in UTF-8. `mode` matters only where a removed file is created again.
 * - `link`: a symlink with its text.
 * - `session`: a session's file, without its text.
 * - `directory`: all of an agent. `trash` is the name of the trash item that holds it, or will.
 * - `other`: something that dot-mi neither replaces nor removes here.
 */
export type PathState =
  | {
      readonly is: 'missing';
      readonly folderless?: true | undefined;
      readonly trash?: string | undefined;
      readonly session?: SessionFacts | undefined;
    }
  | { readonly is: 'session' }
  | { readonly is: 'file'; readonly text: string; readonly mode?: number | undefined }
  | {
      readonly is: 'link';
      readonly text: string;
      /** The type of its target. Only Windows needs it, to create the link. */
      readonly target?: 'dir' | 'file' | undefined;
      isBroken?(): Promise<boolean>;
    }
  | { readonly is: 'directory'; readonly trash?: string | undefined }
  | { readonly is: 'other' };

/** The state of a path with nothing at it. */
export const MISSING = { is: 'missing' } as const satisfies PathState;

/** Returns whether two states of a path are the same for a person. */
export const isSameState = (a: PathState, b: PathState): boolean =>
  a.is === b.is && (!('text' in a) || ('text' in b && a.text === b.text));

/**
 * What an agent or a shared entry has at a path, as far as the history compares it. `other` is a file that dot-mi doesn't change: it's too
 * large, not UTF-8 or not a regular file. Its `print` differs after a change.
 */
export type SeenState =
  | Extract<PathState, { readonly is: 'file' | 'link' }>
  | { readonly is: 'other'; readonly print: string };

/** A path relative to the root, such as `agents/scout/SYSTEM.md`. */
export interface SeenPath {
  readonly path: string;
  readonly state: SeenState;
}

/** Thrown if a path doesn't have the state anymore that a change was planned for. */
export class PathChangedError extends Error {}

/** How the paths of one kind in an open directory are read and changed. The caller holds the lock of the directory. */
export interface OpenPlaces {
  /** Throws an AppError if dot-mi doesn't change what is there. */
  read(name: string): Promise<PathState>;
  /**
   * Changes a path, and returns its new state. Makes nothing visible before `recorded`. Throws
   * {@link PathChangedError} if the path has another state than `before` by then.
   */
  write(name: string, before: PathState, after: PathState, recorded: Promise<void>): Promise<PathState>;
}

/** How change sets read and change an agent's files, in its open directory and under its lock. */
export interface FilesAccess {
  read(agent: DirectoryHandle, id: string, name: WrittenFile): Promise<PathState>;
  write(
    agent: DirectoryHandle,
    id: string,
    name: WrittenFile,
    before: PathState,
    after: PathState,
    recorded: Promise<void>,
  ): Promise<PathState>;
}

/** The links in an agent's open directory. */
interface OpenLinks {
  /** Throws `not_a_directory`. */
  read(kind: LinkKind, name: string): Promise<PathState>;
  /**
   * Creates, replaces or removes a symlink, and nothing else. Creates a missing folder, and removes it again if the
   * state says so and it's empty.
   */
  write(
    kind: LinkKind,
    name: string,
    before: PathState,
    after: PathState,
    recorded: Promise<void>,
  ): Promise<PathState>;
  close(): Promise<void>;
}

/**
 * How change sets read and change an agent's links, under its lock.
 *
 * SECURITY: each step uses the open folder, so swapping a directory for a link can't cause a change outside.
 */
export interface LinksAccess {
  open(agent: DirectoryHandle, id: string): OpenLinks;
}

/** How change sets read, delete and restore an agent, under its lock. */
export interface AgentsAccess {
  read(id: string): Promise<PathState>;
  write(id: string, before: PathState, after: PathState, recorded: Promise<void>): Promise<PathState>;
}

/** How change sets delete and restore sessions. Paths are relative to the root. Takes the agent's lock itself. */
export interface SessionsAccess {
  read(path: string): Promise<PathState>;
  write(path: string, before: PathState, after: PathState, recorded: Promise<void>): Promise<PathState>;
}

/** Returns whether a path of a change set is a session, and neither a link nor a file of a shared entry. */
export const isSessionPath = (path: string): boolean => {
  const [top, , folder] = path.split('/');
  const isLink = top === 'agents' && (LINK_KINDS as readonly unknown[]).includes(folder);
  return path.endsWith('.jsonl') && top !== 'shared' && !isLink;
};

/** The lock of changes to sessions. It can't be the id of an agent. */
export const SESSIONS_LOCK = 'sessions/';

/** The lock of everything below `shared`. It can't be the id of an agent. */
export const SHARED_LOCK = 'shared/';

/** Paths that change under one lock. */
export interface Places {
  /** The lock's key: the id of an agent, or {@link SHARED_LOCK}. */
  readonly lock: string;
  open<T>(use: (open: OpenPlaces) => Promise<T>): Promise<T>;
}

/** One item of a change set. */
export interface ChangeItem {
  /** The path relative to the root, with `/`. */
  readonly path: string;
  /**
   * Returns the state to write, or an equal one if nothing is to change. Throws an AppError to refuse the item. Runs
   * again if another program changes the path meanwhile.
   */
  plan(before: PathState): PathState | Promise<PathState>;
}

/** What became of an item. */
export type Outcome =
  | { readonly is: 'applied' | 'unchanged'; readonly state: PathState }
  | { readonly is: 'refused'; readonly error: unknown; readonly now?: PathState | undefined };

/** What became of a change set. */
export interface AppliedChanges {
  /** The id of the entry in the journal. Null if nothing changed, or if the journal can't be written. */
  readonly change: string | null;
  /** One for each item. */
  readonly outcomes: readonly Outcome[];
}

/** A change that its maker locks and makes itself. */
export interface OwnChange {
  readonly path: string;
  readonly before: PathState;
  readonly after: PathState;
}

/** The only way to change agents and shared entries: every change set is in the journal before it begins. */
export interface Changes {
  /** Changes paths under their locks. Each item has its own outcome. */
  apply(label: string, items: readonly ChangeItem[]): Promise<AppliedChanges>;
  /** Records changes and then runs `make`, which awaits `recorded` before it makes them visible. */
  record<T>(
    label: string,
    items: readonly OwnChange[],
    make: (recorded: Promise<void>) => Promise<T>,
  ): Promise<{ readonly value: T; readonly change: string | null }>;
}

/** Returns the state after the only item of a change set. Throws the error that refused it. */
export const stateAfter = ({ outcomes: [outcome] }: AppliedChanges): PathState => {
  if (!outcome) throw new Error('a change set without items has no outcome');
  if (outcome.is === 'refused') throw outcome.error;
  return outcome.state;
};

/** Who made a change. */
export interface ChangeAuthor {
  /** A caller, or another program that changed the path itself. */
  readonly kind: Caller['kind'] | 'program';
  /** The id and label of an agent key. */
  readonly key?: { readonly id: string; readonly label: string } | undefined;
}

/** Returns a caller as the author of a change. */
export const authorOf = (caller: Caller): ChangeAuthor =>
  caller.kind === 'agent'
    ? { kind: 'agent', key: { id: caller.key.id, label: caller.key.label } }
    : { kind: caller.kind };

/** When an agent was changed, ascending, and when it was changed next, in milliseconds since 1970. */
export interface ChangeTimes {
  readonly fromMs: readonly number[];
  /** Undefined if it wasn't changed since. */
  readonly toMs: number | undefined;
}

/** What an agent's sessions cost that began between changes. */
export interface ChangeCosts extends Required<Pick<ChangeList, 'complete' | 'reading' | 'notCounted'>> {
  /** One for each time, until the next time. */
  readonly costs: readonly Omit<CostSinceChange, 'before'>[];
}

/** The error for a path that other programs keep changing. */
export const keepsChanging = (path: string): AppError =>
  new AppError(
    'file_changed',
    `Another program keeps changing ${path}, so dot-mi didn’t. Stop that program, then try again.`,
    { etag: null },
  );
