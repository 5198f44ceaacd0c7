import { useSyncExternalStore } from 'react';
import { THEMES, type Theme } from '../../../shared/desktop-bridge.ts';
import { desktopBridge } from '../api/desktop.ts';
import { type Kept, kept } from '../kept.ts';

export { THEMES, type Theme };

const isTheme = (text: string | null): text is Theme => THEMES.some((theme) => theme === text);

/** Returns the chosen theme, or `system` until one is chosen. */
export const chosenTheme = ({ get }: Pick<Kept, 'get'> = kept): Theme => {
  const text = get('theme');
  return isTheme(text) ? text : 'system';
};

/** Sets `data-theme`, which `tokens.css` reads. */
export const applyTheme = (theme: Theme, page: HTMLElement = document.documentElement): void => {
  if (theme === 'system') delete page.dataset.theme;
  else page.dataset.theme = theme;
};

/**
 * Applies the theme to the window's frame, and to its background before the page appears. Failures are
 * ignored.
 */
const applyToWindow = (theme: Theme): void => {
  desktopBridge()
    ?.setTheme?.(theme)
    .catch(() => undefined);
};

/** Sets the theme for this page, every other tab, and future visits. */
export const chooseTheme = (theme: Theme): void => {
  kept.set('theme', theme === 'system' ? null : theme);
  applyTheme(theme);
  applyToWindow(theme);
};

/**
 * Applies this browser's copy of the theme before the first paint, and follows changes. Without it, the page keeps the
 * theme the server sent. Wait for the server before setting the window's theme: a new address has no copy, and
 * the window would lose its theme.
 */
export const startTheme = (): void => {
  if (kept.get('theme') !== null) applyTheme(chosenTheme());
  kept.subscribe(() => applyTheme(chosenTheme()));
};

/** Loads the preferences stored by the server, once this page is signed in. */
export const loadKept = async (): Promise<void> => {
  if (await kept.load()) applyToWindow(chosenTheme());
};

/** Returns the chosen theme, including one chosen in another tab. */
export const useTheme = (): Theme => useSyncExternalStore(kept.subscribe, () => chosenTheme());

/** Returns whether the editor shows line numbers. */
export const lineNumbersChosen = ({ get }: Pick<Kept, 'get'> = kept): boolean =>
  get('line-numbers') === 'shown';

/** Shows or hides the line numbers of every editor, including on pages that open later. */
export const chooseLineNumbers = (areShown: boolean, { set }: Pick<Kept, 'set'> = kept): void =>
  set('line-numbers', areShown ? 'shown' : null);

/** Tracks whether the editor shows line numbers. */
export const useLineNumbers = (): boolean => useSyncExternalStore(kept.subscribe, () => lineNumbersChosen());
