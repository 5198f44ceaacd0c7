import { changePreferences, getPreferences } from '../../shared/api/preferences.ts';
import type { Routes } from '../http/bind-endpoint.ts';
import type { PreferencesService } from './preferences.service.ts';

/** The routes of what the page remembers. */
export const preferencesRoutes =
  (preferences: PreferencesService): Routes =>
  (bind) => {
    bind(getPreferences, async () => ({ preferences: await preferences.read() }));
    bind(changePreferences, async ({ body }) => ({
      preferences: await preferences.change(body.preferences),
    }));
  };
