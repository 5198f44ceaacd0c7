import { changeSettings, getSettings } from '../../shared/api/settings.ts';
import type { Routes } from '../http/bind-endpoint.ts';
import type { SettingsService } from './settings.service.ts';

/** The routes of the settings. `onChange` is called after a change that needs no restart. */
export const settingsRoutes =
  (settings: SettingsService, onChange: () => void): Routes =>
  (bind) => {
    bind(getSettings, () => settings.read());
    bind(changeSettings, async ({ body }) => {
      const changed = await settings.change(body);
      if (!changed.restarting) onChange();
      return changed;
    });
  };
