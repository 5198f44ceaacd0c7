import { useEffect, useState, useSyncExternalStore } from 'react';

/** How long each part is shown: short enough for patience, long enough for the camera of an old phone. */
const PART_MS = 220;

const reducedMotion = window.matchMedia('(prefers-reduced-motion: reduce)');
const subscribe = (listener: () => void): (() => void) => {
  reducedMotion.addEventListener('change', listener);
  return () => reducedMotion.removeEventListener('change', listener);
};

/** An endless sequence of parts, shown one after another. */
interface Playback {
  /** From 1. */
  readonly part: number;
  readonly isPlaying: boolean;
  readonly toggle: () => void;
  /** Moves by this many parts, and pauses. */
  readonly step: (by: number) => void;
}

/** Plays parts from the first one on. With reduced motion, it starts paused. */
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
