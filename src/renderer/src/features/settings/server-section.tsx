import type { ChangedSettings, Settings } from '../../../../shared/api/settings.ts';
import { settings as words } from '../../strings/settings.ts';
import { Section } from '../../ui/section.tsx';
import { DevModeSwitch } from './dev-mode-switch.tsx';
import { SettingField } from './setting-field.tsx';
import { intervalProblem, mintProblem, portProblem, sourcesIn, sourcesProblem } from './setting-problems.ts';

interface SectionProps {
  readonly settings: Settings['settings'];
}

const numberOf = (text: string | null): number | null => (text === null ? null : Number(text));

/** The settings for DEV MODE and the mint. */
export const MoneySection = ({ settings }: SectionProps) => (
  <Section heading={words.sections.wallet}>
    <div className="flex flex-col gap-4">
      <DevModeSwitch setting={settings.devMode} />
      <SettingField
        id="mintUrl"
        label={words.mint}
        hint={words.mintHint}
        setting={settings.mintUrl}
        text={settings.mintUrl.value}
        inputMode="url"
        problemOf={mintProblem}
        changeOf={(mintUrl) => ({ mintUrl: mintUrl?.trim() ?? null })}
        saves={words.mintQuestion}
      />
    </div>
  </Section>
);

/** The settings for the BTC price. */
export const PricingSection = ({ settings }: SectionProps) => (
  <Section heading={words.sections.pricing}>
    <div className="flex flex-col gap-4">
      <SettingField
        narrow
        id="btcRefreshIntervalSeconds"
        label={words.interval}
        hint={words.intervalHint}
        setting={settings.btcRefreshIntervalSeconds}
        text={String(settings.btcRefreshIntervalSeconds.value)}
        inputMode="numeric"
        problemOf={intervalProblem}
        changeOf={(text) => ({ btcRefreshIntervalSeconds: numberOf(text) })}
        saves="itself"
      />
      <SettingField
        id="btcSources"
        label={words.sources}
        hint={words.sourcesHint}
        setting={settings.btcSources}
        text={settings.btcSources.value.join(', ')}
        problemOf={sourcesProblem}
        changeOf={(text) => ({ btcSources: text === null ? null : sourcesIn(text) })}
        saves="itself"
      />
    </div>
  </Section>
);

interface ServerSectionProps extends SectionProps {
  readonly blocker: string | undefined;
  readonly onMoved: (changed: ChangedSettings) => void;
}

/** The setting for the server's port. */
export const ServerSection = ({ settings, blocker, onMoved }: ServerSectionProps) => (
  <Section heading={words.sections.server}>
    <SettingField
      narrow
      id="port"
      label={words.port}
      hint={words.portHint}
      setting={settings.port}
      text={String(settings.port.value)}
      inputMode="numeric"
      problemOf={portProblem}
      changeOf={(text) => ({ port: numberOf(text) })}
      blocker={blocker}
      onSaved={onMoved}
      saves="button"
    />
  </Section>
);
