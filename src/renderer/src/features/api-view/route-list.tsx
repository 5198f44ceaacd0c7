import { useEffect, useMemo, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { paths } from '../../routes.ts';
import { apiView as words } from '../../strings/api-view.ts';
import { Badge } from '../../ui/badge.tsx';
import { cx } from '../../ui/cx.ts';
import { matcher } from '../../ui/matches.ts';
import { ACTIVE_OPTION_CLASS, SearchList } from '../../ui/search-list.tsx';
import { useActiveOption } from '../../ui/use-active-option.ts';
import type { ApiRoute } from './openapi.ts';

const LIST_ID = 'api-routes';

const optionId = (index: number): string => `api-route-${index}`;

const METHOD_COLORS: Readonly<Record<string, string>> = { GET: 'text-ok', DELETE: 'text-danger' };

/** A request's method. Its color only repeats the word. */
export const MethodLabel = ({ method }: { readonly method: string }) => (
  <span
    className={cx(
      'font-mono text-xs font-semibold',
      // The colors lack contrast on a selected row.
      'in-aria-selected:text-ink',
      METHOD_COLORS[method] ?? 'text-warn',
    )}
  >
    {method}
  </span>
);

/** Formats a feature as a heading: `operatorToken` becomes "Operator token". */
const featureName = (tag: string): string => {
  const spaced = tag.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
};

interface RouteListProps {
  readonly routes: readonly ApiRoute[];
  readonly openedId: string | null;
}

const findRoutes = (routes: readonly ApiRoute[], text: string): readonly ApiRoute[] => {
  const matches = matcher(text);
  return routes.filter(({ method, path, summary, description, tag, access }) =>
    matches(method, path, summary, description, tag, access),
  );
};

/** Returns the route to open with Enter: prefers a matching name to a matching description. */
const bestOf = (found: readonly ApiRoute[], text: string): ApiRoute | undefined => {
  const matches = matcher(text);
  return found.find(({ method, path, summary }) => matches(method, path, summary)) ?? found[0];
};

/** The searchable routes by feature. Arrow keys and Enter work in the search field and in the list. */
export const RouteList = ({ routes, openedId }: RouteListProps) => {
  const [, navigate] = useLocation();
  const [query, setQuery] = useState('');
  const list = useRef<HTMLDivElement>(null);
  const found = useMemo(() => findRoutes(routes, query), [routes, query]);
  const groups = useMemo(() => [...Map.groupBy(found, ({ tag }) => tag)], [found]);
  // Sorted by group, because the document may not list a feature's routes together.
  const ids = useMemo(() => groups.flatMap(([, members]) => members.map(({ id }) => id)), [groups]);
  const indexes = useMemo(() => new Map(ids.map((id, index) => [id, index])), [ids]);
  const scrollTo = (index: number): void =>
    document.getElementById(optionId(index))?.scrollIntoView({ block: 'nearest' });
  const option = useActiveOption(ids, openedId, scrollTo, (id) => navigate(paths.apiRoute(id)));
  // Scroll only when a route opens.
  useEffect(() => {
    if (openedId === null) return;
    list.current
      ?.querySelector(`[data-route="${CSS.escape(openedId)}"]`)
      ?.scrollIntoView({ block: 'nearest' });
  }, [openedId]);

  const filter = (text: string): void => {
    setQuery(text);
    const best = text === '' ? undefined : bestOf(findRoutes(routes, text), text);
    if (best) option.setId(best.id);
  };
  const active = option.index >= 0 && ids.length > 0 ? optionId(option.index) : undefined;
  const row = ({ id, ...route }: ApiRoute) => {
    const index = indexes.get(id) ?? 0;
    return (
      <Link
        key={id}
        id={optionId(index)}
        data-route={id}
        href={paths.apiRoute(id)}
        role="option"
        tabIndex={-1}
        aria-selected={id === openedId}
        // Keeps focus on the list or the search field, which handle the arrow keys.
        onMouseDown={(event) => event.preventDefault()}
        onClick={() => option.setId(id)}
        className={cx(
          'flex scroll-mt-8 flex-col rounded-md px-2.5 py-1 ring-accent ring-inset',
          id === openedId ? 'bg-selected' : 'hover:bg-hover',
          index === option.index && ACTIVE_OPTION_CLASS,
        )}
      >
        <Row {...route} />
      </Link>
    );
  };
  return (
    <SearchList
      id={LIST_ID}
      label={words.routes.list}
      searchLabel={words.routes.search}
      query={query}
      onQuery={filter}
      option={option}
      activeId={active}
      isEmpty={found.length === 0}
      scroller={list}
    >
      {groups.map(([tag, members]) => (
        // biome-ignore lint/a11y/useSemanticElements: a listbox can contain groups, not field sets
        <div key={tag} role="group" aria-label={featureName(tag)}>
          <p aria-hidden="true" className="sticky top-0 bg-canvas px-2.5 pt-3 pb-1 text-sm font-semibold">
            {featureName(tag)}
          </p>
          {members.map(row)}
        </div>
      ))}
    </SearchList>
  );
};

const Row = ({ method, path, summary, access }: Omit<ApiRoute, 'id'>) => (
  <>
    <span className="flex min-w-0 items-baseline gap-1">
      <span className="w-13 shrink-0">
        <MethodLabel method={method} />
      </span>
      <span className="min-w-0 flex-1 truncate font-mono text-sm" data-details="">
        {path.replace(/^\/api(?=\/)/, '')}
      </span>
      {access === 'operator' && <Badge tone="warn">{words.routes.operator}</Badge>}
    </span>
    <span className="truncate text-sm text-muted" data-details="">
      {summary}
    </span>
  </>
);
