import { useQuery } from '@tanstack/react-query';
import { Compass } from 'lucide-react';
import { Link } from 'wouter';
import { agentIdsQuery } from '../../api/queries.ts';
import { paths } from '../../routes.ts';
import { apiView as words } from '../../strings/api-view.ts';
import { buttonClass } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { cx } from '../../ui/cx.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Loading } from '../../ui/loading.tsx';
import { PAGE_TITLE } from '../../ui/page.tsx';
import { useTitle } from '../../ui/use-title.ts';
import { apiAddress } from './curl.ts';
import { useApiDocument } from './openapi.ts';
import { RouteDetails } from './route-details.tsx';
import { RouteList } from './route-list.tsx';

/** Shows the list of the server's routes, with the opened route next to it. */
const Routes = ({ opened }: { readonly opened: string | null }) => {
  const read = useApiDocument();
  const [agent] = useQuery(agentIdsQuery()).data ?? [];
  if (read.status === 'loading') return <Loading />;
  if (read.status === 'error') return <ErrorState error={read.error} onRetry={read.retry} />;
  const { routes, resolve } = read.data;
  const route = routes.find(({ id }) => id === opened);
  return (
    <div className="flex h-full min-h-0 border-t border-line">
      <section
        aria-label={words.routes.list}
        className={cx(
          'flex min-h-0 w-full shrink-0 flex-col border-line single:w-60 single:border-r icons:w-72 wide:w-88',
          opened !== null && 'max-single:hidden',
        )}
      >
        <RouteList routes={routes} openedId={opened} />
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
        ) : (
          <EmptyState
            icon={Compass}
            title={opened === null ? words.routes.none : words.routes.unknown}
            hint={opened === null && words.routes.noneHint}
          />
        )}
      </div>
    </div>
  );
};

interface ApiPageProps {
  /** The opened route's id, or null. */
  readonly route: string | null;
}

/** The page for people who write scripts and agents: the server's routes, to try and to copy. */
export const ApiPage = ({ route }: ApiPageProps) => {
  useTitle(words.title);
  const address = apiAddress(window.location);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <header className="flex flex-wrap items-center gap-x-3 px-6 pt-4 pb-2 low:pt-2">
        <h1 className={cx(PAGE_TITLE, 'mr-auto')}>{words.title}</h1>
        <code className="min-w-0 font-mono text-sm break-all text-muted select-all">{address}</code>
        <CopyButton label={words.copyAddress} text={address} />
      </header>
      <div className="min-h-0 flex-1">
        <Routes opened={route} />
      </div>
    </div>
  );
};
