import { join } from 'node:path';
import { changePreferences, getPreferences } from '../../shared/api/preferences.ts';
import type { Base, Feature } from '../feature.ts';
import { createPreferencesService, type PreferencesService } from './preferences.service.ts';

/** Creates the feature for the page's preferences, stored in `data/preferences.json`. */
export const createPreferences = ({
  config,
  clock,
  logger,
  publish,
}: Pick<Base, 'clock' | 'config' | 'logger' | 'publish'>): Feature &
  Pick<PreferencesService, 'theme' | 'countsSubscriptions'> => {
  const file = join(config.dataDirectory, 'data', 'preferences.json');
  const preferences = createPreferencesService(file, logger, clock);
  return {
    routes(bind) {
      bind(getPreferences, async () => ({ preferences: await preferences.read() }));
      bind(changePreferences, async ({ body }) => {
        const changed = await preferences.change(body.preferences);
        // What agents spent, and what is left of their budgets.
        if ('count-subscriptions' in body.preferences) publish({ name: 'sessions', data: { ids: [] } });
        return { preferences: changed };
      });
    },
    theme: preferences.theme,
    countsSubscriptions: preferences.countsSubscriptions,
  };
};
