import type { Section } from './figures.ts';
import { makeRoot } from './make-roots.ts';
import { measureDesktopStart } from './measure-start.ts';
import type { Plan } from './plan.ts';
import type { ServerKinds } from './servers.ts';
import type { Workspace } from './workspace.ts';

const AGENTS = 100;
const SKILLS = 100;

/** What the shell of the desktop adds to the start of the server in it. */
export const benchDesktop = async (
  workspace: Workspace,
  kinds: ServerKinds,
  plan: Plan,
  tell: (line: string) => void,
): Promise<Section[]> => {
  const root = workspace.path('root-desktop');
  makeRoot(root, AGENTS, SKILLS);
  return [await measureDesktopStart(kinds.desktop(root), kinds.ours(root), plan, tell)];
};
