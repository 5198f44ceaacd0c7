import { basename, dirname, join, relative } from 'node:path';
import { NEWEST_PI } from '../../pi/flags.ts';
import { PACKAGE_RESOURCES, type PackageEntry, type PackageResource } from '../../pi/packages.ts';
import { requireAgentSync } from '../platform/agent-directory.ts';
import {
  createPackageReader,
  type FoundPackage,
  type PackageFile,
  withSlashes,
} from '../platform/package-contents.ts';
import { createKnownTexts } from '../platform/pi-disk.ts';
import type { Root } from '../platform/root.ts';

/** Requests an agent's {@link InstalledPackage}s from the disk thread, one per entry. */
export interface PackagesQuestion {
  readonly packagesOf: string;
  readonly entries: readonly PackageEntry[];
}

/** A resource that a package adds, with its path in the package. */
interface AddedResource {
  readonly name: string;
  readonly path: string;
  readonly isOff?: true;
  readonly isWhole?: true;
}

/** A package as found in the root. */
export interface InstalledPackage {
  readonly place: 'inside' | 'outside';
  /** Relative to the root. Null if it's outside. */
  readonly directory: string | null;
  /** Undefined if pi would find nothing there, or if it's outside the root. */
  readonly copy?: {
    readonly version: string | null;
    readonly adds: Readonly<Record<PackageResource, readonly AddedResource[]>>;
    readonly unlisted: readonly PackageResource[];
  };
}

/** The limit for the listed resources of a package, per kind. */
const MAX_LISTED = 200;

const toAdded = (files: readonly PackageFile[], base: string): AddedResource[] =>
  files.slice(0, MAX_LISTED).map(({ path, name, isOff, isWhole }) => {
    const named = basename(path) === 'SKILL.md' ? dirname(path) : path;
    return {
      name,
      path: withSlashes(relative(base, named)) || '.',
      ...(isOff ? { isOff: true as const } : {}),
      ...(isWhole ? { isWhole } : {}),
    };
  });

const toInstalled = ({ place, directory, copy }: FoundPackage, top: string): InstalledPackage => ({
  place,
  directory: directory === undefined ? null : withSlashes(relative(top, directory)),
  ...(copy
    ? {
        copy: {
          version: copy.version,
          adds: Object.fromEntries(
            PACKAGE_RESOURCES.map((kind) => [kind, toAdded(copy.files[kind] ?? [], copy.base)]),
          ) as Record<PackageResource, AddedResource[]>,
          unlisted: copy.unlisted(),
        },
      }
    : {}),
});

/**
 * Reads an agent's packages inside the root, for the disk thread. Blocks.
 *
 * Throws `agent_not_found` and `root_unavailable`.
 */
export const installedPackages = (
  root: Root,
  { packagesOf: id, entries }: PackagesQuestion,
  home: string,
): (InstalledPackage | null)[] => {
  const top = requireAgentSync(root, id);
  const places = { top, agent: join(top, 'agents', id), home };
  const { read } = createPackageReader(places, NEWEST_PI, createKnownTexts(), 0);
  return entries.map((entry) => {
    const found = read(entry, PACKAGE_RESOURCES);
    return found ? toInstalled(found, top) : null;
  });
};
