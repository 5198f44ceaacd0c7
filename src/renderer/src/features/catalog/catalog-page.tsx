import { Tabs } from '@base-ui/react/tabs';
import { useQuery } from '@tanstack/react-query';
import { ArrowLeft, Library } from 'lucide-react';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { hasPlace, type SkillChecks } from '../../../../shared/api/checks.ts';
import type { LinkKind } from '../../../../shared/api/names.ts';
import { entryTextQuery, hasText, type SharedItem, skillChecksQuery } from '../../api/catalog-queries.ts';
import { readStatus } from '../../api/read-status.ts';
import { ChangeList } from '../../changes/change-list.tsx';
import { paths } from '../../routes.ts';
import { catalog as words } from '../../strings/catalog.ts';
import { historyWords } from '../../strings/history.ts';
import { kindNames, SHOWN_KINDS } from '../../strings/link-kinds.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import type { ShownProblem } from '../../ui/diagnostics.tsx';
import { ShelfArt } from '../../ui/empty-art.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { EntryDetails } from '../../ui/entry-details.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Loading } from '../../ui/loading.tsx';
import { PAGE_TITLE } from '../../ui/page.tsx';
import { Tab, TabList } from '../../ui/tabs.tsx';
import { useTitle } from '../../ui/use-title.ts';
import { CatalogList, problemsOf } from './catalog-list.tsx';
import {
  type CatalogStatus,
  type UsedBy,
  useBundledSkill,
  useCatalog,
  useProblemCounts,
  useUsage,
} from './use-catalog.ts';

interface CatalogDetailsProps {
  readonly kind: LinkKind;
  /** The name in the address, if any. */
  readonly name: string | null;
  /** Undefined if the catalog has no entry with this name. */
  readonly item: SharedItem | undefined;
  readonly usage: UsedBy | undefined;
}

/** Returns an entry's findings, or the catalog's diagnostics if it has no checks or they aren't loaded yet. */
const diagnosticsOf = (
  { diagnostics }: SharedItem,
  checks: SkillChecks | undefined,
): readonly ShownProblem[] =>
  checks?.findings.map((finding) => ({
    severity: finding.severity,
    rule: finding.rule,
    message: finding.message,
    ...(hasPlace(finding) ? { line: finding.line } : {}),
  })) ?? diagnostics;

/** The opened entry of the catalog. */
const CatalogDetails = ({ kind, name, item, usage }: CatalogDetailsProps) => {
  const isSkill = kind === 'skills' && item !== undefined;
  const text = readStatus(
    useQuery({ ...entryTextQuery(kind, item?.name ?? '', undefined), enabled: !!item }),
  );
  const checks = useQuery({ ...skillChecksQuery(item?.name ?? ''), enabled: isSkill }).data;
  if (!item) {
    return (
      <EmptyState announce icon={Library} title={words.notFound(name ?? '')}>
        <Link href={paths.catalogEntry(kind, null)} className={buttonClass('primary')}>
          {words.all[kind]}
        </Link>
      </EmptyState>
    );
  }
  return (
    <article className="flex max-w-3xl flex-col gap-4 px-6 py-4">
      <header className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <Link
          href={paths.catalogEntry(kind, null)}
          aria-label={words.all[kind]}
          className="-ml-1 rounded p-1 text-muted hover:bg-hover hover:text-ink single:hidden"
        >
          <ArrowLeft aria-hidden="true" className="size-4" />
        </Link>
        <h2 className="min-w-0 text-lg font-semibold wrap-anywhere">{item.name}</h2>
        {item.kind && <Badge>{words.kind[item.kind]}</Badge>}
        {item.command && <Badge>{words.command(item.command, item.argumentHint)}</Badge>}
      </header>
      <EntryDetails
        kind={kind}
        name={item.name}
        path={item.path}
        description={item.description}
        diagnostics={diagnosticsOf(item, checks)}
        users={usage && (usage.get(item.name) ?? [])}
        text={hasText(kind) ? text : undefined}
      />
      <section aria-label={historyWords.history} className="flex flex-col gap-2">
        <h3 className="font-semibold">{historyWords.history}</h3>
        <ChangeList shared={{ kind, name: item.name }} isShown />
      </section>
    </article>
  );
};

interface CatalogPageProps {
  readonly kind: LinkKind;
  /** The opened entry's name. Null shows the first one if there's room for it. */
  readonly entry: string | null;
}

/** The root's shared entries: a list of one kind, and the opened entry next to it. */
export const CatalogPage = ({ kind, entry }: CatalogPageProps) => {
  const catalog = useCatalog();
  const bundled = useBundledSkill(catalog.skills);
  const [, navigate] = useLocation();
  useTitle(words.heading);
  const countOf = (name: LinkKind): number | undefined => {
    const state = catalog[name];
    return state.status === 'ready' ? state.items.length : undefined;
  };
  return (
    <Tabs.Root
      value={kind}
      onValueChange={(next: LinkKind) => navigate(paths.catalogEntry(next, null))}
      className="flex h-full min-h-0 flex-col"
    >
      <header className={cx('px-6 pt-4 pb-1', entry !== null && 'max-single:hidden')}>
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <h1 className={cx(PAGE_TITLE, 'flex-1')}>{words.heading}</h1>
          {kind === 'skills' && bundled.isMissing && (
            <Button size="small" disabled={bundled.isAdding} onClick={bundled.add}>
              {words.addSkill}
            </Button>
          )}
          <Link href={paths.matrix(kind)} className={buttonClass('secondary', 'small')}>
            {words.matrix}
          </Link>
        </div>
        <p className="text-muted low:hidden">{words.description}</p>
      </header>
      <TabList label={words.kinds}>
        {SHOWN_KINDS.map((name) => (
          <Tab key={name} value={name} label={kindNames.many[name]} count={countOf(name)} />
        ))}
      </TabList>
      <Tabs.Panel key={kind} value={kind} tabIndex={-1} className="min-h-0 flex-1 outline-none">
        <Panes kind={kind} entry={entry} state={catalog[kind]} />
      </Tabs.Panel>
    </Tabs.Root>
  );
};

/** Returns whether the link to this page filters for entries with errors. */
const isFilterLinked = (): boolean =>
  new URLSearchParams(window.location.search).getAll('filter').includes('errors');

const Panes = ({ kind, entry, state }: CatalogPageProps & { readonly state: CatalogStatus }) => {
  const usage = useUsage(kind);
  const counts = useProblemCounts(kind);
  const [isFiltered, setIsFiltered] = useState(isFilterLinked);
  if (state.status === 'loading') return <Loading />;
  if (state.status === 'error') return <ErrorState error={state.error} onRetry={state.retry} />;
  const { items } = state;
  if (items.length === 0) {
    return <EmptyState art={<ShelfArt />} title={words.none[kind]} hint={words.noneHint[kind]} />;
  }
  const withErrors = items.filter((item) => problemsOf(item, counts).errors > 0);
  const shown = isFiltered ? withErrors : items;
  const opened = entry === null ? shown[0] : items.find(({ name }) => name === entry);
  return (
    <div className="flex h-full min-h-0">
      <section
        aria-label={kindNames.many[kind]}
        className={cx(
          'flex min-h-0 w-full shrink-0 flex-col border-line single:w-54 single:border-r icons:w-68 wide:w-80',
          entry !== null && 'max-single:hidden',
        )}
      >
        <CatalogList
          kind={kind}
          items={shown}
          filter={{ count: withErrors.length, isOn: isFiltered, toggle: () => setIsFiltered(!isFiltered) }}
          usage={usage}
          counts={counts}
          openedName={opened?.name ?? null}
        />
      </section>
      <div className={cx('min-w-0 flex-1 overflow-y-auto', entry === null && 'max-single:hidden')}>
        {(opened || entry !== null) && (
          <CatalogDetails key={opened?.name} kind={kind} name={entry} item={opened} usage={usage} />
        )}
      </div>
    </div>
  );
};
