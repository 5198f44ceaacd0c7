import { useSyncExternalStore } from 'react';
import { createStore } from 'zustand/vanilla';
import { THEMES, type Theme } from '../../../shared/desktop-bridge.ts';
import { desktopBridge } from '../api/desktop.ts';
import { browserStorage } from '../browser-storage.ts';

export { THEMES, type Theme };

const STORAGE_KEY = 'dot-mi.theme';
const latest = createStore<Theme | null>(() => null);

const isTheme = (text: string | null): text is Theme => THEMES.some((theme) => theme === text);

/** The theme chosen in this browser. Without storage it is `system`. */
export const chosenTheme = (storage: Pick<Storage, 'getItem'> = browserStorage): Theme => {
  const kept = storage.getItem(STORAGE_KEY);
  return isTheme(kept) ? kept : 'system';
};

/** Sets `data-theme`, which `tokens.css` reads. */
export const applyTheme = (theme: Theme, page: HTMLElement = document.documentElement): void => {
  if (theme === 'system') delete page.dataset.theme;
  else page.dataset.theme = theme;
};

/** The window's frame and its background before the page appears. A failure leaves only these as they were. */
const applyToWindow = (theme: Theme): void => {
  desktopBridge()
    ?.setTheme?.(theme)
    .catch(() => undefined);
};

/** Sets the theme of this page, the next start and every other tab. */
export const chooseTheme = (theme: Theme): void => {
  if (theme === 'system') browserStorage.removeItem(STORAGE_KEY);
  else browserStorage.setItem(STORAGE_KEY, theme);
  applyTheme(theme);
  applyToWindow(theme);
  latest.setState(theme);
};

/** Applies the stored theme before the first paint, and follows changes in other tabs. */
export const startTheme = (): void => {
  applyTheme(chosenTheme());
  applyToWindow(chosenTheme());
  window.addEventListener('storage', ({ key }) => {
    if (key !== null && key !== STORAGE_KEY) return;
    const theme = chosenTheme();
    applyTheme(theme);
    latest.setState(theme);
  });
};

/** The chosen theme, including one chosen in another tab. */
export const useTheme = (): Theme => useSyncExternalStore(latest.subscribe, () => chosenTheme());
