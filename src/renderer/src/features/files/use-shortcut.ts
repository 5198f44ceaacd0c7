import { useEffect, useEffectEvent } from 'react';

/** Runs something at Ctrl, or Cmd, with a letter, anywhere on the page, in place of what the browser would do. */
export const useShortcut = (letter: string, run: () => void): void => {
  const onShortcut = useEffectEvent(run);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
      if (key.toLowerCase() !== letter || !(ctrlKey || metaKey) || altKey || shiftKey) return;
      event.preventDefault();
      onShortcut();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [letter]);
};
