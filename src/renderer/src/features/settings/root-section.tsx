import { useState } from 'react';
import type { RootTrust as Trust } from '../../../../shared/api/root.ts';
import type { Settings } from '../../../../shared/api/settings.ts';
import { STARTER_ROOT } from '../../../../shared/settings.ts';
import { desktopBridge } from '../../api/desktop.ts';
import { settings as words } from '../../strings/settings.ts';
import { trust as trustWords } from '../../strings/trust.ts';
import { TrustDialog } from '../../trust/trust-dialog.tsx';
import { useRootTrust, useWithdrawTrust } from '../../trust/use-root-trust.ts';
import { Button } from '../../ui/button.tsx';
import { Callout } from '../../ui/callout.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { reportFailure } from '../../ui/failures.tsx';
import { Section } from '../../ui/section.tsx';
import { notify } from '../../ui/toast.tsx';
import { SettingField } from './setting-field.tsx';
import { directoriesProblem, sourcesIn } from './setting-problems.ts';
import { questionForRoot } from './use-settings.ts';

const hintOf = ({ trusted, script }: Trust): string => {
  if (script) return trusted ? trustWords.isTrustedHint(script.name) : trustWords.isNewHint(script.name);
  return trusted ? trustWords.isTrustedNoScript : trustWords.isNewNoScript;
};

/** Says whether dot-mi runs the root's agents and setup script, and offers to change that. */
const RootTrust = () => {
  const [isAsking, setIsAsking] = useState(false);
  const state = useRootTrust();
  const { mutate: withdraw, isPending } = useWithdrawTrust(
    () => notify(trustWords.withdrawn),
    (error) => reportFailure(trustWords.failed, error),
  );
  if (state.status === 'error') return <ErrorState error={state.error} onRetry={state.retry} />;
  const trust = state.status === 'ready' ? state.trust : undefined;
  if (!trust) return null;
  const name = trust.script?.name;
  const isChanged = name !== undefined && trust.reason === 'script_changed';
  const untrustedTitle = isChanged ? trustWords.isChanged(name) : trustWords.isNew;
  const review = name === undefined ? trustWords.reviewNoScript : trustWords.review(name);
  return (
    <Callout
      tone={trust.trusted ? 'note' : 'warn'}
      title={trust.trusted ? trustWords.isTrusted : untrustedTitle}
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <p className="min-w-60 flex-1 text-sm text-muted text-pretty">{hintOf(trust)}</p>
        {/* One button for both states, so that it keeps focus. */}
        <Button disabled={isPending} onClick={() => (trust.trusted ? withdraw() : setIsAsking(true))}>
          {trust.trusted ? trustWords.withdraw : review}
        </Button>
      </div>
      <TrustDialog
        open={isAsking}
        acceptLabel={trustWords.trustOnly}
        onRefuse={() => setIsAsking(false)}
        onTrusted={() => {
          setIsAsking(false);
          notify(trustWords.nowTrusted);
        }}
      />
    </Callout>
  );
};

/** Shows the root, and a field to choose another folder. */
export const RootSection = ({ settings: { settings, starterRoot } }: { readonly settings: Settings }) => (
  <Section heading={words.sections.general}>
    <SettingField
      id="root"
      setting={
        // Treat the starter root as the default, because resetting to no root would restart the first run.
        settings.root.origin === 'settings' && settings.root.value === starterRoot
          ? { ...settings.root, origin: 'default' }
          : settings.root
      }
      text={settings.root.value}
      changeOf={(text) => ({ root: text === null || text === starterRoot ? STARTER_ROOT : text })}
      saves="mayAsk"
      questionOf={questionForRoot}
      aside={(fill) => <ChooseButton onChosen={fill} />}
    />
    <RootTrust />
    <SettingField
      id="sessionDirectories"
      setting={settings.sessionDirectories}
      text={settings.sessionDirectories.value.join(', ')}
      problemOf={directoriesProblem}
      changeOf={(text) => {
        const directories = sourcesIn(text ?? '');
        return { sessionDirectories: directories.length === 0 ? null : directories };
      }}
      saves="itself"
    />
  </Section>
);

/** Opens the desktop's folder chooser. Renders nothing in a browser. */
const ChooseButton = ({ onChosen }: { readonly onChosen: (path: string) => void }) => {
  const bridge = desktopBridge();
  if (!bridge?.chooseFolder) return null;
  const choose = (): void => {
    bridge.chooseFolder?.().then(
      (path) => path !== null && onChosen(path),
      (error: unknown) => reportFailure(words.chooseFailed, error),
    );
  };
  return <Button onClick={choose}>{words.choose}</Button>;
};
