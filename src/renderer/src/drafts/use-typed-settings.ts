import { useEffect, useSyncExternalStore } from 'react';
import { typedSettings } from './typed-settings.ts';

/** The labels of the settings with typed text that isn't saved. */
export const useUnsavedSettings = (): readonly string[] =>
  useSyncExternalStore(typedSettings.subscribe, typedSettings.labels);

/** The text typed in a setting; null if it equals the saved value or the setting can't be edited anymore. */
export const useTypedSetting = (label: string, saved: string, isEditable: boolean): string | null => {
  const text = useSyncExternalStore(typedSettings.subscribe, () => typedSettings.get(label));
  const isOver = text !== undefined && (text === saved || !isEditable);
  useEffect(() => {
    if (isOver) typedSettings.drop(label);
  }, [isOver, label]);
  return text === undefined || isOver ? null : text;
};
