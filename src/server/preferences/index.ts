import { join } from 'node:path';
import { changePreferences, getPreferences } from '../../shared/api/preferences.ts';
import type { Base, Feature } from '../feature.ts';
import { createPreferencesService, type PreferencesService } from './preferences.service.ts';

/** Creates the feature for the page's preferences, stored in `data/preferences.json`. */
export const createPreferences = ({
  config,
  logger,
}: Pick<Base, 'config' | 'logger'>): Feature & Pick<PreferencesService, 'read'> => {
  const file = join(config.dataDirectory, 'data', 'preferences.json');
  const preferences = createPreferencesService(file, logger);
  return {
    routes(bind) {
      bind(getPreferences, async () => ({ preferences: await preferences.read() }));
      bind(changePreferences, async ({ body }) => ({
        preferences: await preferences.change(body.preferences),
      }));
    },
    read: preferences.read,
  };
};
