import type { ChangedSettings } from '../../../../shared/api/settings.ts';
import { useDraftedAgents } from '../../drafts/use-drafts.ts';
import { useUnsavedSettings } from '../../drafts/use-typed-settings.ts';
import { SignInPrompt } from '../../sign-in/sign-in-prompt.tsx';
import { useSession } from '../../sign-in/use-session.ts';
import { settings as words } from '../../strings/settings.ts';
import { Callout } from '../../ui/callout.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Page } from '../../ui/page.tsx';
import { PathText } from '../../ui/path-text.tsx';
import { AppearanceSection } from './appearance-section.tsx';
import { BrowsersSection } from './browsers-section.tsx';
import { findChangeBlockers } from './change-blockers.ts';
import { DataSection } from './data-section.tsx';
import { DesktopSection } from './desktop-section.tsx';
import { RootSection } from './root-section.tsx';
import { MoneySection, ServerSection } from './server-section.tsx';
import { type SettingsStatus, useSettings } from './use-settings.ts';

interface SettingsPageProps {
  /** Whether a token that wasn't received is only in this page's memory. */
  readonly holdsTokens: boolean;
  /** Called when the server moves to another port, with its new address. */
  readonly onMoved: (changed: ChangedSettings) => void;
}

/** The settings. Anyone can change those of the page and the window. The others need the operator token. */
export const SettingsPage = (props: SettingsPageProps) => {
  const state = useSettings();
  return (
    <Page title={words.title} description={words.description}>
      <div className="flex max-w-180 flex-col pb-6">
        <ServerSettings state={state} {...props} />
        <AppearanceSection />
        {state.status === 'ready' && <BrowsersSection />}
        {state.status === 'ready' && <DataSection settings={state.settings} />}
        <DesktopSection />
      </div>
    </Page>
  );
};

interface ServerSettingsProps extends SettingsPageProps {
  readonly state: SettingsStatus;
}

const ServerSettings = ({ state, holdsTokens, onMoved }: ServerSettingsProps) => {
  const drafted = useDraftedAgents();
  const typed = useUnsavedSettings();
  if (useSession() !== 'signedIn') return <SignInPrompt />;
  if (state.status === 'loading') return <Loading />;
  if (state.status === 'error') return <ErrorState error={state.error} onRetry={state.retry} />;
  const { settings } = state;
  const blockers = findChangeBlockers([...drafted], typed, holdsTokens);
  return (
    <>
      {(settings.lastError !== null || settings.damagedFile !== null) && (
        <div className="flex flex-col gap-2 px-6 pt-4">
          {settings.lastError !== null && (
            <Callout tone="danger" title={words.lastError} announce="alert">
              <p>{settings.lastError}</p>
            </Callout>
          )}
          {settings.damagedFile !== null && (
            <Callout tone="warn" title={words.damaged} announce="status">
              <p>
                {words.damagedHint} <PathText path={settings.damagedFile} />
              </p>
            </Callout>
          )}
        </div>
      )}
      <RootSection settings={settings} blocker={blockers.root} />
      <MoneySection settings={settings.settings} />
      <ServerSection settings={settings.settings} blocker={blockers.port} onMoved={onMoved} />
    </>
  );
};
