import { lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { lstat, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, sep } from 'node:path';
import { isNotFound, systemCode } from '../platform/app-error.ts';
import { isSamePath } from '../platform/root.ts';

/** Linux follows this many links before it reports ELOOP. */
const MAX_HOPS = 40;

/**
 * Whether the system says that a path has no target. That includes a loop, a text that can't be a path, and a
 * place that this user may not read, where pi finds nothing either.
 */
export const isDanglingError = (error: unknown): boolean =>
  isNotFound(error) || ['EACCES', 'EPERM'].includes(systemCode(error) ?? '');

/** A question to the file system. Its answer is undefined if the path has no target. */
type Lookup =
  | { readonly ask: 'readlink' | 'realpath'; readonly path: string }
  | { readonly ask: 'exists' | 'isLink'; readonly path: string };
type LinkRule = Generator<Lookup, boolean, string | boolean | undefined>;

/** Answers without blocking, for requests: a target on a network drive may take seconds. */
const lookUp = async ({ ask, path }: Lookup): Promise<string | boolean> => {
  if (ask === 'readlink') return readlink(path);
  if (ask === 'realpath') return realpath(path);
  return ask === 'exists' ? Boolean(await stat(path)) : (await lstat(path)).isSymbolicLink();
};

/** Answers at once, for a thread: 10,000 agents have 100,000 links. */
const lookUpSync = ({ ask, path }: Lookup): string | boolean => {
  if (ask === 'readlink') return readlinkSync(path);
  if (ask === 'realpath') return realpathSync.native(path);
  return ask === 'exists' ? Boolean(statSync(path)) : lstatSync(path).isSymbolicLink();
};

/** Hides that there is no target. EINVAL: the path is no longer a link. */
const orUndefined = (error: unknown): undefined => {
  if (!isDanglingError(error) && systemCode(error) !== 'EINVAL') throw error;
};

const run = async (rule: LinkRule): Promise<boolean> => {
  let step = rule.next();
  while (!step.done) step = rule.next(await lookUp(step.value).catch(orUndefined));
  return step.value;
};

const runSync = (rule: LinkRule): boolean => {
  let step = rule.next();
  while (!step.done) {
    let answer: string | boolean | undefined;
    try {
      answer = lookUpSync(step.value);
    } catch (error) {
      answer = orUndefined(error);
    }
    step = rule.next(answer);
  }
  return step.value;
};

function* hasNoTarget(path: string): LinkRule {
  return (yield { ask: 'exists', path }) === undefined;
}

function* passesThrough(link: string, directory: string, name: string): LinkRule {
  let path = link;
  for (let hop = 0; hop < MAX_HOPS; hop++) {
    const text = yield { ask: 'readlink', path };
    if (typeof text !== 'string') return false;
    // `join` would drop ".." from the text, but the system resolves it after following the links before it.
    const target = isAbsolute(text) ? text : `${dirname(path)}${sep}${text}`;
    const last = basename(target);
    const isWhole = last === '' || last === '.' || last === '..';
    const real = yield { ask: 'realpath', path: isWhole ? target : dirname(target) };
    if (typeof real !== 'string') return false;
    path = isWhole ? real : join(real, last);
    if (isSamePath(path, join(directory, name))) return true;
    if (!(yield { ask: 'isLink', path })) return false;
  }
  return false;
}

/** Whether a symlink has no target. */
export const isBroken = (path: string): Promise<boolean> => run(hasNoTarget(path));

/** {@link isBroken}, blocking, for a thread. */
export const isBrokenSync = (path: string): boolean => runSync(hasNoTarget(path));

/**
 * Whether following a symlink passes through the entry `name` of `directory` (already resolved).
 *
 * Each hop is identified by its resolved directory and its last name, never by the text of the link, which
 * may be `/elsewhere/shared/skills/x`. The entry itself may also be a link, even a broken one.
 */
export const linkPassesThrough = (link: string, directory: string, name: string): Promise<boolean> =>
  run(passesThrough(link, directory, name));

/** {@link linkPassesThrough}, blocking, for a thread. */
export const linkPassesThroughSync = (link: string, directory: string, name: string): boolean =>
  runSync(passesThrough(link, directory, name));
