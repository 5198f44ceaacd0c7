import type { ChangedSettings, Settings } from '../../../../shared/api/settings.ts';
import { settings as words } from '../../strings/settings.ts';
import { Section } from '../../ui/section.tsx';
import { DevModeSwitch } from './dev-mode-switch.tsx';
import { SettingField } from './setting-field.tsx';

interface ServerSectionProps {
  readonly settings: Settings['settings'];
  readonly obstacle: string | undefined;
  readonly onMoved: (changed: ChangedSettings) => void;
}

/** What is wrong with the text of a number; which numbers will do only the server knows. */
const problemOf = (text: string): string | undefined =>
  /^\d+$/.test(text.trim()) ? undefined : words.notWhole;

const numberOf = (text: string | null): number | null => (text === null ? null : Number(text));

/** Whether money is real, and which mint keeps it. */
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

/** Where the server answers, and how it asks for the price. */
export const ServerSection = ({ settings, obstacle, onMoved }: ServerSectionProps) => (
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
        obstacle={obstacle}
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
