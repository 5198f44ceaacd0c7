import type { LinkKind } from '../../shared/api/names.ts';
import type { Root } from '../platform/root.ts';
import type { ScanContext } from '../root-model/coverage.ts';
import type { RootEntries } from '../root-model/root-entries.ts';
import { piNameOf } from './local-names.ts';
import { createExtensionsScan } from './scan-extensions.ts';
import { createPromptsScan, createThemesScan } from './scan-files.ts';
import { createSkillsScan } from './scan-skills.ts';

/** A shared entry and the name pi knows it by. */
interface NamedEntry {
  readonly name: string;
  /** Undefined if pi doesn't load it, or if its kind allows duplicate names, as extensions do. */
  readonly loadedAs?: string | undefined;
}

/**
 * Creates the blocking scans of the catalogs, for the disk thread. `entries` lists entries with the names pi uses.
 */
export const createCatalogScans = (root: Root, rootEntries: RootEntries) => {
  const scans = {
    extensions: createExtensionsScan(root, rootEntries),
    skills: createSkillsScan(root, rootEntries),
    prompts: createPromptsScan(root, rootEntries),
    themes: createThemesScan(root, rootEntries),
  };
  const entries: Readonly<Record<LinkKind, (at: ScanContext) => readonly NamedEntry[]>> = {
    extensions: (at) => scans.extensions(at).extensions.map(({ name }) => ({ name })),
    skills: (at) => scans.skills(at).skills.map((skill) => ({ name: skill.name, loadedAs: piNameOf(skill) })),
    prompts: (at) => scans.prompts(at).prompts.map(({ name }) => ({ name, loadedAs: name })),
    themes: (at) => scans.themes(at).themes.map(({ name, themeName }) => ({ name, loadedAs: themeName })),
  };
  return { scans, entries };
};
