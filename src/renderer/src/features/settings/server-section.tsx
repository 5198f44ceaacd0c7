import type { ChangedSettings, Settings } from '../../../../shared/api/settings.ts';
import { settings as words } from '../../strings/settings.ts';
import { Section } from '../../ui/section.tsx';
import { DevModeSwitch } from './dev-mode-switch.tsx';
import { SettingField } from './setting-field.tsx';

interface ServerSectionProps {
  readonly settings: Settings['settings'];
  readonly blocker: string | undefined;
  readonly onMoved: (changed: ChangedSettings) => void;
}

/** The problem with the text of a number. Only the server knows which numbers are valid. */
const problemOf = (text: string): string | undefined =>
  /^\d+$/.test(text.trim()) ? undefined : words.notWhole;

const numberOf = (text: string | null): number | null => (text === null ? null : Number(text));

/** The settings for DEV MODE and the mint. */
export const MoneySection = ({ settings }: { readonly settings: Settings['settings'] }) => (
  <Section heading={words.moneySection}>
    <div className="flex flex-col gap-4">
      <DevModeSwitch setting={settings.devMode} />
      <SettingField
        label={words.mint}
        hint={words.mintHint}
        setting={settings.mintUrl}
        text={settings.mintUrl.value}
        inputMode="url"
        changeOf={(mintUrl) => ({ mintUrl })}
      />
    </div>
  </Section>
);

/** The settings for the server's port and the BTC price. */
export const ServerSection = ({ settings, blocker, onMoved }: ServerSectionProps) => (
  <Section heading={words.serverSection}>
    <div className="flex flex-col gap-4">
      <SettingField
        narrow
        label={words.port}
        hint={words.portHint}
        setting={settings.port}
        text={String(settings.port.value)}
        inputMode="numeric"
        problemOf={problemOf}
        changeOf={(text) => ({ port: numberOf(text) })}
        blocker={blocker}
        onSaved={onMoved}
      />
      <SettingField
        narrow
        label={words.interval}
        hint={words.intervalHint}
        setting={settings.btcRefreshIntervalSeconds}
        text={String(settings.btcRefreshIntervalSeconds.value)}
        inputMode="numeric"
        problemOf={problemOf}
        changeOf={(text) => ({ btcRefreshIntervalSeconds: numberOf(text) })}
      />
      <SettingField
        label={words.sources}
        hint={words.sourcesHint}
        setting={settings.btcSources}
        text={settings.btcSources.value.join(', ')}
        changeOf={(text) => ({
          btcSources: text === null ? null : text.split(',').map((name) => name.trim()),
        })}
      />
    </div>
  </Section>
);
