import { join } from 'node:path';
import { unlessRefused } from '../platform/app-error.ts';
import { fingerprintOf } from '../platform/fingerprint.ts';
import { agentIdOf, createDirectoryLister, statIfThere } from '../platform/list-directory.ts';
import { type Root, requireAgentsFolder } from '../platform/root.ts';

/** A request for fingerprints of the files that determine whether pi is signed in: for one agent, or for all by id. */
export type SignInFilesQuestion = { readonly signInFilesOf: string } | { readonly signInFiles: 'all' };

/** The files that `pi auth check` reads in an agent's directory. It reads neither settings.json nor extensions. */
const FILES = ['auth.json', 'models.json'] as const;

/** Returns the same fingerprint for agents with the same files, or without any. Follows links, as pi does. */
const printOf = (directory: string): string =>
  FILES.map((name) => {
    const stats = unlessRefused(() => statIfThere(join(directory, name)));
    return stats ? fingerprintOf(stats).text : '-';
  }).join(' ');

/** Returns the fingerprint of one agent's files. Blocks. */
export const signInFilesOf = (root: Root, id: string): string => printOf(root.agent(id));

/** Creates a blocking scan of all agents' files, with two system calls for each agent. Throws `root_unavailable`. */
export const createSignInFilesLook = (root: Root) => {
  const listAgents = createDirectoryLister(root.path, root.agents, agentIdOf);
  return (): Record<string, string> => {
    requireAgentsFolder(root);
    return Object.fromEntries(listAgents(Date.now()).entries.map((id) => [id, printOf(root.agent(id))]));
  };
};
