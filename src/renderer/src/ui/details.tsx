// Separate from the layer, which loads only when it's needed.
import { type ComponentType, useEffect, useState } from 'react';
import { preloaded } from './lazy-view.tsx';

const load = preloaded(async () => (await import('./details-layer.tsx')).DetailsLayer);

const FIRST_MOVES = ['pointermove', 'focusin', 'keydown'] as const;

/** Loads the layer for elements with `data-details` once the pointer or focus moves. */
export const Details = () => {
  const [Layer, setLayer] = useState<ComponentType>();
  useEffect(() => {
    const moved = new AbortController();
    const onMove = (): void => {
      moved.abort();
      // The page works without the layer, so don't report a failure.
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
