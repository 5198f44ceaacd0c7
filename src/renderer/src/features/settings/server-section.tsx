import { Field } from '@base-ui/react/field';
import { useSyncExternalStore } from 'react';
import type { ChangedSettings, Settings } from '../../../../shared/api/settings.ts';
import type { WholeSetting } from '../../../../shared/settings.ts';
import { kept } from '../../kept.ts';
import { mintCheckProblem, useMintCheck } from '../../money/mint-check.ts';
import { settings as words } from '../../strings/settings.ts';
import { wallet as walletWords } from '../../strings/wallet.ts';
import { Section } from '../../ui/section.tsx';
import { Switch } from '../../ui/switch.tsx';
import { AskingSwitch } from './asking-switch.tsx';
import { SettingField, type SettingFieldProps } from './setting-field.tsx';
import { mintProblem, sourcesIn, sourcesProblem, wholeProblem } from './setting-problems.ts';

interface SectionProps {
  readonly settings: Settings['settings'];
}

interface NumberFieldProps extends Omit<SettingFieldProps, 'text' | 'setting' | 'changeOf' | 'problemOf'> {
  readonly id: WholeSetting;
  readonly settings: Settings['settings'];
}

const NumberField = ({ id, settings, ...rest }: NumberFieldProps) => (
  <SettingField
    {...rest}
    narrow
    id={id}
    setting={settings[id]}
    text={String(settings[id].value)}
    inputMode="numeric"
    problemOf={(text) => wholeProblem(id, text)}
    changeOf={(text) => ({ [id]: text === null ? null : Number(text) })}
  />
);

/** The settings for test money and the mint. */
export const MoneySection = ({ settings }: SectionProps) => {
  const check = useMintCheck();
  return (
    <Section heading={words.sections.wallet}>
      <div className="flex flex-col gap-4">
        <AskingSwitch
          id="devMode"
          setting={settings.devMode}
          hint={settings.devMode.value ? words.devModeOn : words.devModeOff}
          asksBefore={false}
          question={{
            title: words.realQuestion,
            description: words.realDescription,
            cancel: words.stayInDevMode,
            confirm: words.useRealMoney,
          }}
          check={{
            run: (save) =>
              check.mutate(settings.mintUrl.value, {
                onSuccess: ({ lacks }) => lacks.length === 0 && save(),
              }),
            running: check.isPending ? walletWords.realMoney.checking : undefined,
            problem: mintCheckProblem(check),
          }}
        />
        <SettingField
          id="mintUrl"
          setting={settings.mintUrl}
          text={settings.mintUrl.value}
          inputMode="url"
          problemOf={mintProblem}
          changeOf={(mintUrl) => ({ mintUrl: mintUrl?.trim() ?? null })}
          saves="asks"
          questionOf={async () => words.mintQuestion}
        />
      </div>
    </Section>
  );
};

const areSubscriptionsCounted = (): boolean => kept.get('count-subscriptions') === 'yes';

/** Whether calls that a subscription covers count as spent. */
const CountSubscriptions = () => (
  <Field.Root data-setting="countSubscriptions" className="flex flex-col gap-1">
    <div className="flex items-center gap-3">
      <Switch
        checked={useSyncExternalStore(kept.subscribe, areSubscriptionsCounted)}
        onCheckedChange={(areCounted) => kept.set('count-subscriptions', areCounted ? 'yes' : null)}
      />
      <Field.Label className="font-medium">{words.countSubscriptions}</Field.Label>
    </div>
    <Field.Description className="text-sm text-muted">{words.countSubscriptionsHint}</Field.Description>
  </Field.Root>
);

/** The settings for the BTC price. */
export const PricingSection = ({ settings }: SectionProps) => (
  <Section heading={words.sections.pricing}>
    <div className="flex flex-col gap-4">
      <NumberField id="btcRefreshIntervalSeconds" settings={settings} saves="itself" />
      <SettingField
        id="btcSources"
        setting={settings.btcSources}
        text={settings.btcSources.value.join(', ')}
        problemOf={sourcesProblem}
        changeOf={(text) => ({ btcSources: text === null ? null : sourcesIn(text) })}
        saves="itself"
      />
      <CountSubscriptions />
    </div>
  </Section>
);

/** The settings for how much the history of changes keeps. */
export const HistorySection = ({ settings }: SectionProps) => (
  <Section heading={words.history}>
    <div className="flex flex-col gap-4">
      {(['historyDays', 'historyMegabytes', 'historyVersions'] as const).map((id) => (
        <NumberField key={id} id={id} settings={settings} saves="itself" />
      ))}
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
    <NumberField
      id="port"
      settings={settings}
      blocker={blocker}
      onSaved={onMoved}
      saves="asks"
      questionOf={async (text) => words.portQuestion(text)}
    />
  </Section>
);
