import { requestAction } from '../../commands/requested-action.ts';
import { type Page, paths } from '../../routes.ts';

/** Asks for a new agent, where agents are on the screen already; else on the way to them. */
export const askNewAgent = (page: Page, navigate: (path: string) => void): void => {
  requestAction({ kind: 'new-agent' });
  if (page.name !== 'agents' && page.name !== 'agent') navigate(paths.agents);
};
