import { changeSettings, getSettings } from '../../shared/api/settings.ts';
import type { Routes } from '../http/bind-endpoint.ts';
import type { SettingsService } from './settings.service.ts';

/** The routes of the settings. */
export const settingsRoutes =
  (settings: SettingsService): Routes =>
  (bind) => {
    bind(getSettings, () => settings.read());
    bind(changeSettings, ({ body }) => settings.change(body));
  };
