import { useEffect, useState } from 'react';
import type { DesktopPreferences } from '../../../../shared/desktop-bridge.ts';
import { desktopBridge } from '../../api/desktop.ts';
import { settings as words } from '../../strings/settings.ts';
import { notifyFailure } from '../../ui/toast.tsx';

/** The preferences of the desktop program; null where there is none, or until they were read. */
export const useDesktopPreferences = (): {
  readonly preferences: DesktopPreferences | null;
  readonly write: (preferences: DesktopPreferences) => void;
} => {
  const [preferences, setPreferences] = useState<DesktopPreferences | null>(null);
  useEffect(() => {
    desktopBridge()
      ?.readPreferences?.()
      .then(setPreferences)
      .catch((error: unknown) => notifyFailure(words.preferenceFailed, error));
  }, []);
  const write = (next: DesktopPreferences): void => {
    const before = preferences;
    setPreferences(next);
    desktopBridge()
      ?.writePreferences?.(next)
      .catch((error: unknown) => {
        setPreferences(before);
        notifyFailure(words.preferenceFailed, error);
      });
  };
  return { preferences, write };
};
