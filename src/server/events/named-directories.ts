import { isAgentId } from '../../shared/api/names.ts';
import type { OtherSessions } from './watch-sessions.ts';

/** Access to agents' settings and links. */
export interface AgentSettings {
  /** Returns the ids of all agents. Blocks. */
  agents(): readonly string[];
  /** Returns the session directories that an agent's settings name, or where its links end. Blocks. */
  read(agent: string): readonly string[];
  /** The names of the files with settings, and of the directory with links. */
  names: readonly string[];
}

/** How many agents' settings are read before other work gets a turn. */
const AGENTS_AT_ONCE = 100;

/**
 * Tracks the session directories elsewhere that agents name or link to. Reads them in batches, because reading all of them takes a while.
 * `changed` gets each agent whose directory changed.
 */
export const createNamedDirectories = (settings: AgentSettings, changed: (agent: string) => void) => {
  const named = new Map<string, readonly string[]>();
  const toRead = new Set<string>();
  let mustList = true;
  let isTurnDue = false;
  let isClosed = false;

  const readOne = (agent: string): void => {
    const paths = settings.read(agent);
    if (paths.join('\0') === (named.get(agent) ?? []).join('\0')) return;
    if (paths.length === 0) named.delete(agent);
    else named.set(agent, paths);
    changed(agent);
  };

  const readSome = (): void => {
    isTurnDue = false;
    if (isClosed) return;
    if (mustList) for (const agent of [...settings.agents(), ...named.keys()]) toRead.add(agent);
    mustList = false;
    let left = AGENTS_AT_ONCE;
    for (const agent of toRead) {
      if (left-- === 0) break;
      toRead.delete(agent);
      readOne(agent);
    }
    if (toRead.size > 0) readSoon();
  };
  const readSoon = (): void => {
    if (isTurnDue) return;
    isTurnDue = true;
    setImmediate(readSome);
  };
  readSoon();
  const anyChanged = (): void => {
    mustList = true;
    readSoon();
  };

  return {
    /** Returns the directories found by the latest read. */
    directories: (): OtherSessions[] =>
      [...named].flatMap(([agent, paths]) => paths.map((path) => ({ agent, path }))),
    /** Call this for each changed path, relative to the root with "/". */
    pathChanged(path: string): void {
      const [top = '', agent, name, ...deeper] = path.split('/');
      if (top === '' || (top === 'agents' && agent === undefined)) anyChanged();
      else if (top !== 'agents' || agent === undefined || !isAgentId(agent) || deeper.length > 1) return;
      else if (name === undefined || settings.names.includes(name)) {
        toRead.add(agent);
        readSoon();
      }
    },
    /** Call this after an unknown change. */
    anyChanged,
    close(): void {
      isClosed = true;
    },
  };
};
