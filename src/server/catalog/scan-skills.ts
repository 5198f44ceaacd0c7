import { closeSync, constants, type Dirent, fstatSync, openSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { SharedSkill } from '../../shared/api/catalog.ts';
import { isEntryName } from '../../shared/api/names.ts';
import { isNotFound, systemCode } from '../platform/app-error.ts';
import { fingerprintOf, isSettled } from '../platform/fingerprint.ts';
import { createDirectoryLister, lstatIfThere, statIfThere } from '../platform/list-directory.ts';
import { isInside, type Root } from '../platform/root.ts';
import { parseFrontmatter } from './frontmatter.ts';
import { checkSkill } from './skill-rules.ts';

/** The most a SKILL.md may hold to be read. */
const MAX_SKILL_BYTES = 2 * 1024 * 1024;

interface KnownSkill {
  skill: SharedSkill;
  /** The fingerprint of SKILL.md while which `skill` holds; undefined asks again each time. */
  fingerprint: string | undefined;
}

const skillWithError = (name: string, rule: string, message: string): SharedSkill => ({
  name,
  frontmatter: {},
  path: `shared/skills/${name}`,
  diagnostics: [{ severity: 'error', rule, message }],
});

const toSkill = (name: string, text: string): SharedSkill => {
  const { data, diagnostics } = parseFrontmatter(text);
  return {
    name,
    ...(typeof data.name === 'string' ? { nameFm: data.name } : {}),
    ...(typeof data.description === 'string' ? { description: data.description } : {}),
    frontmatter: data,
    path: `shared/skills/${name}`,
    // Rules about fields say nothing where no field could be read.
    diagnostics: diagnostics.length > 0 ? [...diagnostics] : checkSkill(data, name),
  };
};

/** Reads a SKILL.md that is a regular file; O_NONBLOCK, so that a pipe in its place cannot stop the thread. */
const readSkillFile = (name: string, path: string): SharedSkill => {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(file);
    if (!stats.isFile())
      return skillWithError(name, 'skill-md-not-a-file', 'SKILL.md is not a regular file.');
    if (stats.size > MAX_SKILL_BYTES)
      return skillWithError(name, 'skill-md-too-large', 'SKILL.md is over 2 MiB.');
    return toSkill(
      name,
      new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(file)),
    );
  } finally {
    closeSync(file);
  }
};

const missingSkillFile = (name: string) =>
  skillWithError(name, 'skill-md-missing', 'There is no SKILL.md in the directory.');

/** A directory that the system does not let us look into, or a link whose text no path can have. */
const unreachableSkill = (name: string, error: unknown) =>
  skillWithError(
    name,
    'skill-unreachable',
    `The directory cannot be looked into (${systemCode(error) ?? 'unknown'}).`,
  );

const readProblem = (name: string, error: unknown): SharedSkill => {
  if (isNotFound(error)) return missingSkillFile(name);
  if (error instanceof TypeError) return skillWithError(name, 'skill-md-not-text', 'SKILL.md is not UTF-8.');
  return skillWithError(
    name,
    'skill-md-unreadable',
    `SKILL.md cannot be read (${systemCode(error) ?? 'unknown'}).`,
  );
};

/**
 * Makes a scan of `shared/skills`: blocking, for the scanner's thread. While nothing changed it costs one `lstat` a
 * skill and returns the same object. One bad SKILL.md is a diagnostic of that skill and hides no other.
 */
export const createSkillsScan = (root: Root) => {
  const directory = root.shared('skills');
  const listDirectory = createDirectoryLister(
    directory,
    (entry) => (entry.isDirectory() || entry.isSymbolicLink()) && isEntryName(entry.name),
  );
  let known = new Map<string, KnownSkill>();
  let result: { skills: SharedSkill[] } = { skills: [] };

  /** SECURITY: a skill may be linked in from elsewhere, but its SKILL.md may not lead out of both it and the root. */
  const leadsOut = (skillDirectory: string, path: string) => {
    const target = realpathSync.native(path);
    return (
      !isInside(realpathSync.native(root.path), target) &&
      !isInside(realpathSync.native(skillDirectory), target)
    );
  };

  const read = (name: string, path: string, isLink: boolean): SharedSkill => {
    try {
      if (isLink && leadsOut(join(directory, name), path)) {
        return skillWithError(
          name,
          'skill-md-outside-root',
          'SKILL.md is a symlink that leads out of the root.',
        );
      }
      return readSkillFile(name, path);
    } catch (error) {
      return readProblem(name, error);
    }
  };

  const look = (entry: Dirent, before: KnownSkill | undefined, nowMs: number): KnownSkill | undefined => {
    const { name } = entry;
    const skillDirectory = join(directory, name);
    if (entry.isSymbolicLink()) {
      const place = statIfThere(skillDirectory);
      if (!place) {
        const skill = skillWithError(name, 'skill-link-broken', 'The link leads nowhere.');
        return { skill, fingerprint: undefined };
      }
      if (!place.isDirectory()) return undefined;
    }
    const path = join(skillDirectory, 'SKILL.md');
    const stats = lstatIfThere(path);
    if (!stats) return { skill: missingSkillFile(name), fingerprint: undefined };

    const fingerprint = fingerprintOf(stats);
    if (before && before.fingerprint === fingerprint.text) return before;
    const isLink = stats.isSymbolicLink();
    const keep = !isLink && isSettled(fingerprint, nowMs);
    return { skill: read(name, path, isLink), fingerprint: keep ? fingerprint.text : undefined };
  };

  const lookIfReachable = (entry: Dirent, before: KnownSkill | undefined, nowMs: number) => {
    try {
      return look(entry, before, nowMs);
    } catch (error) {
      return { skill: unreachableSkill(entry.name, error), fingerprint: undefined };
    }
  };

  /** The object of before while it says the same, so that an unchanged catalog is the same object. */
  const reuse = (before: KnownSkill | undefined, now: KnownSkill): KnownSkill =>
    before && before.skill !== now.skill && JSON.stringify(before.skill) === JSON.stringify(now.skill)
      ? { ...now, skill: before.skill }
      : now;

  return (nowMs: number): { skills: SharedSkill[] } => {
    const next = new Map<string, KnownSkill>();
    for (const entry of listDirectory(nowMs).entries) {
      const before = known.get(entry.name);
      const now = lookIfReachable(entry, before, nowMs);
      if (now) next.set(entry.name, reuse(before, now));
    }
    const skills = Array.from(next.values(), ({ skill }) => skill);
    known = next;
    const same =
      skills.length === result.skills.length && skills.every((skill, i) => skill === result.skills[i]);
    if (!same) result = { skills };
    return result;
  };
};
