import { useEffect, useState, useSyncExternalStore } from 'react';

/** How long each part is shown: fast enough for patience, slow enough for the camera of an old telephone. */
const PART_MS = 220;

const reducedMotion = window.matchMedia('(prefers-reduced-motion: reduce)');
const subscribe = (listener: () => void): (() => void) => {
  reducedMotion.addEventListener('change', listener);
  return () => reducedMotion.removeEventListener('change', listener);
};

/** An endless row of parts, shown one after another. */
export interface Playback {
  /** From 1 on. */
  readonly part: number;
  readonly isPlaying: boolean;
  readonly toggle: () => void;
  /** Goes to the part so many further on, and stays there. */
  readonly step: (by: number) => void;
}

/** Plays parts from the first one on. Whoever wants less motion goes from part to part by hand. */
export const usePlayback = (): Playback => {
  const isReduced = useSyncExternalStore(subscribe, () => reducedMotion.matches);
  const [part, setPart] = useState(1);
  const [chosen, setChosen] = useState<boolean | null>(null);
  const isPlaying = chosen ?? !isReduced;
  useEffect(() => {
    if (!isPlaying) return;
    const timer = setInterval(() => setPart((shown) => shown + 1), PART_MS);
    return () => clearInterval(timer);
  }, [isPlaying]);
  return {
    part,
    isPlaying,
    toggle: () => setChosen(!isPlaying),
    step: (by) => {
      setChosen(false);
      setPart((shown) => Math.max(1, shown + by));
    },
  };
};
