// Its own file because it is about frames, and app.tsx about pages.
import { useEffect, useState } from 'react';

/** A hidden window draws no frames. */
const LATEST_MS = 100;

/**
 * Returns a value one frame after it changed, so that what shows the change at once is drawn first. Unlike a deferred value of
 * React, it can't be put off by other updates.
 */
export const useNextFrame = <T>(value: T): T => {
  const [shown, setShown] = useState(value);
  useEffect(() => {
    const show = (): void => setShown(value);
    let afterFrame: ReturnType<typeof setTimeout> | undefined;
    const frame = requestAnimationFrame(() => {
      // A task after the frame, which is drawn by then.
      afterFrame = setTimeout(show);
    });
    const latest = setTimeout(show, LATEST_MS);
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(afterFrame);
      clearTimeout(latest);
    };
  }, [value]);
  return shown;
};
