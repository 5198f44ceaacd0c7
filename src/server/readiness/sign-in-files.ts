import { join } from 'node:path';
import { unlessRefused } from '../platform/app-error.ts';
import { fingerprintOf } from '../platform/fingerprint.ts';
import { agentIdOf, createDirectoryLister, statIfThere } from '../platform/list-directory.ts';
import { type Root, requireAgentsFolder } from '../platform/root.ts';

/** Asks the disk thread for the fingerprints of the files that decide whether pi is signed in: of one agent, or by id of all. */
export type SignInFilesQuestion = { readonly signInFilesOf: string } | { readonly signInFiles: 'all' };

/** What `pi auth check` reads of an agent's directory. It reads neither settings.json nor extensions. */
const FILES = ['auth.json', 'models.json'] as const;

/** The same for agents whose files are the same, or that have none. Links are followed, because pi follows them. */
const printOf = (directory: string): string =>
  FILES.map((name) => {
    const stats = unlessRefused(() => statIfThere(join(directory, name)));
    return stats ? fingerprintOf(stats).text : '-';
  }).join(' ');

/** The fingerprint of one agent's files. Blocking, for a thread. */
export const signInFilesOf = (root: Root, id: string): string => printOf(root.agent(id));

/** Creates a blocking look at the files of all agents: two calls of the system for each. Throws `root_unavailable`. */
export const createSignInFilesLook = (root: Root) => {
  const listAgents = createDirectoryLister(root.path, root.agents, agentIdOf);
  return (): Record<string, string> => {
    requireAgentsFolder(root);
    return Object.fromEntries(listAgents(Date.now()).entries.map((id) => [id, printOf(root.agent(id))]));
  };
};
