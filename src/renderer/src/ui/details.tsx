// Separate from the layer, which loads only when someone needs it.
import { type ComponentType, useEffect, useState } from 'react';
import { preloaded } from './lazy-view.tsx';

const load = preloaded(async () => (await import('./details-layer.tsx')).DetailsLayer);

const FIRST_MOVES = ['pointermove', 'focusin', 'keydown'] as const;

/** The details of elements with `data-details`, once the pointer or the focus has moved. */
export const Details = () => {
  const [Layer, setLayer] = useState<ComponentType>();
  useEffect(() => {
    const moved = new AbortController();
    const onMove = (): void => {
      moved.abort();
      // The page is complete without it, so report nothing.
      load().then(
        (layer) => setLayer(() => layer),
        () => undefined,
      );
    };
    for (const name of FIRST_MOVES) document.addEventListener(name, onMove, { signal: moved.signal });
    return () => moved.abort();
  }, []);
  return Layer ? <Layer /> : null;
};
