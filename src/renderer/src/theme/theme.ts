/** What a person wants; `system` follows the operating system. */
export const THEMES = ['system', 'light', 'dark'] as const;

/** One of {@link THEMES}. */
export type Theme = (typeof THEMES)[number];

const STORAGE_KEY = 'dot-mi.theme';
const listeners = new Set<() => void>();

const isTheme = (text: string | null): text is Theme => THEMES.some((theme) => theme === text);

/** The theme that was chosen in this browser. Where nothing can be kept it is `system`. */
export const chosenTheme = (storage: Pick<Storage, 'getItem'> = localStorage): Theme => {
  const kept = storage.getItem(STORAGE_KEY);
  return isTheme(kept) ? kept : 'system';
};

/** Puts the theme on the page: `tokens.css` knows what `data-theme` means. */
export const applyTheme = (theme: Theme, page: HTMLElement = document.documentElement): void => {
  if (theme === 'system') delete page.dataset.theme;
  else page.dataset.theme = theme;
};

/** Chooses a theme, for this page, the next start and every other tab. */
export const chooseTheme = (theme: Theme): void => {
  if (theme === 'system') localStorage.removeItem(STORAGE_KEY);
  else localStorage.setItem(STORAGE_KEY, theme);
  applyTheme(theme);
  for (const listener of listeners) listener();
};

/** Applies the kept theme, before the first paint, and follows what other tabs choose. */
export const startTheme = (): void => {
  applyTheme(chosenTheme());
  window.addEventListener('storage', ({ key }) => {
    if (key !== null && key !== STORAGE_KEY) return;
    applyTheme(chosenTheme());
    for (const listener of listeners) listener();
  });
};

/** Follows the choice; the result ends it. */
export const subscribeTheme = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
