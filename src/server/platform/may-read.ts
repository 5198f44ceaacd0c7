import { basename, relative, sep } from 'node:path';
import { entryRole } from '../../pi/entry-roles.ts';
import { FORM_FILES, isEditableFile, LINK_KINDS } from '../../shared/api/names.ts';
import type { Reader } from './caller.ts';
import { isInside } from './root.ts';

/**
 * What a place contains, by its path without links:
 *
 * - `open`: prompts, skills, extensions and other files that every reader may see.
 * - `form`: an agent's settings.json, models.json or mcp.json, or a preset. Everybody may see its shape, which the
 *   forms show.
 * - `private`: sessions, the trash, workspaces, dotfiles, backups, logs and whatever else an agent's directory has.
 * - `elsewhere`: the root's other files, which dot-mi doesn't know.
 * - `login`: keys and sign-ins, which nobody sees.
 * - `outside`: not in the root.
 * - `own`: dot-mi's own data, which nobody sees.
 */
export type PlaceKind = 'open' | 'form' | 'private' | 'elsewhere' | 'login' | 'outside' | 'own';

/** The resolved directories that decide what a place is. */
export interface ReadLimits {
  /** The root, without links. */
  readonly root: string;
  /** The directories of dot-mi's own data, without links. */
  readonly ownData: readonly string[];
}

/** Returns whether dot-mi shows a file with this name as a form. */
export const isFormFile = (name: string): name is (typeof FORM_FILES)[number] =>
  (FORM_FILES as readonly string[]).includes(name);

/** Places that contain sessions, or what agents work on. */
const PRIVATE_FOLDERS: ReadonlySet<string> = new Set(['sessions', 'teams', 'workspaces']);

/** The folders of the shared entries, in which a file's name says nothing about its content. */
const SHARED_FOLDERS: ReadonlySet<string> = new Set([...LINK_KINDS, 'presets', 'lib']);

const README = /^readme(\.md|\.txt)?$/i;
const BACKUP = /\.bak$|~$/i;

/** pi looks for these in directories of skills, and nobody sees their content. */
const isHiddenName = (name: string): boolean =>
  name.startsWith('.') || BACKUP.test(name) || entryRole(name) === 'log';

const isPromptFile = (name: string): boolean =>
  isEditableFile(name) || entryRole(name) === 'context_file' || README.test(name);

const kindOfNames = (names: readonly string[]): PlaceKind => {
  const [top = '', second = '', third = ''] = names;
  if (names.some((name) => entryRole(name) === 'secret')) return 'login';
  if (names.some(isHiddenName)) return 'private';
  if (top === 'shared') {
    // Presets can have MCP servers with literal secrets.
    const isForm = second === 'presets' || (isFormFile(names.at(-1) ?? '') && !SHARED_FOLDERS.has(second));
    return isForm ? 'form' : 'open';
  }
  if (top === 'agents') {
    if (names.length === 3 && isFormFile(third)) return 'form';
    if (names.length === 3 && isPromptFile(third)) return 'open';
    return (LINK_KINDS as readonly string[]).includes(third) ? 'open' : 'private';
  }
  // pi reads the root's own context files when it runs in the root.
  if (names.length === 1 && (entryRole(top) === 'context_file' || README.test(top))) return 'open';
  return PRIVATE_FOLDERS.has(top) || names.includes('sessions') ? 'private' : 'elsewhere';
};

/** Returns what a place contains. `place` is absolute and without links. */
export const placeKind = (place: string, { root, ownData }: ReadLimits): PlaceKind => {
  if (isInside(root, place)) return kindOfNames(relative(root, place).split(sep));
  return ownData.some((directory) => isInside(directory, place)) ? 'own' : 'outside';
};

/** The kinds that each reader sees. What isn't named here is hidden. */
const SHOWN: Readonly<Record<Reader['kind'], readonly PlaceKind[]>> = {
  operator: ['open', 'form', 'private', 'elsewhere', 'outside'],
  agent: ['open'],
  anyone: ['open'],
};

/**
 * Returns whether a reader sees the content of a place, which is absolute and without links. Whether pi would read
 * it is the caller's question.
 *
 * SECURITY: the only such decision in dot-mi. It depends on where a path ends, so a link gives no access.
 */
export const mayRead = ({ kind }: Reader, place: string, limits: ReadLimits): 'yes' | 'hidden' =>
  SHOWN[kind].includes(placeKind(place, limits)) ? 'yes' : 'hidden';

/**
 * Returns whether a reader sees a link's target as a prompt file. `target` is in the root, without links.
 *
 * SECURITY: a prompt that is a link to settings would show the values that the forms hide, even to a page that a
 * person shares.
 */
export const mayShowLinked = (reader: Reader, target: string, root: string): boolean => {
  const limits = { root, ownData: [] };
  return placeKind(target, limits) !== 'form' && mayRead(reader, target, limits) === 'yes';
};

/**
 * Returns whether lists and checks, which are the same for all callers, can read a path that ends at another place of
 * the root. They show no text of it.
 */
export const mayBeLinked = (path: string, place: string, root: string): boolean => {
  const kind = placeKind(place, { root, ownData: [] });
  return kind === 'open' || kind === 'elsewhere' || (kind === 'form' && isFormFile(basename(path)));
};

/** Returns the text that replaces hidden content. `path` is as the agent's files name it. */
export const hiddenText = (path: string): string => `[hidden: ${path}]`;
