import { join } from 'node:path';
import { changePreferences, getPreferences } from '../../shared/api/preferences.ts';
import type { Base, Feature } from '../feature.ts';
import { createPreferencesService, type PreferencesService } from './preferences.service.ts';

/** Creates the feature for the page's preferences, stored in `data/preferences.json`. */
export const createPreferences = ({
  config,
  clock,
  logger,
}: Pick<Base, 'clock' | 'config' | 'logger'>): Feature & Pick<PreferencesService, 'theme'> => {
  const file = join(config.dataDirectory, 'data', 'preferences.json');
  const preferences = createPreferencesService(file, logger, clock);
  return {
    routes(bind) {
      bind(getPreferences, async () => ({ preferences: await preferences.read() }));
      bind(changePreferences, async ({ body }) => ({
        preferences: await preferences.change(body.preferences),
      }));
    },
    theme: preferences.theme,
  };
};
