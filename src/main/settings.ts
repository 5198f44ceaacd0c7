import Store from 'electron-store';

/** Where the window was, in device-independent pixels. */
export interface WindowBounds {
  x: number;
  y: number;
  width: number;
  height: number;
}

interface SettingsShape {
  windowBounds?: WindowBounds;
}

/** What the desktop app remembers between starts. */
export interface Settings {
  windowBounds(): WindowBounds | undefined;
  setWindowBounds(bounds: WindowBounds): void;
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
  };
};
