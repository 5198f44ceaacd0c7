import { Library } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import type { LinkKind } from '../../../../shared/api/names.ts';
import { strings } from '../../strings.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Loading } from '../../ui/loading.tsx';
import { matches } from '../../ui/matches.ts';
import { useFocusAfterRemoval } from '../../ui/use-focus-after-removal.ts';
import { type CatalogStatus, useUsage } from './use-catalog.ts';
import { UsedBy } from './used-by.tsx';

interface CatalogListProps<T> {
  readonly kind: LinkKind;
  readonly state: CatalogStatus<T>;
  readonly query: string;
  readonly row: (item: T, usedBy: ReactNode) => ReactNode;
}

/** The entries of one catalog that match the query. */
export const CatalogList = <T extends { readonly name: string; readonly description?: string | undefined }>({
  kind,
  state,
  query,
  row,
}: CatalogListProps<T>) => {
  const usage = useUsage(kind);
  const list = useRef<HTMLUListElement>(null);
  useFocusAfterRemoval(list);
  if (state.status === 'loading') return <Loading />;
  if (state.status === 'error') return <ErrorState error={state.error} onRetry={state.retry} />;
  const words = strings.catalog;
  const usedBy = ({ name }: T): ReactNode =>
    usage && <UsedBy kind={kind} name={name} agents={usage.get(name) ?? []} />;
  if (state.items.length === 0) {
    return <EmptyState icon={Library} title={words.none[kind]} hint={words.noneHint[kind]} />;
  }
  const found = state.items.filter((item) => matches(query, item.name, item.description));
  if (found.length === 0) return <p className="px-6 py-4 text-muted">{strings.common.noMatch(query)}</p>;
  return (
    <ul ref={list} tabIndex={-1} aria-label={words[kind]} className="divide-y divide-line outline-none">
      {found.map((item) => (
        // Rows out of sight cost nothing, so a catalog of thousands needs no virtual list.
        <li
          key={item.name}
          className="px-6 py-3 [contain-intrinsic-size:auto_5.5rem] [content-visibility:auto]"
        >
          {row(item, usedBy(item))}
        </li>
      ))}
    </ul>
  );
};
