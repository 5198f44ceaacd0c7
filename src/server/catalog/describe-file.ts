import type { Diagnostic } from '../../shared/api/catalog.ts';
import { readPromptTemplate } from './prompt-template.ts';
import type { SharedText } from './read-shared.ts';
import { readTheme } from './theme.ts';

/** The kinds whose entries are single files. */
export type FileKind = 'prompts' | 'themes';

/** What a rule needs to know of a file: the name that pi knows it by, and what is wrong with it. */
export interface DescribedFile {
  /** Undefined if pi doesn't load it. */
  readonly loadedAs: string | undefined;
  readonly own: readonly Diagnostic[];
}

/** Describes the text of a prompt template or a theme. */
export const describeFile = (kind: FileKind, name: string, read: SharedText): DescribedFile => {
  if (kind === 'themes') {
    const { themeName, diagnostics } = readTheme(read);
    return { loadedAs: themeName, own: diagnostics };
  }
  const { command, diagnostics } = readPromptTemplate(name, read);
  const isRejected = diagnostics.some(({ severity }) => severity === 'error');
  return { loadedAs: isRejected ? undefined : command, own: diagnostics };
};
