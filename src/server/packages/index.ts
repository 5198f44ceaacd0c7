import { join } from 'node:path';
import {
  filterIn,
  HIDDEN_PART,
  PACKAGE_RESOURCES,
  type PackageEntry,
  packageEntries,
  parsePackageSource,
  shownSource,
  sourceProblem,
} from '../../pi/packages.ts';
import { findSecrets } from '../../pi/secrets.ts';
import {
  type AgentPackage,
  type AgentPackages,
  getPackages,
  MAX_PACKAGES,
} from '../../shared/api/packages.ts';
import { posixCommand, powerShellCommand } from '../../shared/shell-commands.ts';
import type { Base, Feature } from '../feature.ts';
import { readerOf } from '../platform/caller.ts';
import type { FormFiles, TaggedText } from '../platform/form-file.ts';
import { entryProblem, missingPath, REPEATED_ENTRY, repeatedEntries } from '../platform/package-problem.ts';
import type { InstalledPackage } from './installed-packages.ts';
import { requirePackages } from './package-rules.ts';
import { shapeOfPackages } from './packages-shape.ts';

/** Returns the entries in a settings.json, or the reason why there are none. */
const entriesIn = (text: string): { readonly entries: PackageEntry[] } | { readonly problem: string } => {
  let settings: unknown;
  try {
    settings = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    settings = undefined;
  }
  if (typeof settings !== 'object' || settings === null || Array.isArray(settings))
    return {
      problem: 'settings.json is not a JSON object, so pi ignores it. Correct it in another program.',
    };
  const entries = packageEntries((settings as { packages?: unknown }).packages);
  return entries
    ? { entries }
    : {
        problem:
          '"packages" in settings.json is not a list, so pi exits with an error. Correct it in another program.',
      };
};

const shownPattern = (pattern: string): string =>
  pattern.length <= 500 && findSecrets(pattern).next().done ? pattern : HIDDEN_PART;

const problemOf = (
  entry: PackageEntry,
  installed: InstalledPackage | null,
  isRepeated: boolean,
): string | undefined => {
  const { source } = entry;
  const problem = entryProblem(entry);
  if (problem !== undefined) return problem;
  if (isRepeated) return REPEATED_ENTRY;
  const isMissing =
    source !== undefined &&
    parsePackageSource(source).kind === 'path' &&
    installed?.place === 'inside' &&
    !installed.copy;
  return isMissing ? missingPath(source) : undefined;
};

/** Returns the command that installs a package for the agent in a directory. */
const installCommand = (directory: string, source: string): AgentPackage['install'] => {
  const run = {
    argv: ['pi', 'install', source],
    env: { PI_CODING_AGENT_DIR: directory },
    workspaceParent: null,
    directories: [],
  };
  return { posix: posixCommand(run), powershell: powerShellCommand(run) };
};

const toPackage = (
  entry: PackageEntry,
  index: number,
  installed: InstalledPackage | null,
  isRepeated: boolean,
  directory: string,
): AgentPackage => {
  const { source } = entry;
  const shown = source === undefined ? null : shownSource(source);
  const problem = problemOf(entry, installed, isRepeated);
  const isRefused = source === undefined || sourceProblem(source) !== undefined;
  const parsed = isRefused ? undefined : parsePackageSource(source);
  const requested = parsed?.kind === 'npm' ? parsed.version : parsed?.kind === 'git' ? parsed.ref : undefined;
  const isHidden = shown !== source;
  const filters = PACKAGE_RESOURCES.flatMap((resource) => {
    const patterns = filterIn(entry, resource);
    return patterns ? [[resource, patterns.map(shownPattern)] as const] : [];
  });
  return {
    index,
    source: shown,
    kind: parsed?.kind ?? null,
    requested: requested === undefined ? null : shownSource(requested),
    place: parsed ? (installed?.place ?? null) : null,
    // SECURITY: pi derives the directory's name from the entire source.
    directory: parsed && !isHidden ? (installed?.directory ?? null) : null,
    installed: parsed && installed?.copy ? { version: installed.copy.version } : null,
    ...(entry.fields?.autoload === false ? { autoload: false as const } : {}),
    filters: Object.fromEntries(filters),
    adds:
      parsed && installed?.copy
        ? (structuredClone(installed.copy.adds) as NonNullable<AgentPackage['adds']>)
        : null,
    ...(installed?.copy && installed.copy.unlisted.length > 0
      ? { unlisted: [...installed.copy.unlisted] }
      : {}),
    ...(problem === undefined ? {} : { problem }),
    install:
      parsed === undefined || parsed.kind === 'path' || isHidden || source === undefined
        ? null
        : installCommand(directory, source.trim()),
  };
};

/** Creates the route for agents' pi packages. */
export const createPackages = ({
  root,
  disk,
  files,
}: Pick<Base, 'root' | 'disk'> & { readonly files: Pick<FormFiles, 'readTagged'> }): Feature & {
  /** Refuses changes of `packages` that pi couldn't use. */
  readonly require: typeof requirePackages;
} => {
  const listed = async (id: string, file: TaggedText | undefined): Promise<AgentPackages> => {
    const read = entriesIn(file?.content ?? '{}');
    const all = 'entries' in read ? read.entries : [];
    const entries = all.slice(0, MAX_PACKAGES);
    const { json } = await disk.ask<(InstalledPackage | null)[]>({
      packagesOf: id,
      entries: entries.map((entry) =>
        entry.source === undefined || sourceProblem(entry.source) !== undefined
          ? { ...entry, source: undefined }
          : entry,
      ),
    });
    const installed = JSON.parse(json.toString()) as (InstalledPackage | null)[];
    const repeated = repeatedEntries(entries);
    const packages = entries.map((entry, index) =>
      toPackage(
        entry,
        index,
        installed[index] ?? null,
        repeated[index] === true,
        join(root.path, 'agents', id),
      ),
    );
    return {
      exists: file !== undefined,
      etag: file?.etag ?? null,
      ...('problem' in read
        ? { problem: read.problem }
        : all.length > entries.length
          ? { problem: `dot-mi lists only the first ${MAX_PACKAGES} packages.` }
          : {}),
      packages,
    };
  };
  return {
    require: requirePackages,
    routes(bind) {
      bind(getPackages, async ({ params: { id } }, caller) => {
        const packages = await listed(id, await files.readTagged(id, 'settings.json', readerOf(caller)));
        return caller.kind === 'operator' ? packages : shapeOfPackages(packages);
      });
    },
  };
};
