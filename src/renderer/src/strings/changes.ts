import { many } from './words.ts';

/** Strings for undo and redo. */
export const changeWords = {
  redo: 'Redo',
  taken: {
    undo: (said: string): string => `Undone: ${said}`,
    redo: (said: string): string => `Redone: ${said}`,
  },
  already: {
    undo: (said: string): string => `Already undone: ${said}`,
    redo: (said: string): string => `Already redone: ${said}`,
  },
  partly: {
    undo: (said: string): string => `Partly undone: ${said}`,
    redo: (said: string): string => `Partly redone: ${said}`,
  },
  refused: {
    undo: (said: string): string => `Not undone: ${said}`,
    redo: (said: string): string => `Not redone: ${said}`,
  },
  more: (count: number): string => `${many(count, 'more item wasn’t', 'more items weren’t')} changed.`,
  open: 'Recent changes',
} as const;
