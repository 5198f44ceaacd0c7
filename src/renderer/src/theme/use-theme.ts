import { useSyncExternalStore } from 'react';
import { chosenTheme, subscribeTheme, type Theme } from './theme.ts';

/** The chosen theme, also when another tab chooses. */
export const useTheme = (): Theme => useSyncExternalStore(subscribeTheme, () => chosenTheme());
