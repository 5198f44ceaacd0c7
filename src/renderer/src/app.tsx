import { QueryClientProvider } from '@tanstack/react-query';
import { Compass } from 'lucide-react';
import {
  memo,
  type ReactNode,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { type AroundNavHandler, Link, Router, useLocation } from 'wouter';
import { useStore } from 'zustand';
import { useStatuses } from './agent/agent-status.tsx';
import { desktopBridge } from './api/desktop.ts';
import { LiveProvider, useLive } from './api/live.tsx';
import { createQueryClient, followManagedRoot } from './api/query-client.ts';
import { storageFailure } from './browser-storage.ts';
import { DraftKeepingProvider } from './drafts/draft-keeping.tsx';
import { drafts } from './drafts/drafts.ts';
import { unsaved } from './drafts/unsaved.ts';
import { runAgent } from './features/agents/agent-tools.ts';
import { FirstStepsBar } from './features/first-run/first-steps.tsx';
import { useFirstRun, useLanding } from './features/first-run/use-first-run.ts';
import { OverviewPage } from './features/overview/overview-page.tsx';
import { useHoldsTokens } from './features/wallet/receive/unreceived-tokens.ts';
import { kept } from './kept.ts';
import {
  type AgentSection,
  agentOf,
  type PageRoute,
  parsePath,
  paths,
  type SettingsSection,
} from './routes.ts';
import { useApiStatus } from './shell/api-status.tsx';
import { Banners } from './shell/banners.tsx';
import { askNewAgent } from './shell/intents.ts';
import { rememberRecent } from './shell/search.ts';
import { Shell } from './shell/shell.tsx';
import { useDesktop } from './shell/use-desktop.ts';
import { useOverlays } from './shell/use-overlays.ts';
import { type PortChange, usePortChange } from './shell/use-port-change.ts';
import { agents as agentWords } from './strings/agents.ts';
import { common, notFound } from './strings/common.ts';
import { draftWords, leave as leaveWords } from './strings/files.ts';
import { buttonClass } from './ui/button.tsx';
import { Details } from './ui/details.tsx';
import { EmptyState } from './ui/empty-state.tsx';
import { ErrorBoundary } from './ui/error-boundary.tsx';
import { dismissFailure, reportFailure } from './ui/failures.tsx';
import { lazyView, preloaded, preloadViews } from './ui/lazy-view.tsx';
import { notifyInBackground, ToastRegion } from './ui/toast.tsx';
import { pageTitle, useTitle, waitingAgents } from './ui/use-title.ts';

// Loaded lazily, because it includes a text comparison, which the first view doesn't need.
const loadFailedSaves = preloaded(async () => (await import('./features/files/save-draft.ts')).failedSaves);

/** Reports failed saves once the person has left the agent, because no open editor can show them. */
const tellFailedSaves = async (id: string, open: (path: string) => void): Promise<void> => {
  if (drafts.of(id).length === 0) return;
  const failedSaves = await loadFailedSaves();
  for (const file of await failedSaves(id)) {
    if (agentOf(parsePath(window.location.pathname)) === id) return;
    notifyInBackground(leaveWords.notSaved(id, file), {
      label: draftWords.open,
      run: () => open(paths.agent(id, { kind: 'files', file })),
    });
  }
};

const askAboutLosses = (event: BeforeUnloadEvent): void => {
  const losses = unsaved.losses();
  if (losses.length === 0) return;
  desktopBridge()
    ?.explainLosses?.(losses)
    .catch(() => undefined);
  event.preventDefault();
};

/**
 * Asks before the page closes with what is stored nowhere else, such as a token that wasn't received. Unsaved text
 * doesn't need this while it's kept as drafts, which the rail lists.
 */
const LeaveGuard = ({ children }: { readonly children: ReactNode }) => {
  useEffect(() => {
    window.addEventListener('beforeunload', askAboutLosses);
    return () => window.removeEventListener('beforeunload', askAboutLosses);
  }, []);

  const aroundNav: AroundNavHandler = (navigate, to, options) => {
    const id = agentOf(parsePath(window.location.pathname));
    if (id !== null && agentOf(parsePath(to)) !== id) {
      // If the reporting code can't be loaded, nothing is reported. The rail still lists unsaved files.
      tellFailedSaves(id, (path) => navigate(path)).catch(() => undefined);
    }
    navigate(to, options);
  };
  return <Router aroundNav={aroundNav}>{children}</Router>;
};

/** The maximum wait for a frame, because a hidden window never draws one. */
const LATEST_FRAME_MS = 100;

/**
 * Returns a value one frame after it changed, so that components that show the change immediately are drawn first.
 * Unlike React's deferred values, other updates can't postpone it.
 */
const useNextFrame = (value: string): string => {
  const [shown, setShown] = useState(value);
  useEffect(() => {
    const show = (): void => setShown(value);
    let afterFrame: ReturnType<typeof setTimeout> | undefined;
    const frame = requestAnimationFrame(() => {
      // This task runs after the frame is drawn.
      afterFrame = setTimeout(show);
    });
    const latest = setTimeout(show, LATEST_FRAME_MS);
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(afterFrame);
      clearTimeout(latest);
    };
  }, [value]);
  return shown;
};

/** Stores the last agent and file, for the overview's "Continue with …". */
const useLastAgent = (page: PageRoute): void => {
  const [path] = useLocation();
  useEffect(() => {
    if (page.name !== 'agent') return;
    kept.set('last-agent', path);
    rememberRecent(`agent:${page.id}`);
  }, [page, path]);
};

/** The entire page. Features are combined here and in app-overlays.tsx, because features don't import each other. */
export const App = () => {
  const [client] = useState(() => {
    const created = createQueryClient();
    followManagedRoot(created);
    return created;
  });
  return (
    <QueryClientProvider client={client}>
      <LiveProvider>
        <LeaveGuard>
          <DraftKeepingProvider>
            <Pages />
          </DraftKeepingProvider>
        </LeaveGuard>
        <ToastRegion />
        <StorageNotice />
        <PageAnnouncer />
        <WaitingCount />
        <Details />
      </LiveProvider>
    </QueryClientProvider>
  );
};

/** Announces each opened page, except the first, because screen readers already read that one's title. */
const PageAnnouncer = () => {
  const title = useStore(pageTitle);
  const last = useRef('');
  const [opened, setOpened] = useState('');
  useEffect(() => {
    if (last.current !== '' && title !== last.current) setOpened(title);
    last.current = title;
  }, [title]);
  return (
    <div role="status" className="sr-only">
      {opened}
    </div>
  );
};

/** Counts the agents that wait, for the title. */
const WaitingCount = () => {
  const statuses = useStatuses();
  const count = [...statuses.values()].filter(({ state }) => state === 'waiting').length;
  useEffect(() => waitingAgents.setState(count, true), [count]);
  return null;
};

/** Warns once that the browser stores nothing. Rendered after the toasts, so that they can show the warning. */
const StorageNotice = () => {
  const failure = useStore(storageFailure);
  useEffect(() => {
    if (!failure) return;
    const { title, hints, desktop } = common.storage;
    if (desktopBridge()) reportFailure(desktop.title, desktop.hint, { about: 'storage' });
    else reportFailure(title, hints[failure], { about: 'storage' });
    return () => dismissFailure('storage');
  }, [failure]);
  return null;
};

// Views load when they open, or in advance once the API responds, so that they open even if the server stops.
const AgentsPage = lazyView(async () => (await import('./features/agents/agents-page.tsx')).AgentsPage);
const AgentPage = lazyView(async () => (await import('./features/agents/agent-page.tsx')).AgentPage);
const FilesSection = lazyView(async () => (await import('./features/files/files-section.tsx')).FilesSection);
const EntriesSection = lazyView(
  async () => (await import('./features/entries/entries-section.tsx')).EntriesSection,
);
const PiModelsSection = lazyView(
  async () => (await import('./features/pi-models/models-section.tsx')).ModelsSection,
);
const PiSettingsSection = lazyView(
  async () => (await import('./features/pi-settings/pi-settings-section.tsx')).PiSettingsSection,
);
const PromptSection = lazyView(
  async () => (await import('./features/prompt/prompt-section.tsx')).PromptSection,
);
const SessionsSection = lazyView(
  async () => (await import('./features/sessions/sessions-section.tsx')).SessionsSection,
);
const ActivitySection = lazyView(
  async () => (await import('./features/activity/activity-section.tsx')).ActivitySection,
);
const HistorySection = lazyView(async () => (await import('./changes/change-list.tsx')).HistorySection);
const SellSection = lazyView(async () => (await import('./features/sell/sell-section.tsx')).SellSection);
const CatalogPage = lazyView(async () => (await import('./features/catalog/catalog-page.tsx')).CatalogPage);
const MatrixPage = lazyView(async () => (await import('./features/matrix/matrix-page.tsx')).MatrixPage);
const WalletPage = lazyView(async () => (await import('./features/wallet/wallet-page.tsx')).WalletPage);
const PricingPage = lazyView(async () => (await import('./features/pricing/pricing-page.tsx')).PricingPage);
const LinksSection = lazyView(async () => (await import('./features/links/links-section.tsx')).LinksSection);
const McpSection = lazyView(async () => (await import('./features/mcp/mcp-section.tsx')).McpSection);
const ChecksSection = lazyView(
  async () => (await import('./features/checks/checks-section.tsx')).ChecksSection,
);
const ApiPage = lazyView(async () => (await import('./features/api-view/api-page.tsx')).ApiPage);
const TrashPage = lazyView(async () => (await import('./features/trash/trash-page.tsx')).TrashPage);
const SettingsPage = lazyView(
  async () => (await import('./features/settings/settings-page.tsx')).SettingsPage,
);
const FirstRunPage = lazyView(
  async () => (await import('./features/first-run/first-run-page.tsx')).FirstRunPage,
);

const ChangesHost = lazyView(async () => (await import('./changes/changes-host.tsx')).ChangesHost, 'extra');

const loadOverlays = preloaded(async () => (await import('./shell/app-overlays.tsx')).AppOverlays);

const Pages = () => {
  const [path, navigate] = useLocation();
  const page = useMemo(() => parsePath(path), [path]);
  // The clicked link is marked as open in the next frame. Its view follows, however long it takes to draw.
  const shownPath = useNextFrame(path);
  const shown = useMemo(() => parsePath(shownPath), [shownPath]);
  const firstRun = useFirstRun();
  const isFirstRun = firstRun.isFirstRun && page.name !== 'settings';
  const overlays = useOverlays({
    load: loadOverlays,
    onSettings: () => navigate(paths.settings),
    isOff: isFirstRun,
  });
  const move = usePortChange();
  useLastAgent(page);
  useLanding(isFirstRun, firstRun.isChosen);
  usePreload();
  // During the first run there's no list to add an agent to.
  useDesktop({ page, navigate, onNewAgent: () => !isFirstRun && askNewAgent(page, navigate) });
  const { View, open, last, show, close } = overlays;
  const showChanges = useCallback(() => show('changes'), [show]);
  return (
    <Frame move={move}>
      <ChangesHost onShow={showChanges} />
      {isFirstRun ? (
        <FirstRunPage hasToken={firstRun.hasToken} onLater={firstRun.later} />
      ) : (
        <>
          <Shell page={page} shownPath={shownPath} onPalette={() => show('search')}>
            <ErrorBoundary place={shownPath}>
              <Content page={shown} onMoved={move.begin} />
            </ErrorBoundary>
          </Shell>
          {View && <View page={page} open={open} last={last} onShow={show} onClose={close} />}
        </>
      )}
    </Frame>
  );
};

/** Loads the views that are likely next once the API responds. */
const usePreload = (): void => {
  const { state } = useLive();
  useEffect(() => {
    if (state === 'open') preloadViews();
  }, [state]);
};

interface ContentProps {
  readonly page: PageRoute;
  readonly onMoved: PortChange['begin'];
}

/** Memoized, so that the response to a click doesn't wait for the content to render again. */
const Content = memo(({ page, onMoved }: ContentProps) => {
  switch (page.name) {
    case 'overview':
      return <HomePage />;
    case 'agents':
      return <AgentsPage opened={null} />;
    case 'agent':
      return (
        <AgentsPage opened={page}>
          <div className="flex h-full min-h-0 flex-col">
            <FirstStepsBar id={page.id} onRun={runAgent} />
            <div className="min-h-0 flex-1">
              <OpenedAgent key={page.id} id={page.id} section={page.section} />
            </div>
          </div>
        </AgentsPage>
      );
    case 'catalog':
      return <CatalogPage kind={page.kind} entry={page.entry} />;
    case 'matrix':
      return <MatrixPage kind={page.kind} />;
    case 'wallet':
      return <WalletPage />;
    case 'pricing':
      return <PricingPage />;
    case 'api':
      return <ApiPage route={page.route} />;
    case 'trash':
      return <TrashPage />;
    case 'settings':
      return <OpenedSettings section={page.section} onMoved={onMoved} />;
    case 'unknown':
      return <NoSuchPage />;
  }
});

const HomePage = () => {
  const [, navigate] = useLocation();
  return (
    <OverviewPage
      lastAgentPath={useSyncExternalStore(kept.subscribe, () => kept.get('last-agent'))}
      onNewAgent={() => askNewAgent({ name: 'overview' }, navigate)}
    />
  );
};

interface OpenedSettingsProps extends Pick<ContentProps, 'onMoved'> {
  readonly section: SettingsSection | null;
}

const OpenedSettings = ({ section, onMoved }: OpenedSettingsProps) => (
  <SettingsPage section={section} holdsTokens={useHoldsTokens()} onMoved={onMoved} />
);

const OpenedAgent = ({ id, section }: { readonly id: string; readonly section: AgentSection }) => {
  const [, navigate] = useLocation();
  return (
    <AgentPage id={id} section={section}>
      {(agent) => {
        switch (section.kind) {
          case 'files':
            return (
              <FilesSection
                agent={agent}
                file={section.file}
                onOpen={(file) => navigate(paths.agent(id, { kind: 'files', file }))}
              />
            );
          case 'entries':
            return <EntriesSection agent={agent} />;
          case 'mcp':
            return <McpSection key={id} agent={agent} />;
          case 'models':
            return <PiModelsSection key={id} agent={agent} />;
          case 'settings':
            return <PiSettingsSection key={id} agent={agent} />;
          case 'checks':
            return <ChecksSection id={id} />;
          case 'prompt':
            return <PromptSection key={id} id={id} />;
          case 'sessions':
            return <SessionsSection agent={agent} session={section.session} />;
          case 'activity':
            return <ActivitySection id={id} />;
          case 'history':
            return <HistorySection key={id} id={id} />;
          case 'sell':
            return <SellSection key={id} id={id} />;
          default:
            return <LinksSection key={section.kind} id={id} kind={section.kind} />;
        }
      }}
    </AgentPage>
  );
};

const NoSuchPage = () => {
  useTitle(notFound.title);
  return (
    <EmptyState level={1} icon={Compass} title={notFound.title} hint={notFound.hint}>
      <Link href={paths.agents} className={buttonClass('primary')}>
        {agentWords.all}
      </Link>
    </EmptyState>
  );
};

interface FrameProps {
  readonly move: PortChange;
  readonly children: ReactNode;
}

/** The window: the rail (except during the first run), and the content with every page's banners above it. */
const Frame = ({ move, children }: FrameProps) => (
  <div className="flex h-full flex-col">
    <Banners status={useApiStatus()} move={move} />
    {children}
  </div>
);
