import { isWrittenFile, LINK_KINDS, type LinkKind, type WrittenFile } from '../../shared/api/names.ts';
import { withAgent } from '../platform/agent-directory.ts';
import { AppError } from '../platform/app-error.ts';
import {
  type AgentsAccess,
  type FilesAccess,
  isSessionPath,
  type LinksAccess,
  type OpenPlaces,
  SESSIONS_LOCK,
  type SessionsAccess,
} from '../platform/changes.ts';
import type { Root } from '../platform/root.ts';
import type { PathPlace } from './engine.ts';
import { createSharedPlaces, isSharedPath } from './shared-places.ts';

/** How the features read and change agents. */
export interface AgentAccess {
  readonly files: FilesAccess;
  readonly links: LinksAccess;
  readonly agents: AgentsAccess;
  readonly sessions: SessionsAccess;
}

const isLinkKind = (name: string): name is LinkKind => (LINK_KINDS as readonly string[]).includes(name);

const unknownPath = (path: string) =>
  new AppError('invalid_file_name', `dot-mi doesn’t change ${path} in a change set.`);

/** Returns where the paths of change sets belong: to an agent, or to the shared entries. */
export const createPlaceOf = (root: Root, access: () => AgentAccess): ((path: string) => PathPlace) => {
  const shared = createSharedPlaces(root);
  return (path: string): PathPlace => {
    if (isSharedPath(path)) return { places: shared, name: path };
    if (isSessionPath(path))
      return { places: { lock: SESSIONS_LOCK, open: (use) => use(access().sessions) }, name: path };
    const [top, id = '', first = '', second, ...more] = path.split('/');
    if (top !== 'agents' || id === '' || more.length > 0) throw unknownPath(path);

    const openAgent = <T>(use: (open: OpenPlaces) => Promise<T>): Promise<T> =>
      withAgent(root, id, async (agent) => {
        const { files, links } = access();
        const openLinks = links.open(agent, id);
        const at = <R>(
          name: string,
          ofFile: (file: WrittenFile) => R,
          ofLink: (kind: LinkKind, link: string) => R,
        ): R => {
          const [file = '', link] = name.split('/');
          if (link === undefined && isWrittenFile(file)) return ofFile(file);
          if (link !== undefined && isLinkKind(file)) return ofLink(file, link);
          throw unknownPath(path);
        };
        try {
          return await use({
            read: async (name) => at(name, (file) => files.read(agent, id, file), openLinks.read),
            write: async (name, before, after, recorded) =>
              at(
                name,
                (file) => files.write(agent, id, file, before, after, recorded),
                (kind, link) => openLinks.write(kind, link, before, after, recorded),
              ),
          });
        } finally {
          await openLinks.close();
        }
      });

    if (first === '') {
      const { agents } = access();
      const open: OpenPlaces = {
        read: () => agents.read(id),
        write: (_, before, after, recorded) => agents.write(id, before, after, recorded),
      };
      return { places: { lock: id, open: (use) => use(open) }, name: '' };
    }
    return {
      places: { lock: id, open: openAgent },
      name: second === undefined ? first : `${first}/${second}`,
    };
  };
};
