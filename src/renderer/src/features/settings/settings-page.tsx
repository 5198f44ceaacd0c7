import { Field } from '@base-ui/react/field';
import { Radio } from '@base-ui/react/radio';
import { RadioGroup } from '@base-ui/react/radio-group';
import { useQuery } from '@tanstack/react-query';
import { FolderOpen } from 'lucide-react';
import { useId } from 'react';
import { Link } from 'wouter';
import type { ChangedSettings, Settings } from '../../../../shared/api/settings.ts';
import { desktopBridge } from '../../api/desktop.ts';
import { useSession } from '../../api/page-session.ts';
import { healthQuery } from '../../api/queries.ts';
import { paths, SETTINGS_SECTIONS, type SettingsSection } from '../../routes.ts';
import {
  chooseLineNumbers,
  chooseTheme,
  THEMES,
  type Theme,
  useLineNumbers,
  useTheme,
} from '../../shell/appearance.ts';
import { useRequestedEntry } from '../../shell/intents.ts';
import { isMac } from '../../shell/shortcuts.ts';
import { SignInPrompt } from '../../shell/sign-in.tsx';
import { api as apiWords } from '../../strings/common.ts';
import { settings as words } from '../../strings/settings.ts';
import { Button } from '../../ui/button.tsx';
import { Callout } from '../../ui/callout.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { cx } from '../../ui/cx.ts';
import { ErrorState } from '../../ui/error-state.tsx';
import { Failure, reportFailure } from '../../ui/failures.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Page } from '../../ui/page.tsx';
import { PathText } from '../../ui/path-text.tsx';
import { Section } from '../../ui/section.tsx';
import { Switch } from '../../ui/switch.tsx';
import { AgentKeysSection } from './agent-keys-section.tsx';
import { BrowsersSection } from './browsers-section.tsx';
import { DesktopSection } from './desktop-section.tsx';
import { RootSection } from './root-section.tsx';
import { HistorySection, MoneySection, PricingSection, ServerSection } from './server-section.tsx';
import { type SettingsStatus, useSettings } from './use-settings.ts';

/** The page's appearance in this browser. */
const AppearanceSection = () => {
  const theme = useTheme();
  const id = useId();
  return (
    <Section heading={words.sections.appearance}>
      <div data-setting="theme" className="flex flex-col gap-1">
        <span id={id} className="font-medium">
          {words.theme}
        </span>
        <RadioGroup<Theme>
          aria-labelledby={id}
          value={theme}
          onValueChange={(next) => chooseTheme(next)}
          className="flex w-fit rounded-md border border-line-strong/60 p-0.5"
        >
          {THEMES.map((name) => (
            <Radio.Root
              key={name}
              value={name}
              aria-label={words.themes[name]}
              className="flex h-6 cursor-default items-center rounded px-3 text-muted hover:text-ink data-checked:bg-selected data-checked:font-medium data-checked:text-ink"
            >
              {words.themes[name]}
            </Radio.Root>
          ))}
        </RadioGroup>
      </div>
      <Field.Root data-setting="lineNumbers" className="flex items-center gap-3">
        <Switch checked={useLineNumbers()} onCheckedChange={(areShown) => chooseLineNumbers(areShown)} />
        <Field.Label className="font-medium">{words.lineNumbers}</Field.Label>
      </Field.Root>
      <p className="text-sm text-muted">{words.zoom(isMac() ? '⌘' : 'Ctrl')}</p>
    </Section>
  );
};

const useVersion = (): string => useQuery(healthQuery()).data?.version ?? apiWords.unknown;

/** Shows where data is stored, and the version. */
const DataSection = ({ settings: { settings } }: { readonly settings: Settings }) => {
  const version = useVersion();
  const bridge = desktopBridge();
  const open = (): void => {
    bridge?.openDataFolder?.().catch((error: unknown) => reportFailure(words.openFailed, error));
  };
  return (
    <Section heading={words.sections.about}>
      <dl
        tabIndex={-1}
        data-setting="dataFolder"
        className="grid grid-cols-[auto_1fr] items-start gap-x-6 gap-y-1.5 max-single:grid-cols-1"
      >
        <Place label={words.dataFolder} path={settings.dataDirectory.value} />
        <Place
          label={words.wallet}
          path={settings.walletDirectory.value}
          variable={
            settings.walletDirectory.origin === 'environment' ? settings.walletDirectory.variable : null
          }
        />
        <Place
          label={words.models}
          path={settings.modelPricingPath.value}
          variable={
            settings.modelPricingPath.origin === 'environment' ? settings.modelPricingPath.variable : null
          }
        />
        <dt className="text-muted">{words.version}</dt>
        <dd tabIndex={-1} data-setting="version">
          {version}
        </dd>
      </dl>
      {bridge?.openDataFolder && (
        <div>
          <Button onClick={open}>
            <FolderOpen aria-hidden="true" className="size-3.5" />
            {words.openFolder}
          </Button>
        </div>
      )}
    </Section>
  );
};

interface PlaceProps {
  readonly label: string;
  readonly path: string;
  /** The environment variable that set the path. */
  readonly variable?: string | null;
}

const Place = ({ label, path, variable }: PlaceProps) => (
  <>
    <dt className="text-muted">{label}</dt>
    <dd className="flex min-w-0 items-start gap-1">
      <span className="min-w-0 font-mono">
        <PathText path={path} />
        {variable && <span className="font-sans text-sm text-muted"> ({variable})</span>}
      </span>
      <CopyButton label={words.copyPath(label)} text={path} />
    </dd>
  </>
);

interface SettingsPageProps {
  /** The section to show. Null shows the first one. */
  readonly section: SettingsSection | null;
  /** True if a token that hasn't been received is only in this page's memory. */
  readonly holdsTokens: boolean;
  /** Called with the server's new address when it moves to another port. */
  readonly onMoved: (changed: ChangedSettings) => void;
}

const CONTROLS = 'input, button, [role="switch"], [role="radio"][tabindex="0"], [role="radio"]';

/** How many frames to wait for a newly opened section to render. */
const FRAMES = 60;

/** Scrolls a setting into view, and focuses its control. */
const showSetting = (id: string, framesLeft = FRAMES): void => {
  requestAnimationFrame(() => {
    const setting = document.querySelector<HTMLElement>(`[data-setting="${CSS.escape(id)}"]`);
    if (!setting) {
      if (framesLeft > 0) showSetting(id, framesLeft - 1);
      return;
    }
    setting.scrollIntoView({ block: 'center' });
    const control = setting.matches(CONTROLS) ? setting : setting.querySelector<HTMLElement>(CONTROLS);
    (control ?? setting).focus({ preventScroll: true });
  });
};

/** Sections that need no sign-in, because the browser or the desktop app stores them, not the server. */
const LOCAL: ReadonlySet<SettingsSection> = new Set(['appearance', 'desktop']);

/**
 * The settings, one section at a time. Anyone can change the page's and the window's settings. The others need the
 * operator token.
 */
export const SettingsPage = ({ section, ...rest }: SettingsPageProps) => {
  const state = useSettings();
  const isSignedIn = useSession() === 'signedIn';
  const shown = section ?? SETTINGS_SECTIONS[0];
  useRequestedEntry('setting', state.status !== 'loading', (id) => showSetting(id));
  return (
    <Page title={words.title} part={section ? words.sections[section] : undefined}>
      <div className="flex gap-x-2 max-icons:flex-col">
        <SectionNav shown={shown} />
        <div className="flex min-w-0 max-w-180 flex-1 flex-col pb-6">
          {isSignedIn && state.status === 'ready' && <SettingsProblems {...state.settings} />}
          {shown === 'appearance' && <AppearanceSection />}
          {shown === 'desktop' && <DesktopSection />}
          {!LOCAL.has(shown) && !isSignedIn && <SignInPrompt />}
          {!LOCAL.has(shown) && isSignedIn && <ServerSettings state={state} section={shown} {...rest} />}
        </div>
      </div>
    </Page>
  );
};

const SectionNav = ({ shown }: { readonly shown: SettingsSection }) => (
  <nav
    aria-label={words.navigation}
    className="sticky top-0 z-1 flex h-fit shrink-0 gap-0.5 bg-canvas max-icons:flex-wrap max-icons:border-b max-icons:border-line max-icons:px-5 max-icons:py-1.5 icons:w-40 icons:flex-col icons:py-4 icons:pl-4"
  >
    {SETTINGS_SECTIONS.filter((name) => name !== 'desktop' || desktopBridge()).map((name) => (
      <Link
        key={name}
        href={paths.settingsOf(name)}
        aria-current={name === shown ? 'page' : undefined}
        className={cx(
          'flex h-7 items-center rounded-md px-2.5',
          name === shown ? 'bg-selected font-medium' : 'text-muted hover:bg-hover hover:text-ink',
        )}
      >
        {words.sections[name]}
      </Link>
    ))}
  </nav>
);

interface ServerSettingsProps extends Omit<SettingsPageProps, 'section'> {
  readonly state: SettingsStatus;
  readonly section: SettingsSection;
}

const ServerSettings = ({ state, section, holdsTokens, onMoved }: ServerSettingsProps) => {
  if (state.status === 'loading') return <Loading />;
  if (state.status === 'error') return <ErrorState error={state.error} onRetry={state.retry} />;
  const { settings } = state;
  switch (section) {
    case 'wallet':
      return <MoneySection settings={settings.settings} />;
    case 'pricing':
      return <PricingSection settings={settings.settings} />;
    case 'server':
      return (
        <ServerSection
          settings={settings.settings}
          // A new port is a new origin. The server keeps drafts for it, but nothing keeps an unreceived token.
          blocker={holdsTokens ? words.tokenFirst : undefined}
          onMoved={onMoved}
        />
      );
    case 'keys':
      return (
        <Section heading={words.sections.keys}>
          <div className="flex flex-col gap-6">
            <AgentKeysSection settings={settings.settings} />
            <BrowsersSection />
          </div>
        </Section>
      );
    case 'about':
      return <DataSection settings={settings} />;
    default:
      return (
        <>
          <RootSection settings={settings} />
          <HistorySection settings={settings.settings} />
        </>
      );
  }
};

interface SettingsProblemsProps {
  readonly lastError: string | null;
  readonly damagedFile: string | null;
}

const SettingsProblems = ({ lastError, damagedFile }: SettingsProblemsProps) =>
  (lastError !== null || damagedFile !== null) && (
    <div className="flex flex-col gap-2 px-6 pt-4">
      {lastError !== null && <Failure title={words.lastError} message={lastError} />}
      {damagedFile !== null && (
        <Callout tone="warn" title={words.damaged} announce="status">
          <p>
            {words.damagedHint} <PathText path={damagedFile} />
          </p>
        </Callout>
      )}
    </div>
  );
