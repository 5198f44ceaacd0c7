import Store from 'electron-store';
import type { SettingsStore } from '../server/settings/settings-store.ts';
import { type StoredSettings, storedSettingsSchema } from '../shared/api/settings.ts';

/** Where the window was, in device-independent pixels. */
export interface WindowBounds {
  x: number;
  y: number;
  width: number;
  height: number;
}

interface SettingsShape {
  windowBounds?: WindowBounds;
  /** The settings of the server. */
  server?: StoredSettings;
  /** Settings of the server that could not be used. */
  damagedServer?: unknown;
}

/** What the desktop app remembers between starts. */
export interface Settings {
  windowBounds(): WindowBounds | undefined;
  setWindowBounds(bounds: WindowBounds): void;
  /** Keeps the settings of the server. */
  readonly server: SettingsStore;
}

/** Opens the settings file in the user-data folder. A damaged file is replaced by defaults. */
export const openSettings = (): Settings => {
  const number = { type: 'number' } as const;
  const store = new Store<SettingsShape>({
    name: 'settings',
    clearInvalidConfig: true,
    schema: {
      windowBounds: {
        type: 'object',
        properties: { x: number, y: number, width: number, height: number },
        required: ['x', 'y', 'width', 'height'],
      },
    },
  });
  return {
    windowBounds: () => store.get('windowBounds'),
    setWindowBounds: (bounds) => store.set('windowBounds', bounds),
    server: {
      async read(check) {
        const kept: unknown = store.get('server') ?? {};
        try {
          const settings = storedSettingsSchema.parse(kept);
          check(settings);
          return { settings, damagedFile: null };
        } catch {
          store.set('damagedServer', kept);
          store.delete('server');
          return { settings: {}, damagedFile: store.path };
        }
      },
      write: async (settings) => store.set('server', settings),
    },
  };
};
