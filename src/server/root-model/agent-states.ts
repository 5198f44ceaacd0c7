import { hash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import {
  EDITABLE_FILES,
  FORM_FILES,
  isEntryName,
  LINK_KINDS,
  type LinkKind,
  type WrittenFile,
} from '../../shared/api/names.ts';
import { requireAgentSync } from '../platform/agent-directory.ts';
import { AppError, isNotFound, systemCode, unlessRefused } from '../platform/app-error.ts';
import type { SeenPath, SeenState } from '../platform/changes.ts';
import { fingerprintOf, mayKeepRead } from '../platform/fingerprint.ts';
import { agentIdOf, lstatIfThere } from '../platform/list-directory.ts';
import { listInside, withDirectoryInside } from '../platform/open-inside.ts';
import { requireAgentsFolder } from '../platform/root.ts';
import { type FilesPlace, readAgentFile } from './agent-file.ts';

/** What change sets can change in an agent, as it is on disk. */
export interface SeenAgent {
  /** Equal while nothing changes. Empty if it's too new to tell. */
  readonly print: string;
  /** When something in it was last changed, in milliseconds since 1970. */
  readonly changedAtMs: number;
  readonly paths: readonly SeenPath[];
}

/** A request to the disk thread for the ids of all agents, for those that changed, or for a {@link SeenAgent}. */
export type SeenQuestion =
  | { readonly seenAgents: true }
  | { readonly seenChanges: readonly (readonly [id: string, print: string])[] }
  | { readonly seen: string };

const FILES: readonly WrittenFile[] = [...EDITABLE_FILES, ...FORM_FILES];

/** More links than this aren't looked at, so that a hostile directory can't take much memory. */
const MOST_LINKS = 10_000;

interface Look {
  readonly print: string;
  readonly changedAtMs: number;
}

const MISSING: Look = { print: '-', changedAtMs: 0 };

const lookAt = (path: string): Look => {
  try {
    const stats = lstatIfThere(path);
    if (!stats) return MISSING;
    const { text, changedAtMs } = fingerprintOf(stats);
    return { print: text, changedAtMs };
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    return { print: code, changedAtMs: 0 };
  }
};

const printOf = (looks: readonly Look[], nowMs: number): string => {
  const changedAtMs = Math.max(...looks.map((look) => look.changedAtMs));
  return mayKeepRead({ changedAtMs }, nowMs)
    ? hash('sha1', looks.map(({ print }) => print).join(' '), 'base64')
    : '';
};

/** Looks at an agent's files and link folders, without reading them. */
const lookAtAgent = (directory: string): Look[] =>
  [...FILES, ...LINK_KINDS].map((name) => lookAt(join(directory, name)));

/** Returns the state of one of the agent's files. Undefined if it's missing. */
const seeFile = (place: FilesPlace, id: string, name: WrittenFile): SeenState | undefined => {
  const path = join(place.root.agent(id), name);
  const stats = lstatIfThere(path);
  if (!stats) return undefined;
  const other = { is: 'other', print: `${stats.size}:${stats.mtimeNs}` } as const;
  // A change set refuses a link, so its target is nobody's version of this file.
  if (!stats.isFile()) return other;
  try {
    const found = readAgentFile(place, id, name, undefined);
    if (found?.kind === 'missing') return undefined;
    return found?.kind === 'text'
      ? { is: 'file', text: found.file.content, mode: Number(stats.mode) & 0o777 }
      : other;
  } catch (error) {
    // A file that is being replaced is read again. One that can't be read doesn't hide the others.
    if (isNotFound(error) || systemCode(error) === 'ESTALE' || systemCode(error) === undefined) throw error;
    return other;
  }
};

/** SECURITY: the open folder, so that swapping it for a link reveals nothing about another directory. */
const seeLinks = (agent: string, kind: LinkKind): SeenPath[] => {
  try {
    return withDirectoryInside([agent], join(agent, kind), ({ list, linkText }) =>
      list()
        .filter((entry) => entry.isSymbolicLink() && isEntryName(entry.name))
        .slice(0, MOST_LINKS)
        .flatMap(({ name }): SeenPath[] => {
          const text = unlessRefused(() => linkText(name));
          return text === undefined ? [] : [{ name: `${kind}/${name}`, state: { is: 'link', text } }];
        }),
    );
  } catch (error) {
    // Links in a folder that can't be read are unknown, not gone.
    if (!isNotFound(error)) throw error;
    return [];
  }
};

/** Returns the ids of the agents in the root. Blocks. Throws `root_unavailable`. */
export const seenAgents = ({ root }: FilesPlace): string[] => {
  requireAgentsFolder(root);
  return listInside([realpathSync.native(root.path)], root.agents).flatMap((entry) => agentIdOf(entry) ?? []);
};

/** Returns the ids of those agents that may have changed since they had these prints. Blocks. */
export const seenChanges = (
  { root }: FilesPlace,
  prints: readonly (readonly [id: string, print: string])[],
  nowMs: number,
): string[] =>
  prints.flatMap(([id, print]) => {
    const now = printOf(lookAtAgent(root.agent(id)), nowMs);
    return now !== '' && now === print ? [] : [id];
  });

/** Reads what change sets can change in an agent. Null if it's missing. Blocks. Throws `root_unavailable`. */
export const seeAgent = (place: FilesPlace, id: string, nowMs: number): SeenAgent | null => {
  try {
    const agent = join(requireAgentSync(place.root, id), 'agents', id);
    // Before it's read, so that a change in between is found by the next look.
    const looks = lookAtAgent(agent);
    return {
      print: printOf(looks, nowMs),
      changedAtMs: Math.max(lookAt(agent).changedAtMs, ...looks.map(({ changedAtMs }) => changedAtMs)),
      paths: [
        ...FILES.flatMap((name): SeenPath[] => {
          const state = seeFile(place, id, name);
          return state ? [{ name, state }] : [];
        }),
        ...LINK_KINDS.flatMap((kind) => seeLinks(agent, kind)),
      ],
    };
  } catch (error) {
    if (error instanceof AppError && error.code === 'agent_not_found') return null;
    if (isNotFound(error) && !lstatIfThere(place.root.agent(id))) return null;
    throw error;
  }
};
