import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { AGENT_PROMPT_EXTENSIONS } from '../../pi/agent-md.ts';
import { type AgentModel, modelName, SETTINGS_FILE } from '../../pi/agent-model.ts';
import { NEWEST_PI } from '../../pi/flags.ts';
import { interpret } from '../../pi/interpret.ts';
import { type AgentProfile, MAX_PROFILE_LINE, MAX_PROFILE_TOOLS } from '../../shared/api/profiles.ts';
import type { ScanContext, WatchCoverage } from '../disk/coverage.ts';
import { coverTarget, joinCoverage } from '../disk/coverage.ts';
import { systemCode } from '../platform/app-error.ts';
import { ANYONE_READER } from '../platform/caller.ts';
import { fingerprintOf, mayKeepRead } from '../platform/fingerprint.ts';
import { agentIdOf, createDirectoryLister, lstatIfThere, statIfThere } from '../platform/list-directory.ts';
import { mayShowLinked } from '../platform/may-read.ts';
import { readRegularSync } from '../platform/regular-file.ts';
import { placeInside } from '../platform/resolves-outside.ts';
import { type Root, requireAgentsFolder } from '../platform/root.ts';

/** A prompt's first line fits in these bytes, and so does everything that AGENT.md and pi-args say about a model. */
const MOST_BYTES = { prompt: 4 * 1024, others: 64 * 1024 };

interface KnownProfile {
  /** Undefined if there's no content. */
  readonly profile: AgentProfile | undefined;
  /** `profile` is valid while the agent's directory has this fingerprint. If undefined, it's never reused. */
  readonly fingerprint: string | undefined;
  /** The profile's other dependencies with their fingerprints: link targets, and links to extensions. */
  readonly others: ReadonlyMap<string, string>;
  readonly cover: WatchCoverage | undefined;
  /** True if `cover` also covers `others`. */
  readonly isCovered: boolean;
}

interface ProfilesScan {
  /**
   * Lists the profiles. Without a watch, it costs one `lstat` per agent and returns the same object until something
   * changes. Throws `root_unavailable`.
   */
  (at: ScanContext): { agents: AgentProfile[] };
  /** Makes the next scan read these agents again. Null means all. Without a watch, scans miss writes into files. */
  lookAgain(ids: readonly string[] | null): void;
}

const printOf = (path: string): string => {
  try {
    const stats = statIfThere(path);
    return stats ? fingerprintOf(stats).text : '-';
  } catch (error) {
    return systemCode(error) ?? 'unknown';
  }
};

const readStart = (path: string, inside: readonly string[], maxBytes: number): string | undefined => {
  // SECURITY: a directory on the way can be swapped for a link to a private one.
  const read = readRegularSync(path, { inside, isExact: true, maxBytes, startOnly: true });
  // The editor and the search also refuse these bytes.
  return 'bytes' in read && !read.bytes.includes(0) ? read.bytes.toString('utf8') : undefined;
};

/** Returns a prompt's first line that isn't a heading, or else its first heading. */
const firstLineOf = (prompt: string): string | undefined => {
  const lines = prompt.replace(/^\uFEFF/, '').split(/\r?\n/);
  const line =
    lines.find((text) => /^(?!#{1,6}\s)\s*\S/.test(text)) ?? lines.find((text) => text.trim() !== '');
  const text = line?.replace(/^#{1,6}\s+/, '').trim();
  if (!text) return undefined;
  const characters = Array.from(text);
  return characters.length > MAX_PROFILE_LINE
    ? `${characters.slice(0, MAX_PROFILE_LINE - 1).join('')}…`
    : text;
};

const profileModel = (model: AgentModel): AgentProfile['model'] => {
  const { thinking, source } = model;
  return { name: modelName(model), ...(thinking === undefined ? {} : { thinking }), source };
};

/** Creates a blocking scan of the agents' descriptions in their files, for the disk thread. */
export const createProfilesScan = (root: Root): ProfilesScan => {
  const listAgents = createDirectoryLister(root.path, root.agents, agentIdOf);
  let known = new Map<string, KnownProfile>();
  let result: { agents: AgentProfile[] } = { agents: [] };

  const readProfile = (
    id: string,
    at: ScanContext,
  ): Pick<KnownProfile, 'profile' | 'others'> & {
    isFixed: boolean;
    covers: (WatchCoverage | undefined)[];
  } => {
    const realRoot = realpathSync.native(root.path);
    const directory = join(realRoot, 'agents', id);
    const inside = [realRoot];
    const others = new Map<string, string>();
    const covers: (WatchCoverage | undefined)[] = [];
    let isFixed = true;
    const addOther = (path: string) => {
      covers.push(coverTarget(path, at));
      others.set(path, printOf(path));
    };
    const textOf = (name: string, bytes = MOST_BYTES.others): string | undefined => {
      const path = join(directory, name);
      try {
        const stats = lstatIfThere(path);
        if (!stats?.isSymbolicLink()) return stats && readStart(path, inside, bytes);
        addOther(path);
        // SECURITY: links that point outside the root are never followed.
        const place = placeInside(path, inside);
        if (place === undefined) return undefined;
        // SECURITY: all callers get this list, and a link may end at a file that only the operator sees.
        const isShown = name === SETTINGS_FILE || mayShowLinked(ANYONE_READER, place, realRoot);
        return isShown ? readStart(place, inside, bytes) : undefined;
      } catch (error) {
        // The file may become readable without a change to the directory.
        if (systemCode(error) === undefined) throw error;
        isFixed = false;
        return undefined;
      }
    };
    const agentFile = join(directory, 'AGENT.md');
    const agentText = textOf('AGENT.md');
    const ofReader = new Set(AGENT_PROMPT_EXTENSIONS.map((path) => join(directory, 'extensions', ...path)));
    const { model, args } = interpret(
      {
        join,
        readText(path) {
          if (!ofReader.has(path)) return path === agentFile ? agentText : textOf(relative(directory, path));
          // Its code says nothing about the model.
          addOther(path);
          return others.get(path) === '-' ? undefined : '';
        },
        // Only these decide which model an agent starts with, and only if it has an AGENT.md.
        list: () =>
          agentText === undefined
            ? []
            : AGENT_PROMPT_EXTENSIONS.map(([name = '', ...rest]) => ({
                name,
                kind: rest.length > 0 ? 'directory' : 'file',
              })),
      },
      directory,
      homedir(),
      NEWEST_PI,
    );
    const tools = args.noTools ? [] : args.tools;
    const firstLine = firstLineOf(textOf('SYSTEM.md', MOST_BYTES.prompt) ?? '');
    const profile = {
      id,
      ...(model ? { model: profileModel(model) } : {}),
      ...(tools ? { tools: tools.slice(0, MAX_PROFILE_TOOLS) } : {}),
      ...(firstLine === undefined ? {} : { firstLine }),
    };
    return {
      profile: model || tools || firstLine !== undefined ? profile : undefined,
      others,
      isFixed,
      covers,
    };
  };

  const look = (id: string, before: KnownProfile | undefined, at: ScanContext): KnownProfile | undefined => {
    if (before?.isCovered && at.isSame(before.cover)) return before;
    const cover = at.cover(before?.cover, root.agent(id));
    try {
      const stats = lstatIfThere(root.agent(id));
      // The agent was removed or replaced since the listing.
      if (!stats?.isDirectory()) return undefined;
      const fingerprint = fingerprintOf(stats);
      const isKnown =
        before?.fingerprint === fingerprint.text &&
        before.cover === cover &&
        [...before.others].every(([path, print]) => printOf(path) === print);
      if (isKnown) {
        if (!before.isCovered) at.miss();
        return before;
      }
      const { profile, others, isFixed, covers } = readProfile(id, at);
      const known = covers.filter((one) => one !== undefined);
      const isCovered = cover !== undefined && isFixed && known.length === covers.length;
      if (!isCovered) at.miss();
      return {
        profile: isDeepStrictEqual(before?.profile, profile) ? before?.profile : profile,
        others,
        fingerprint: isFixed && mayKeepRead(fingerprint, at.nowMs) ? fingerprint.text : undefined,
        cover: isCovered ? joinCoverage([cover, ...known]) : cover,
        isCovered,
      };
    } catch (error) {
      at.miss();
      // The list of agents reports this error.
      if (systemCode(error) === undefined) throw error;
      return undefined;
    }
  };

  const scan = (at: ScanContext): { agents: AgentProfile[] } => {
    at.coverAlso(root.agents);
    requireAgentsFolder(root);
    const next = new Map<string, KnownProfile>();
    for (const name of listAgents(at.nowMs).entries) {
      const found = look(name, known.get(name), at);
      if (found) next.set(name, found);
    }
    known = next;
    const agents = Array.from(next.values()).flatMap(({ profile }) => profile ?? []);
    const same = agents.length === result.agents.length && agents.every((one, i) => one === result.agents[i]);
    if (!same) result = { agents };
    return result;
  };

  const lookAgain = (changed: readonly string[] | null): void => {
    for (const id of changed ?? known.keys()) {
      const before = known.get(id);
      if (before) known.set(id, { ...before, fingerprint: undefined, cover: undefined, isCovered: false });
    }
  };

  return Object.assign(scan, { lookAgain });
};
