import { settings as words } from '../../strings/settings.ts';

/** Why the root, or the port, cannot be changed now. */
export interface Obstacles {
  readonly root: string | undefined;
  readonly port: string | undefined;
}

/**
 * What would be lost by a change: drafts know their agent by its name, and in another root, or at another address, it would
 * not be found again; another port is another address, where nothing is known of what is typed in the other settings.
 */
export const obstaclesOf = (
  draftedAgents: readonly string[],
  unsavedSettings: readonly string[],
): Obstacles => {
  const drafted = draftedAgents.length > 0 ? words.unsavedFirst(draftedAgents) : undefined;
  const others = unsavedSettings.filter((label) => label !== words.port);
  return { root: drafted, port: drafted ?? (others.length > 0 ? words.typedFirst(others) : undefined) };
};
