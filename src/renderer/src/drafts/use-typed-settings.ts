import { useEffect, useSyncExternalStore } from 'react';
import { typedSettings } from './typed-settings.ts';

/** The labels of the settings in which something is typed that is not saved. */
export const useUnsavedSettings = (): readonly string[] =>
  useSyncExternalStore(typedSettings.subscribe, typedSettings.labels);

/** What is typed in a setting; null where that is what counts already, or where nothing can be typed any more. */
export const useTypedSetting = (label: string, saved: string, isEditable: boolean): string | null => {
  const text = useSyncExternalStore(typedSettings.subscribe, () => typedSettings.get(label));
  const isOver = text !== undefined && (text === saved || !isEditable);
  useEffect(() => {
    if (isOver) typedSettings.drop(label);
  }, [isOver, label]);
  return text === undefined || isOver ? null : text;
};
