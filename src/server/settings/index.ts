import { changeSettings, getSettings } from '../../shared/api/settings.ts';
import type { Base, Feature } from '../feature.ts';
import { createSettingsService, isFirstRun } from './settings.service.ts';
import { fixedSettings, type SettingsHost } from './settings-host.ts';

interface SettingsFeatureDeps extends Pick<Base, 'config' | 'publish'> {
  /** Saves the settings. If undefined, the settings are read-only. */
  host: Omit<SettingsHost, 'restart'> | undefined;
  rememberRoot(path: string): Promise<void>;
}

interface SettingsFeature extends Feature {
  /** Returns true until someone has chosen a root. */
  isFirstRun(): boolean;
}

/** Creates the routes of the settings. */
export const createSettings = ({
  config,
  publish,
  host = fixedSettings(config),
  rememberRoot,
}: SettingsFeatureDeps): SettingsFeature => {
  const settings = createSettingsService(host, rememberRoot);
  return {
    routes(bind) {
      bind(getSettings, () => settings.read());
      bind(changeSettings, async ({ body }) => {
        const changed = await settings.change(body);
        if (!changed.restarting) publish({ name: 'settings', data: {} });
        return changed;
      });
    },
    isFirstRun: () => isFirstRun(host.config()),
  };
};
