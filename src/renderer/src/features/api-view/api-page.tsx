// Loaded when it opens, with everything that it imports.
import { API_TABS, type ApiTab, paths } from '../../routes.ts';
import { apiView as words } from '../../strings/api-view.ts';
import { LinkTabs } from '../../ui/tabs.tsx';
import { useTitle } from '../../ui/use-title.ts';
import { RequestsPanel } from './requests-panel.tsx';
import { RoutesPanel } from './routes-panel.tsx';

interface ApiPageProps {
  readonly tab: ApiTab;
  /** The id of the opened route. Null shows how to start. */
  readonly route: string | null;
}

const PATHS = { routes: paths.api, requests: paths.apiRequests } as const;

/** What a local agent or script needs to call this server, and what they called. */
export const ApiPage = ({ tab, route }: ApiPageProps) => {
  useTitle(...(tab === 'requests' ? [words.tabNames.requests] : []), words.title);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <header className="px-6 pt-4 pb-1 low:pt-2">
        <h1 className="text-lg font-semibold">{words.title}</h1>
        <p className="text-muted low:hidden">{words.description}</p>
      </header>
      <LinkTabs
        label={words.tabs}
        more={words.more}
        tabs={API_TABS.map((name) => ({
          label: words.tabNames[name],
          href: PATHS[name],
          isOpen: name === tab,
        }))}
      />
      <div className="min-h-0 flex-1">
        {tab === 'requests' ? <RequestsPanel /> : <RoutesPanel opened={route} />}
      </div>
    </div>
  );
};
