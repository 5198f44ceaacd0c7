import type { Settings } from '../../../../shared/api/settings.ts';
import { STARTER_ROOT } from '../../../../shared/api/settings.ts';
import { desktopBridge } from '../../api/desktop.ts';
import { settings as words } from '../../strings/settings.ts';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/section.tsx';
import { notifyFailure } from '../../ui/toast.tsx';
import { RootTrust } from './root-trust.tsx';
import { SettingField } from './setting-field.tsx';
import { directoriesProblem, sourcesIn } from './setting-problems.ts';
import { questionForRoot } from './use-settings.ts';

/** The root, and a field to choose another one. */
export const RootSection = ({ settings: { settings, starterRoot } }: { readonly settings: Settings }) => (
  <Section heading={words.sections.general}>
    <SettingField
      id="root"
      label={words.root}
      hint={words.rootHint}
      setting={
        // Without a root, the first run would start again, so the default is the starter root.
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
      label={words.sessionDirectories}
      hint={words.sessionDirectoriesHint}
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

/** Opens the desktop's folder chooser. Nothing in a browser. */
const ChooseButton = ({ onChosen }: { readonly onChosen: (path: string) => void }) => {
  const bridge = desktopBridge();
  if (!bridge?.chooseFolder) return null;
  const choose = (): void => {
    bridge.chooseFolder?.().then(
      (path) => path !== null && onChosen(path),
      (error: unknown) => notifyFailure(words.chooseFailed, error),
    );
  };
  return <Button onClick={choose}>{words.choose}</Button>;
};
