import { realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { SkillText } from '../../shared/api/catalog.ts';
import { MAX_FILE_BYTES } from '../../shared/api/names.ts';
import { requireAgent } from '../platform/agent-directory.ts';
import { AppError, isNotFound, replaced } from '../platform/app-error.ts';
import { decodeUtf8, readRegular } from '../platform/regular-file.ts';
import { isInside, type Root, resolveRoot } from '../platform/root.ts';
import { toSkill } from './scan-skills.ts';

/** Reads the SKILL.md of a shared skill, or of the entry with this name in an agent's skills. */
export type SkillTextReader = (name: string, agent: string | undefined) => Promise<SkillText>;

const readText = async (path: string, realRoot: string, shown: string): Promise<string> => {
  const read = await readRegular(path, { inside: [realRoot], maxBytes: MAX_FILE_BYTES });
  if ('problem' in read) {
    throw read.problem === 'not-a-file'
      ? new AppError('not_a_file', `${shown} is not a regular file.`)
      : new AppError('file_too_large', `${shown} is larger than the limit of 2 MiB.`);
  }
  if (read.bytes.includes(0))
    throw new AppError('not_text', `${shown} contains NUL bytes, so it is not a text.`);
  const text = decodeUtf8(read.bytes)?.replace(/^\uFEFF/, '');
  if (text === undefined) throw new AppError('not_text', `${shown} is not UTF-8.`);
  return text;
};

/** Creates the reader of one root. */
export const createSkillTextReader =
  (root: Root): SkillTextReader =>
  async (name, agent) => {
    const realRoot = agent === undefined ? await resolveRoot(root) : await requireAgent(root, agent);
    const folder = agent === undefined ? ['shared', 'skills', name] : ['agents', agent, 'skills', name];
    const shown = [...folder, 'SKILL.md'].join('/');
    const target = await realpath(join(realRoot, ...folder, 'SKILL.md')).catch((error: unknown) => {
      if (isNotFound(error)) throw new AppError('file_not_found', `${shown} doesn't exist.`);
      throw error;
    });
    // SECURITY: the catalog may report a skill that is linked from elsewhere, but no text outside the root.
    if (!isInside(realRoot, target)) {
      throw new AppError(
        'outside_root',
        `${shown} is a symlink to a place outside the root, so dot-mi doesn't show it.`,
      );
    }
    const text = await readText(target, realRoot, shown).catch((error: unknown) => {
      // It was there a moment ago.
      throw isNotFound(error) ? replaced(target) : error;
    });
    const { description, diagnostics } = toSkill(name, text);
    return {
      name,
      ...(description === undefined ? {} : { description }),
      path: relative(realRoot, target).split(sep).join('/'),
      text,
      diagnostics,
    };
  };
