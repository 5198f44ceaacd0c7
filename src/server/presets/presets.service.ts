import { isUtf8 } from 'node:buffer';
import type { Stats } from 'node:fs';
import {
  type AppliedPreset,
  MAX_PRESET_BYTES,
  type PresetContent,
  type WrittenPreset,
} from '../../shared/api/presets.ts';
import { AppError, isNotFound, systemCode } from '../platform/app-error.ts';
import { removeLeftoverTemps, writeFileIn } from '../platform/atomic-write.ts';
import { type Changes, MISSING } from '../platform/changes.ts';
import type { DirectoryHandle } from '../platform/directory-handle.ts';
import { type EtagOf, namesEtag } from '../platform/etag.ts';
import type { WriteConditions } from '../platform/write-conditions.ts';
import { type ApplyDeps, createApply } from './apply-preset.ts';
import {
  fileOf,
  formatPreset,
  isPresetFile,
  type ParsedPreset,
  parsePreset,
  serversProblem,
} from './preset-file.ts';
import { type DeletedPreset, type PresetsFolder, pathOf, stateOf } from './presets-folder.ts';
import { presetNotFound } from './scan-presets.ts';

/** Dependencies of {@link createPresetsService}. */
export interface PresetsDeps extends ApplyDeps {
  readonly folder: PresetsFolder;
  readonly changes: Pick<Changes, 'apply' | 'record'>;
  readonly etagOf: EtagOf;
  /** Returns an agent's MCP server entry as written in its mcp.json. */
  serverOf(agent: string, name: string): Promise<unknown>;
  readonly trash: {
    /** Stores a deleted preset. Returns the name of its trash item. */
    keepPreset(name: string, file: DeletedPreset): Promise<string>;
    /** Finds the trash item for the most recently deleted preset with this name. */
    findPreset(name: string): Promise<string | undefined>;
    restore(entry: string): Promise<unknown>;
  };
}

/** Writes and applies presets. The disk thread lists them. */
interface PresetsService {
  write(
    name: string,
    content: WrittenPreset,
    conditions: WriteConditions,
  ): Promise<{ ok: true; etag: string; created: boolean }>;
  rename(name: string, to: string, ifMatch: string | undefined): Promise<void>;
  /** Moves a preset to the trash. Returns the name of its trash item. */
  remove(name: string, ifMatch: string | undefined): Promise<string>;
  /** Restores the most recently deleted preset with this name. */
  restore(name: string): Promise<void>;
  apply(name: string, agents: readonly string[], unlinkOthers: boolean): Promise<AppliedPreset>;
}

const fileChanged = (name: string, etag: string | undefined): AppError =>
  new AppError(
    'file_changed',
    `The preset "${name}" has changed since you read it. Read it again, then decide which version to keep.`,
    { etag: etag ?? null },
  );

const notInTrash = (name: string): AppError =>
  new AppError('preset_not_found', `The trash has no preset "${name}".`).withHint({
    route: 'GET /api/trash',
    text: 'GET /api/trash lists its items.',
  });

const unreadable = (name: string): AppError =>
  new AppError(
    'preset_unreadable',
    `shared/presets/${name}.json is not a preset. Correct it in another program, or delete it.`,
  );

const tooLarge = (name: string): AppError =>
  new AppError('file_too_large', `The preset "${name}" is larger than the limit of 64 KiB. Shorten it.`);

interface PresetFile {
  readonly bytes: Buffer;
  readonly etag: string;
  readonly stats: Stats;
}

/** Reads a preset's file, or returns undefined if it doesn't exist. */
const readFileOf = async (
  presets: DirectoryHandle,
  name: string,
  etagOf: EtagOf,
): Promise<PresetFile | undefined> => {
  const stats = await presets.lstat(fileOf(name)).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
  if (!stats) return undefined;
  if (stats.isSymbolicLink()) {
    throw new AppError(
      'linked_file',
      `shared/presets/${name}.json is a symlink, and dot-mi doesn’t follow it. Replace it with a file.`,
    );
  }
  // SECURITY: use only the opened file, because another user may have replaced it by now.
  const file = await presets.openFile(fileOf(name));
  try {
    const opened = await file.stat();
    if (!opened.isFile()) {
      throw new AppError(
        'not_a_file',
        `shared/presets/${name}.json is not a regular file. Remove it or move it somewhere else, then try again.`,
      );
    }
    if (opened.size > MAX_PRESET_BYTES) throw tooLarge(name);
    const bytes = await file.readFile();
    return { bytes, stats: opened, etag: etagOf(bytes) };
  } finally {
    await file.close();
  }
};

/** Reads a preset's file. It must exist and match one of the etags. */
const requireFile = async (
  presets: DirectoryHandle,
  name: string,
  etagOf: EtagOf,
  ifMatch?: string,
): Promise<PresetFile> => {
  const file = await readFileOf(presets, name, etagOf);
  if (!file) throw presetNotFound(name);
  if (ifMatch !== undefined && !namesEtag(ifMatch, file.etag)) throw fileChanged(name, file.etag);
  return file;
};

/** Returns a preset's new bytes. Keeps fields that dot-mi can't read. */
const formatOver = (name: string, content: PresetContent, before: PresetFile | undefined): Buffer => {
  const parsed = before && parsePreset(before.bytes);
  if (before && !parsed) throw unreadable(name);
  return formatPreset(content, parsed);
};

const checkConditions = (
  { ifMatch, ifNoneMatch }: WriteConditions,
  name: string,
  etag: string | undefined,
) => {
  const lost = ifMatch !== undefined && !namesEtag(ifMatch, etag);
  const taken = ifNoneMatch !== undefined && namesEtag(ifNoneMatch, etag);
  if (lost || taken) throw fileChanged(name, etag);
};

/** Refuses MCP servers that a preset can't add to any agent. */
const requireServers = (servers: PresetContent['mcpServers']): void => {
  const problem = serversProblem(servers);
  if (problem !== undefined) throw new AppError('mcp_server_refused', problem);
};

export const createPresetsService = (deps: PresetsDeps): PresetsService => {
  const { etagOf } = deps;
  const { change, create, withPresets } = deps.folder;
  const applyTo = createApply(deps);

  /** Runs `use` with the open directory, which must contain the preset. */
  const withPreset = <T>(name: string, use: (presets: DirectoryHandle) => Promise<T>): Promise<T> =>
    withPresets(false, use).catch((error: unknown) => {
      throw isNotFound(error) ? presetNotFound(name) : error;
    });

  const requireParsed = (name: string): Promise<ParsedPreset> =>
    withPreset(name, async (presets) => {
      const parsed = parsePreset((await requireFile(presets, name, etagOf)).bytes);
      if (!parsed) throw unreadable(name);
      requireServers(parsed.mcpServers);
      return parsed;
    });

  /**
   * Returns agents' MCP entries without their `enabled` field. Throws `mcp_server_not_found` for an entry that can't
   * be read.
   */
  const serversOf = async (from: WrittenPreset['mcpServersFrom']): Promise<PresetContent['mcpServers']> => {
    const found: [string, PresetContent['mcpServers'][string]][] = [];
    for (const [name, agent] of Object.entries(from)) {
      const entry = await deps.serverOf(agent, name).catch((error: unknown) => {
        throw error instanceof AppError && error.code !== 'root_unavailable'
          ? new AppError('mcp_server_not_found', error.text)
          : error;
      });
      const { enabled: _, ...fields } = (entry ?? {}) as PresetContent['mcpServers'][string];
      found.push([name, fields]);
    }
    return Object.fromEntries(found);
  };

  const writeInto = async (
    presets: DirectoryHandle,
    name: string,
    content: PresetContent,
    conditions: WriteConditions,
  ) => {
    const before = await readFileOf(presets, name, etagOf);
    checkConditions(conditions, name, before?.etag);
    const bytes = formatOver(name, content, before);
    if (bytes.length > MAX_PRESET_BYTES) throw tooLarge(name);
    await removeLeftoverTemps(presets, isPresetFile);
    const write = (recorded: Promise<void>) =>
      writeFileIn(presets, fileOf(name), bytes, {
        mode: before?.stats.mode,
        owner: before?.stats,
        exclusive: !before,
        // Other programs don't use our lock. Check again, so that they can interfere only during the rename.
        beforeReplace: async () => {
          await recorded;
          const now = await readFileOf(presets, name, etagOf);
          if (now?.etag !== before?.etag) throw fileChanged(name, now?.etag);
        },
      }).catch(async (error: unknown) => {
        if (systemCode(error) !== 'EEXIST') throw error;
        throw fileChanged(name, (await readFileOf(presets, name, etagOf))?.etag);
      });
    const earlier = before ? stateOf(before.bytes, before.stats.mode) : MISSING;
    const items = [{ path: pathOf(name), before: earlier, after: stateOf(bytes) }];
    await deps.changes.record(`Save preset ${name}`, items, write);
    return { ok: true as const, etag: etagOf(bytes), created: !before };
  };

  return {
    async write(name, { mcpServersFrom, ...sent }, conditions) {
      const content = { ...sent, mcpServers: { ...sent.mcpServers, ...(await serversOf(mcpServersFrom)) } };
      requireServers(content.mcpServers);
      return change(() => withPresets(true, (presets) => writeInto(presets, name, content, conditions)));
    },

    rename: (name, to, ifMatch) =>
      change(() =>
        withPreset(name, async (presets) => {
          const { bytes } = await requireFile(presets, name, etagOf, ifMatch);
          if (name === to) return;
          const file = stateOf(bytes);
          const items = [
            { path: pathOf(to), before: MISSING, after: file },
            { path: pathOf(name), before: file, after: MISSING },
          ];
          await deps.changes.record(`Rename preset ${name} to ${to}`, items, async (recorded) => {
            await recorded;
            await create(presets, to, { bytes });
            await presets.unlink(fileOf(name));
          });
        }),
      ),

    remove: (name, ifMatch) =>
      change(() =>
        withPreset(name, async (presets) => {
          const { bytes, stats } = await requireFile(presets, name, etagOf, ifMatch);
          // Store the preset before removing it, so that a crash in between leaves both copies.
          const entry = await deps.trash.keepPreset(name, { bytes, mode: stats.mode });
          const after = { is: 'missing', trash: entry } as const;
          const items = [{ path: pathOf(name), before: stateOf(bytes, stats.mode), after }];
          const remove = async (recorded: Promise<void>) => {
            await recorded;
            await presets.unlink(fileOf(name));
          };
          // A damaged preset that isn't text comes back from the trash alone.
          if (isUtf8(bytes)) await deps.changes.record(`Delete preset ${name}`, items, remove);
          else await remove(Promise.resolve());
          return entry;
        }),
      ),

    restore: async (name) => {
      const entry = await deps.trash.findPreset(name);
      if (entry === undefined) throw notInTrash(name);
      await deps.trash.restore(entry).catch((error: unknown) => {
        // Another request restored the preset first.
        throw error instanceof AppError && error.code === 'trash_entry_not_found' ? notInTrash(name) : error;
      });
    },

    apply: async (name, agents, unlinkOthers) =>
      applyTo(`Apply preset ${name}`, await requireParsed(name), agents, unlinkOthers),
  };
};
