import { useEffect, useRef } from 'react';
import { createStore } from 'zustand/vanilla';
import type { EditableFile } from '../../../shared/api/names.ts';
import type { PromptMatch } from '../../../shared/api/search.ts';

/** Words in a file: the line, the text around them, and where in that text they are. */
export type TextPlace = Readonly<Pick<PromptMatch, 'line' | 'text' | 'start' | 'length'>>;

const requested = createStore<PromptMatch | null>(() => null);

/** Requests that the editor of a file shows a match of the search: now, or when it opens. */
export const requestPlace = (match: PromptMatch): void => requested.setState(match, true);

/** Shows the requested place of a file, once its editor is there. */
export const useRequestedPlace = (id: string, file: EditableFile, show: (place: TextPlace) => void): void => {
  const latest = useRef(show);
  latest.current = show;
  useEffect(() => {
    const take = (): void => {
      const match = requested.getState();
      if (match?.agent !== id || match.file !== file) return;
      requested.setState(null, true);
      latest.current(match);
    };
    take();
    return requested.subscribe(take);
  }, [id, file]);
};
