import { useQuery } from '@tanstack/react-query';
import { Compass } from 'lucide-react';
import { Link } from 'wouter';
import { agentIdsQuery } from '../../api/queries.ts';
import { API_TABS, type ApiTab, paths } from '../../routes.ts';
import { apiView as words } from '../../strings/api-view.ts';
import { buttonClass } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Loading } from '../../ui/loading.tsx';
import { PAGE_TITLE } from '../../ui/page.tsx';
import { LinkTabs } from '../../ui/tabs.tsx';
import { useTitle } from '../../ui/use-title.ts';
import { RequestsPanel } from './requests-panel.tsx';
import { RouteDetails } from './route-details.tsx';
import { RouteList, START_ID } from './route-list.tsx';
import { StartPanel } from './start-panel.tsx';
import { useApiDocument } from './use-api-document.ts';

/** Shows the list of the server's routes, with the opened route next to it. */
const RoutesPanel = ({ opened }: { readonly opened: string | null }) => {
  const read = useApiDocument();
  const [agent] = useQuery(agentIdsQuery()).data ?? [];
  if (read.status === 'loading') return <Loading />;
  if (read.status === 'error') return <ErrorState error={read.error} onRetry={read.retry} />;
  const { routes, resolve } = read.data;
  const route = routes.find(({ id }) => id === opened);
  return (
    <div className="flex h-full min-h-0">
      <section
        aria-label={words.routes.list}
        className={cx(
          'flex min-h-0 w-full shrink-0 flex-col border-line single:w-60 single:border-r icons:w-72 wide:w-88',
          opened !== null && 'max-single:hidden',
        )}
      >
        <RouteList routes={routes} openedId={opened ?? START_ID} />
      </section>
      <div className={cx('min-w-0 flex-1 overflow-y-auto', opened === null && 'max-single:hidden')}>
        {opened !== null && (
          <div className="px-6 pt-3 single:hidden">
            <Link href={paths.api} className={buttonClass('secondary', 'small')}>
              {words.routes.back}
            </Link>
          </div>
        )}
        {route ? (
          <RouteDetails key={`${route.id} ${agent}`} route={route} resolve={resolve} agent={agent} />
        ) : opened === null || opened === START_ID ? (
          <StartPanel />
        ) : (
          <EmptyState icon={Compass} title={words.routes.unknown} />
        )}
      </div>
    </div>
  );
};

interface ApiPageProps {
  readonly tab: ApiTab;
  /** The opened route's id. If null, the page shows how to start. */
  readonly route: string | null;
}

const PATHS = { routes: paths.api, requests: paths.apiRequests } as const;

/** The page for local agents and scripts: how to call this server, and the recent calls. */
export const ApiPage = ({ tab, route }: ApiPageProps) => {
  useTitle(...(tab === 'requests' ? [words.tabNames.requests] : []), words.title);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <header className="px-6 pt-4 pb-1 low:pt-2">
        <h1 className={PAGE_TITLE}>{words.title}</h1>
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
