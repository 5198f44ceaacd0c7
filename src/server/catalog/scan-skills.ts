import { type Dirent, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Diagnostic, SharedSkill } from '../../shared/api/catalog.ts';
import { isEntryName } from '../../shared/api/names.ts';
import { coverDirectory, type ScanContext, type WatchCoverage } from '../disk/coverage.ts';
import { systemCode } from '../platform/app-error.ts';
import { fingerprintOf, mayKeepRead } from '../platform/fingerprint.ts';
import { createDirectoryLister, lstatIfThere, statIfThere } from '../platform/list-directory.ts';
import { withDirectoryInside } from '../platform/open-inside.ts';
import type { Root } from '../platform/root.ts';
import { placeOfSharedEntry, requireSharedInside } from '../platform/shared-folder.ts';
import { quoted } from '../platform/words.ts';
import { parseFrontmatter } from './frontmatter.ts';
import { isPlainText, readLikePi } from './read-shared.ts';
import { checkSkill, isAlmostSkillFile } from './skill-rules.ts';
import { NOT_PLAIN } from './text-problem.ts';

interface KnownSkill {
  skill: SharedSkill;
  /** `skill` is valid while SKILL.md has this fingerprint. If undefined, `skill` is read every time. */
  fingerprint: string | undefined;
  cover?: WatchCoverage | undefined;
}

const skillWith = (name: string, ...diagnostics: Diagnostic[]): SharedSkill => ({
  name,
  frontmatter: {},
  path: `shared/skills/${name}`,
  diagnostics,
});

/** Describes a skill that pi doesn't load. */
const skillWithError = (name: string, rule: string, message: string): SharedSkill =>
  skillWith(name, { severity: 'error', rule, message });

/** Describes a skill that pi may load, but that dot-mi doesn't read. */
const skillUnread = (name: string, rule: string, message: string): SharedSkill =>
  skillWith(name, { severity: 'warning', rule, message });

interface ReadSkill extends Pick<ReturnType<typeof parseFrontmatter>, 'data' | 'diagnostics'> {
  /** The name of its directory. */
  readonly name: string;
}

const skillOf = ({ name, data, diagnostics }: ReadSkill): SharedSkill => ({
  name,
  ...(typeof data.name === 'string' ? { nameFm: data.name } : {}),
  ...(typeof data.description === 'string' ? { description: data.description } : {}),
  frontmatter: data,
  path: `shared/skills/${name}`,
  // The field rules apply only if the fields could be parsed.
  diagnostics: diagnostics.length > 0 ? [...diagnostics] : checkSkill(data, name),
});

/** Describes a skill, based on its directory's name and its SKILL.md text. */
export const toSkill = (name: string, text: string): SharedSkill =>
  skillOf({ name, ...parseFrontmatter(text) });

const missingSkillFile = (name: string, almost?: string) =>
  skillWithError(
    name,
    'skill-md-missing',
    almost === undefined
      ? 'The directory has no SKILL.md.'
      : `pi doesn’t load ${quoted(almost)}. Rename it to SKILL.md.`,
  );

/**
 * Describes a skill outside the root, which a link leads to.
 *
 * SECURITY: only what pi puts into prompts is shown or checked, because another user of the root could link one of
 * this user's own directories.
 */
const toLinkedSkill = (name: string, text: string): SharedSkill => {
  const { data, diagnostics } = parseFrontmatter(text);
  const shown = Object.fromEntries(
    Object.entries(data).filter(
      ([key, value]) => ['name', 'description'].includes(key) && typeof value === 'string',
    ),
  );
  const message = 'The frontmatter is not valid. Read SKILL.md where the link leads.';
  return skillOf({ name, data: shown, diagnostics: diagnostics.map((each) => ({ ...each, message })) });
};

/** Describes a directory that the system denies access to, or a link whose text isn't a valid path. */
const unreachableSkill = (name: string, error: unknown) =>
  skillWithError(
    name,
    'skill-unreachable',
    `The directory can’t be read (${systemCode(error) ?? 'unknown'}). Check its owner and mode.`,
  );

const readSkillFile = (root: Root, name: string): SharedSkill => {
  const { path, inside } = placeOfSharedEntry(root, 'skills', name);
  const read = readLikePi(join(path, 'SKILL.md'), inside);
  if ('text' in read) {
    // Only an entry outside the root has links that aren't followed.
    const skill = (inside.followsLinks ? toSkill : toLinkedSkill)(name, read.text);
    if (isPlainText(read)) return skill;
    const notText: Diagnostic = { severity: 'warning', rule: 'skill-md-not-text', message: NOT_PLAIN };
    return { ...skill, diagnostics: [notText, ...skill.diagnostics] };
  }
  switch (read.problem) {
    case 'missing':
      return missingSkillFile(name);
    case 'not-a-file':
      return skillWithError(
        name,
        'skill-md-not-a-file',
        'SKILL.md is not a regular file. Replace it with one.',
      );
    case 'too-large':
      return skillUnread(
        name,
        'skill-md-too-large',
        'SKILL.md is larger than 2 MiB, so dot-mi doesn’t read it, but pi does. Shorten it.',
      );
    case 'not-text':
    case 'outside':
      return skillUnread(
        name,
        'skill-md-outside-root',
        'SKILL.md is a symlink to a file that is outside the root or that dot-mi can’t read. pi may load it.',
      );
    case 'unreadable':
      return skillWithError(
        name,
        'skill-md-unreadable',
        `SKILL.md can’t be read (${read.code}). Check its owner and mode.`,
      );
  }
};

/**
 * Creates a blocking scan of `shared/skills`, for the disk thread. Without a watch, it costs one `lstat` per skill
 * and returns the same object until something changes. A bad SKILL.md becomes a diagnostic of that skill and doesn't
 * hide the others. Throws `outside_root`.
 */
export const createSkillsScan = (root: Root) => {
  const directory = root.shared('skills');
  const listDirectory = createDirectoryLister(root.path, directory, (entry) =>
    (entry.isDirectory() || entry.isSymbolicLink()) && isEntryName(entry.name) ? entry : undefined,
  );
  let known = new Map<string, KnownSkill>();
  let result: { skills: SharedSkill[] } = { skills: [] };

  const look = (entry: Dirent, before: KnownSkill | undefined, at: ScanContext): KnownSkill | undefined => {
    if (before && at.isSame(before.cover)) return before;
    const { name } = entry;
    const skillDirectory = join(directory, name);
    let cover: WatchCoverage | undefined;
    if (!entry.isSymbolicLink()) cover = at.cover(before?.cover, skillDirectory);
    else {
      at.miss();
      const place = statIfThere(skillDirectory);
      if (!place) {
        const skill = skillWithError(
          name,
          'skill-link-broken',
          'The link is broken: its target doesn’t exist. Remove or repair it.',
        );
        return { skill, fingerprint: undefined };
      }
      if (!place.isDirectory()) return undefined;
    }
    const path = join(skillDirectory, 'SKILL.md');
    const stats = lstatIfThere(path);
    if (!stats) {
      // SECURITY: a link can point outside the root, so its target isn't listed.
      const names = entry.isSymbolicLink()
        ? []
        : withDirectoryInside([realpathSync.native(root.path)], skillDirectory, (open) => open.list());
      const almost = names.find((item) => item.isFile() && isAlmostSkillFile(item.name))?.name;
      return { skill: missingSkillFile(name, almost), fingerprint: undefined, cover };
    }

    const fingerprint = fingerprintOf(stats);
    const isLink = stats.isSymbolicLink();
    // A hard-linked file can change through its other name.
    if (isLink || stats.nlink > 1n) {
      at.miss();
      cover = undefined;
    }
    if (before && before.fingerprint === fingerprint.text) return { ...before, cover };
    const keep = !isLink && mayKeepRead(fingerprint, at.nowMs);
    return {
      skill: readSkillFile(root, name),
      fingerprint: keep ? fingerprint.text : undefined,
      cover,
    };
  };

  const lookIfReachable = (entry: Dirent, before: KnownSkill | undefined, at: ScanContext) => {
    try {
      return look(entry, before, at);
    } catch (error) {
      at.miss();
      return { skill: unreachableSkill(entry.name, error), fingerprint: undefined };
    }
  };

  /** Returns the earlier object if nothing changed, so that an unchanged catalog stays the same object. */
  const reuse = (before: KnownSkill | undefined, now: KnownSkill): KnownSkill =>
    before && before.skill !== now.skill && JSON.stringify(before.skill) === JSON.stringify(now.skill)
      ? { ...now, skill: before.skill }
      : now;

  return (at: ScanContext): { skills: SharedSkill[] } => {
    coverDirectory(directory, at);
    requireSharedInside(root, 'skills');
    const next = new Map<string, KnownSkill>();
    for (const entry of listDirectory(at.nowMs).entries) {
      const before = known.get(entry.name);
      const now = lookIfReachable(entry, before, at);
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
