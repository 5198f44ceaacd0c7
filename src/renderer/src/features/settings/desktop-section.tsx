import { Field } from '@base-ui/react/field';
import { useEffect, useState } from 'react';
import {
  type DesktopLimits,
  type DesktopPreferences,
  NOTIFICATION_EVENTS,
  type NotificationPreferences,
} from '../../../../shared/desktop-bridge.ts';
import { desktopBridge } from '../../api/desktop.ts';
import { settings as words } from '../../strings/settings.ts';
import { Button } from '../../ui/button.tsx';
import { Callout } from '../../ui/callout.tsx';
import { reportFailure } from '../../ui/failures.tsx';
import { Section } from '../../ui/section.tsx';
import { Switch } from '../../ui/switch.tsx';

/** Returns the desktop app's preferences. Null in a browser, and until loaded. */
const useDesktopPreferences = (): {
  readonly preferences: DesktopPreferences | null;
  readonly write: (preferences: DesktopPreferences) => void;
} => {
  const [preferences, setPreferences] = useState<DesktopPreferences | null>(null);
  useEffect(() => {
    desktopBridge()
      ?.readPreferences?.()
      .then(setPreferences)
      .catch((error: unknown) => reportFailure(words.preferenceFailed, error));
  }, []);
  const write = (next: DesktopPreferences): void => {
    const before = preferences;
    setPreferences(next);
    desktopBridge()
      ?.writePreferences?.(next)
      .catch((error: unknown) => {
        setPreferences(before);
        reportFailure(words.preferenceFailed, error);
      });
  };
  return { preferences, write };
};

/** Returns the features that this system lacks. Empty until they're known. */
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
  startAtLogin: undefined,
  checkForUpdates: words.checkForUpdatesHint,
};

interface ChoiceProps {
  /** The setting's id in the search. See `app-commands.ts`. */
  readonly id?: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly checked: boolean;
  readonly disabled?: boolean;
  readonly onChange: (next: boolean) => void;
}

const Choice = ({ id, label, hint, checked, disabled = false, onChange }: ChoiceProps) => (
  <Field.Root data-setting={id} disabled={disabled} className="flex items-start gap-3">
    <Switch checked={checked} onCheckedChange={onChange} />
    <div className="flex flex-col gap-0.5">
      <Field.Label className="font-medium">{label}</Field.Label>
      {hint && <Field.Description className="text-sm text-pretty text-muted">{hint}</Field.Description>}
    </div>
  </Field.Root>
);

/** The settings that only the desktop app has. */
export const DesktopSection = () =>
  desktopBridge()?.readPreferences ? (
    <Preferences />
  ) : (
    <Section heading={words.sections.desktop}>
      <p className="text-muted">{words.onlyInDesktop}</p>
    </Section>
  );

const Preferences = () => {
  const { preferences, write } = useDesktopPreferences();
  const { hasNoTray = false, hasNoLinks = false, hasNoNotifications = false } = useDesktopLimits();
  if (!preferences) return null;
  const hintFor = (name: (typeof NAMES)[number]) =>
    name === 'closeToTray' && hasNoTray ? words.noTrayHint : HINTS[name];
  return (
    <>
      <Section heading={words.sections.desktop}>
        {NAMES.map((name) => (
          <Choice
            key={name}
            id={name}
            label={words[name]}
            hint={hintFor(name)}
            disabled={name === 'closeToTray' && hasNoTray}
            checked={preferences[name] && !(name === 'closeToTray' && hasNoTray)}
            onChange={(next) => write({ ...preferences, [name]: next })}
          />
        ))}
        {hasNoLinks && (
          <Callout tone="note" title={words.noLinks}>
            <p>{words.noLinksHint}</p>
          </Callout>
        )}
        <OpenLogs />
      </Section>
      <NotificationsSection
        chosen={preferences.notifications}
        areShown={!hasNoNotifications}
        write={(notifications) => write({ ...preferences, notifications })}
      />
    </>
  );
};

interface NotificationsSectionProps {
  readonly chosen: NotificationPreferences;
  /** True if the system shows notifications. */
  readonly areShown: boolean;
  readonly write: (next: NotificationPreferences) => void;
}

const NotificationsSection = ({ chosen, areShown, write }: NotificationsSectionProps) => (
  <Section heading={words.notificationsSection}>
    {!areShown && <p className="text-sm text-warn">{words.noNotifications}</p>}
    {NOTIFICATION_EVENTS.map((event, index) => (
      <Choice
        key={event}
        {...(index === 0 ? { id: 'notifications' } : {})}
        label={words.notifications[event]}
        hint={words.notificationHints[event]}
        checked={chosen[event] && areShown}
        disabled={!areShown}
        onChange={(next) => write({ ...chosen, [event]: next })}
      />
    ))}
  </Section>
);

const OpenLogs = () => {
  const bridge = desktopBridge();
  if (!bridge?.openLogs) return null;
  const open = (): void => {
    bridge.openLogs?.().catch((error: unknown) => reportFailure(words.openFailed, error));
  };
  return (
    <div>
      <Button onClick={open}>{words.openLogs}</Button>
    </div>
  );
};
