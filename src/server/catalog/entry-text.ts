import { realpathSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { EntryText, TextKind } from '../../shared/api/catalog.ts';
import { MAX_FILE_BYTES } from '../../shared/api/names.ts';
import { requireAgentSync } from '../platform/agent-directory.ts';
import { AppError, isNotFound, replaced } from '../platform/app-error.ts';
import type { Reader } from '../platform/caller.ts';
import { mayShowLinked } from '../platform/may-read.ts';
import { decodeUtf8, readRegularSync } from '../platform/regular-file.ts';
import { isInside, type Root } from '../platform/root.ts';
import { readPromptTemplate } from './prompt-template.ts';
import { toSkill } from './scan-skills.ts';
import { readTheme } from './theme.ts';

/** A request for {@link entryTextOf} on the disk thread. */
export interface EntryTextQuestion {
  readonly textOf: string;
  readonly kind: TextKind;
  /** Undefined for the shared entry. */
  readonly agent: string | undefined;
  readonly reader: Reader;
}

/** Functions that extract a description from an entry's own text. */
const ABOUT: Readonly<
  Record<TextKind, (name: string, text: string) => Pick<EntryText, 'description' | 'diagnostics'>>
> = {
  skills: toSkill,
  prompts: (name, text) => readPromptTemplate(name, { text }),
  themes: (_name, text) => readTheme({ text }),
};

const readText = (path: string, realRoot: string, shown: string): string => {
  const read = readRegularSync(path, { inside: [realRoot], isExact: true, maxBytes: MAX_FILE_BYTES });
  if ('problem' in read) {
    throw read.problem === 'not-a-file'
      ? new AppError('not_a_file', `${shown} is not a regular file. Replace it with one.`)
      : new AppError('file_too_large', `${shown} is larger than the limit of 2 MiB. Shorten it.`);
  }
  if (read.bytes.includes(0))
    throw new AppError(
      'not_text',
      `${shown} contains NUL bytes, so it is not text. Replace it with a text file.`,
    );
  const text = decodeUtf8(read.bytes)?.replace(/^\uFEFF/, '');
  if (text === undefined) throw new AppError('not_text', `${shown} is not UTF-8. Save it as UTF-8.`);
  return text;
};

/** Reads the text of a shared entry, or of an agent's entry with this name. Blocks. */
export const entryTextOf = (
  root: Root,
  { textOf: name, kind, agent, reader }: EntryTextQuestion,
): EntryText => {
  const realRoot = agent === undefined ? realpathSync.native(root.path) : requireAgentSync(root, agent);
  const folder = agent === undefined ? 'shared' : `agents/${agent}`;
  const shown = `${folder}/${kind}/${name}${kind === 'skills' ? '/SKILL.md' : ''}`;
  let target: string;
  try {
    target = realpathSync.native(join(realRoot, shown));
  } catch (error) {
    if (isNotFound(error)) throw new AppError('file_not_found', `${shown} doesn’t exist. Reload the list.`);
    throw error;
  }
  // SECURITY: the catalog may list an entry linked from elsewhere, but never returns text from outside the root.
  if (!isInside(realRoot, target)) {
    throw new AppError(
      'outside_root',
      `${shown} is a symlink to a place outside the root, so dot-mi doesn’t show it. Move its target into the root.`,
    );
  }
  if (!mayShowLinked(reader, target, realRoot))
    throw new AppError(
      'not_a_file',
      `${shown} is a symlink to a file that dot-mi doesn’t show. Replace it with a file.`,
    );
  let text: string;
  try {
    text = readText(target, realRoot, shown);
  } catch (error) {
    // The target existed a moment ago, so it was probably replaced.
    throw isNotFound(error) ? replaced(target) : error;
  }
  const { description, diagnostics } = ABOUT[kind](name, text);
  return {
    name,
    ...(description === undefined ? {} : { description }),
    path: relative(realRoot, target).split(sep).join('/'),
    text,
    diagnostics,
  };
};
