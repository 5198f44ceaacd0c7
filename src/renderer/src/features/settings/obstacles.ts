import { settings as words } from '../../strings/settings.ts';

/** Why the root, or the port, cannot be changed now. */
export interface Obstacles {
  readonly root: string | undefined;
  readonly port: string | undefined;
}

/**
 * What would be lost by a change: drafts know their agent by its name, and in another root, or at another address, it would
 * not be found again; another port is another address, where nothing is known of what is typed in the other settings, nor of
 * a token that is in the memory of this page.
 */
export const obstaclesOf = (
  draftedAgents: readonly string[],
  unsavedSettings: readonly string[],
  holdsTokens: boolean,
): Obstacles => {
  const drafted = draftedAgents.length > 0 ? words.unsavedFirst(draftedAgents) : undefined;
  const others = unsavedSettings.filter((label) => label !== words.port);
  const typed = others.length > 0 ? words.typedFirst(others) : undefined;
  return { root: drafted, port: drafted ?? typed ?? (holdsTokens ? words.tokenFirst : undefined) };
};
