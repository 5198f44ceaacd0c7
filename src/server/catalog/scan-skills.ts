import { join } from 'node:path';
import type { Diagnostic, SharedSkill } from '../../shared/api/catalog.ts';
import { statIfThere } from '../platform/list-directory.ts';
import type { Root } from '../platform/root.ts';
import { insideOfRoot, placeOfSharedEntry } from '../platform/shared-folder.ts';
import { quoted } from '../platform/words.ts';
import type { PathRecord } from '../root-model/path-record.ts';
import { isPlainText, listFolder, readText } from '../root-model/reader.ts';
import type { RootEntries } from '../root-model/root-entries.ts';
import { type CatalogScan, createCatalogScan } from './catalog-scan.ts';
import { parseFrontmatter } from './frontmatter.ts';
import { checkSkill, isAlmostSkillFile } from './skill-rules.ts';
import { NOT_PLAIN } from './text-problem.ts';

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
const unreachableSkill = (name: string, code: string) =>
  skillWithError(
    name,
    'skill-unreachable',
    `The directory can’t be read (${code}). Check its owner and mode.`,
  );

const readSkillFile = (root: Root, name: string, record: PathRecord): SharedSkill => {
  const { path, inside } = placeOfSharedEntry(root, 'skills', name);
  const read = readText(join(path, 'SKILL.md'), record, inside);
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

const readSkill = (root: Root, name: string, record: PathRecord): SharedSkill | undefined => {
  const directory = join(root.shared('skills'), name);
  const own = record.lstat(directory);
  // A file isn't a skill, and pi loads single files only from an agent's directory.
  if (!own?.isDirectory() && !own?.isSymbolicLink()) return undefined;
  if (own.isSymbolicLink()) {
    const place = statIfThere(directory);
    if (!place)
      return skillWithError(
        name,
        'skill-link-broken',
        'The link is broken: its target doesn’t exist. Remove or repair it.',
      );
    if (!place.isDirectory()) return undefined;
  }
  const path = join(directory, 'SKILL.md');
  if (record.lstat(path)) return readSkillFile(root, name, record);
  // SECURITY: a link can point outside the root, so its target isn't listed.
  const names = own.isSymbolicLink() ? [] : listFolder(directory, record, insideOfRoot(root));
  return missingSkillFile(name, names.find((item) => item.isFile() && isAlmostSkillFile(item.name))?.name);
};

/**
 * Creates a blocking scan of `shared/skills`, for the disk thread. A bad SKILL.md becomes a diagnostic of that skill and
 * doesn't hide the others. Throws `outside_root`.
 */
export const createSkillsScan = (root: Root, entries: RootEntries): CatalogScan<'skills', SharedSkill> =>
  createCatalogScan(entries, 'skills', {
    read: (name, record) => readSkill(root, name, record),
    unreachable: unreachableSkill,
  });
