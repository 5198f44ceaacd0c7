import type { Diagnostic } from '../../shared/api/catalog.ts';
import type { SharedText } from '../root-model/reader.ts';
import { readPromptTemplate } from './prompt-template.ts';
import { readTheme } from './theme.ts';

/** The kinds whose entries are single files. */
export type FileKind = 'prompts' | 'themes';

/** The facts about a file that rules need: the name pi knows it by, and its problems. */
interface DescribedFile {
  readonly loadedAs: string | undefined;
  readonly own: readonly Diagnostic[];
}

/** Describes a prompt template or theme, based on its text. */
export const describeFile = (kind: FileKind, name: string, read: SharedText): DescribedFile => {
  if (kind === 'themes') {
    const { themeName, diagnostics } = readTheme(read);
    return { loadedAs: themeName, own: diagnostics };
  }
  const { command, diagnostics } = readPromptTemplate(name, read);
  const isRejected = diagnostics.some(({ severity }) => severity === 'error');
  return { loadedAs: isRejected ? undefined : command, own: diagnostics };
};
