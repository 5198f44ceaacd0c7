import { Field } from '@base-ui/react/field';
import { useEffect, useState } from 'react';
import type { DesktopLimits, DesktopPreferences } from '../../../../shared/desktop-bridge.ts';
import { desktopBridge } from '../../api/desktop.ts';
import { settings as words } from '../../strings/settings.ts';
import { Button } from '../../ui/button.tsx';
import { Callout } from '../../ui/callout.tsx';
import { Section } from '../../ui/section.tsx';
import { Switch } from '../../ui/switch.tsx';
import { notifyFailure } from '../../ui/toast.tsx';

/** The preferences of the desktop program. Null in a browser, and until they are read. */
const useDesktopPreferences = (): {
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

/** What this system can't do. Empty until it is known, and if the system doesn't say. */
const useDesktopLimits = (): DesktopLimits => {
  const [limits, setLimits] = useState<DesktopLimits>({});
  useEffect(() => {
    desktopBridge()
      ?.readLimits?.()
      .then(setLimits)
      .catch(() => undefined);
  }, []);
  return limits;
};

const NAMES = [
  'closeToTray',
  'startAtLogin',
  'checkForUpdates',
] as const satisfies readonly (keyof DesktopPreferences)[];
const HINTS = {
  closeToTray: words.closeToTrayHint,
  startAtLogin: words.startAtLoginHint,
  checkForUpdates: words.checkForUpdatesHint,
};

/** The settings that only the desktop program has. Empty in a browser. */
export const DesktopSection = () => {
  const { preferences, write } = useDesktopPreferences();
  const { hasNoTray = false, hasNoLinks = false } = useDesktopLimits();
  if (!preferences) return null;
  const hintFor = (name: (typeof NAMES)[number]) =>
    name === 'closeToTray' && hasNoTray ? words.noTrayHint : HINTS[name];
  return (
    <Section heading={words.desktopSection}>
      {NAMES.map((name) => (
        <Field.Root
          key={name}
          disabled={name === 'closeToTray' && hasNoTray}
          className="flex items-start gap-3"
        >
          <Switch
            checked={preferences[name] && !(name === 'closeToTray' && hasNoTray)}
            onCheckedChange={(next) => write({ ...preferences, [name]: next })}
          />
          <div className="flex flex-col gap-0.5">
            <Field.Label className="font-medium">{words[name]}</Field.Label>
            <Field.Description className="text-sm text-pretty text-muted">{hintFor(name)}</Field.Description>
          </div>
        </Field.Root>
      ))}
      {hasNoLinks && (
        <Callout tone="note" title={words.noLinks}>
          <p>{words.noLinksHint}</p>
        </Callout>
      )}
      <OpenLogs />
    </Section>
  );
};

const OpenLogs = () => {
  const bridge = desktopBridge();
  if (!bridge?.openLogs) return null;
  const open = (): void => {
    bridge.openLogs?.().catch((error: unknown) => notifyFailure(words.openFailed, error));
  };
  return (
    <div>
      <Button onClick={open}>{words.openLogs}</Button>
    </div>
  );
};
