import { useQuery } from '@tanstack/react-query';
import { ArrowLeft, Library } from 'lucide-react';
import { Link } from 'wouter';
import { hasPlace, type SkillChecks } from '../../../../shared/api/checks.ts';
import type { LinkKind } from '../../../../shared/api/names.ts';
import { skillTextQuery } from '../../api/catalog-queries.ts';
import { skillChecksQuery } from '../../api/queries.ts';
import { readStatus } from '../../api/read-status.ts';
import { paths } from '../../routes.ts';
import { catalog as catalogTexts } from '../../strings/catalog.ts';
import { Badge } from '../../ui/badge.tsx';
import { buttonClass } from '../../ui/button.tsx';
import type { ShownProblem } from '../../ui/diagnostics.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { EntryDetails } from '../../ui/entry-details.tsx';
import type { SharedItem, Usage } from './use-catalog.ts';

const words = catalogTexts;

interface CatalogDetailsProps {
  readonly kind: LinkKind;
  /** The name in the address, if any. */
  readonly name: string | null;
  /** Undefined if the catalog has no entry with this name. */
  readonly item: SharedItem | undefined;
  readonly usage: Usage | undefined;
}

/** The findings, or what the catalog reports until they are loaded and for an entry that can't be checked. */
const problemsOf = ({ diagnostics }: SharedItem, checks: SkillChecks | undefined): readonly ShownProblem[] =>
  checks?.findings.map((finding) => ({
    severity: finding.severity,
    rule: finding.rule,
    message: finding.message,
    ...(hasPlace(finding) ? { line: finding.line } : {}),
  })) ?? diagnostics;

/** The opened entry of the catalog. */
export const CatalogDetails = ({ kind, name, item, usage }: CatalogDetailsProps) => {
  const hasText = kind === 'skills' && item !== undefined;
  const text = readStatus(useQuery({ ...skillTextQuery(item?.name ?? '', undefined), enabled: hasText }));
  const checks = useQuery({ ...skillChecksQuery(item?.name ?? ''), enabled: hasText }).data;
  if (!item) {
    return (
      <EmptyState announce icon={Library} title={words.notFound(name ?? '')} hint={words.notFoundHint}>
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
        {'kind' in item && <Badge>{words.kind[item.kind]}</Badge>}
      </header>
      <EntryDetails
        kind={kind}
        name={item.name}
        path={item.path}
        description={item.description}
        diagnostics={problemsOf(item, checks)}
        users={usage && (usage.get(item.name) ?? [])}
        text={hasText ? text : undefined}
      />
    </article>
  );
};
