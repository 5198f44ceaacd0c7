import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { LinkEntry } from '../../../../shared/api/links.ts';
import type { LinkKind } from '../../../../shared/api/names.ts';
import { skillTextQuery, usageQuery } from '../../api/catalog-queries.ts';
import { readStatus } from '../../api/read-status.ts';
import { paths } from '../../routes.ts';
import { links as linkTexts } from '../../strings/links.ts';
import { Badge } from '../../ui/badge.tsx';
import { buttonClass } from '../../ui/button.tsx';
import { EntryDetails } from '../../ui/entry-details.tsx';
import { Sheet } from '../../ui/sheet.tsx';
import { linkLabel, linkState } from './link-state.ts';
import type { SharedEntry } from './use-links.ts';

/** What a sheet shows: an entry of the agent, or a shared one that it could link to. */
export interface Shown {
  readonly name: string;
  /** The agent's own entry with this name, if it has one. */
  readonly entry?: LinkEntry | undefined;
  readonly shared?: SharedEntry | undefined;
}

interface EntrySheetProps {
  readonly id: string;
  readonly kind: LinkKind;
  /** Stays set while the sheet closes. */
  readonly shown: Shown;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

/** A side sheet with a skill or an extension: what it is, its problems, who uses it, and its SKILL.md. */
export const EntrySheet = ({ id, kind, shown, open, onOpenChange }: EntrySheetProps) => {
  const { name, entry, shared } = shown;
  const state = entry ? linkState(entry) : undefined;
  const isShared = state === undefined || state === 'shared';
  const hasText =
    kind === 'skills' && state !== 'broken' && entry?.kind !== 'file' && entry?.problem === undefined;
  const text = readStatus(
    useQuery({ ...skillTextQuery(name, isShared ? undefined : id), enabled: hasText && open }),
  );
  const usage = useQuery({ ...usageQuery(kind), enabled: isShared && open });
  const own = text.status === 'ready' ? text.data : undefined;
  return (
    <Sheet
      open={open}
      onOpenChange={onOpenChange}
      title={name}
      width="wide"
      aside={entry && <Badge tone={state === 'broken' ? 'warn' : 'neutral'}>{linkLabel(entry)}</Badge>}
      footer={
        isShared && (
          <Link href={paths.catalogEntry(kind, name)} className={buttonClass()}>
            {linkTexts.openInCatalog}
          </Link>
        )
      }
    >
      <div className="px-5 py-4">
        {entry?.switchedOff && <p className="mb-3 text-warn">{linkTexts.switchedOffBy}</p>}
        {state === 'broken' ? (
          <p className="break-words">
            {linkTexts.targetNotFound} <code className="text-sm">{entry?.linkTarget}</code>
          </p>
        ) : (
          <EntryDetails
            kind={kind}
            name={name}
            path={own?.path}
            description={isShared ? shared?.description : own?.description}
            diagnostics={(isShared ? shared?.diagnostics : own?.diagnostics) ?? []}
            users={
              isShared
                ? usage.data && (usage.data.find((used) => used.name === name)?.agents ?? [])
                : undefined
            }
            text={hasText ? text : undefined}
          />
        )}
        {entry?.problem && <p className="mt-3 break-words text-danger">{entry.problem.message}</p>}
      </div>
    </Sheet>
  );
};
