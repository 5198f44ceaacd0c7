import { requestAction } from '../../intents/requested-action.ts';
import { type Page, paths } from '../../routes.ts';

/** Requests the new-agent dialog, and opens the agents page if no agents are on the screen. */
export const askNewAgent = (page: Page, navigate: (path: string) => void): void => {
  requestAction({ kind: 'new-agent' });
  if (page.name !== 'agents' && page.name !== 'agent') navigate(paths.agents);
};
