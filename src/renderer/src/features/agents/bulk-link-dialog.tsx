import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { LinkKind } from '../../../../shared/api/names.ts';
import { useShownKinds } from '../../agent/shown-kinds.ts';
import { catalogQuery } from '../../api/catalog-queries.ts';
import { bulk as words } from '../../strings/bulk.ts';
import { catalog as catalogWords } from '../../strings/catalog.ts';
import { common } from '../../strings/common.ts';
import { kindNames } from '../../strings/link-kinds.ts';
import { linkWords } from '../../strings/links.ts';
import { Choice } from '../../ui/choice.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { matcher } from '../../ui/matches.ts';
import { SearchField } from '../../ui/search-field.tsx';
import { useLinkAgents } from './bulk-actions.ts';
import { toggled } from './use-selection.ts';

interface BulkLinkDialogProps {
  readonly ids: readonly string[];
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

/** Asks which shared entries to link into the selected agents. */
export const BulkLinkDialog = ({ ids, open, onOpenChange }: BulkLinkDialogProps) => {
  const [kind, setKind] = useState<LinkKind>('skills');
  const [names, setNames] = useState<ReadonlySet<string>>(new Set());
  const [query, setQuery] = useState('');
  const kinds = useShownKinds();
  const shared = useQuery(catalogQuery(kind)).data ?? [];
  const { mutate, isPending } = useLinkAgents(() => onOpenChange(false));
  useEffect(() => {
    if (!open) return;
    setNames(new Set());
    setQuery('');
  }, [open]);
  const found = useMemo(() => {
    const matches = matcher(query);
    return shared.filter(({ name, description }) => matches(name, description));
  }, [shared, query]);
  return (
    <FormDialog
      open={open}
      onOpenChange={onOpenChange}
      title={words.linkTitle(ids.length)}
      description={words.linkBody}
      submitLabel={isPending ? words.linking(names.size * ids.length) : words.linkAll(names.size, ids.length)}
      canSubmit={names.size > 0}
      isPending={isPending}
      onSubmit={() => mutate({ ids, kind, names: [...names] })}
    >
      <Choice
        label={catalogWords.kinds}
        options={kinds}
        names={kindNames.many}
        value={kind}
        onChange={(next) => {
          setKind(next);
          setNames(new Set());
        }}
      />
      <SearchField label={catalogWords.search[kind]} value={query} onValueChange={setQuery} />
      {found.length === 0 && (
        <p className="text-muted">{shared.length === 0 ? linkWords.noShared[kind] : common.noMatch(query)}</p>
      )}
      <ul aria-label={linkWords.sharedHeading[kind]} className="max-h-64 overflow-y-auto">
        {found.map(({ name, description }) => (
          <li key={name} className="[contain-intrinsic-size:auto_3rem] [content-visibility:auto]">
            <label className="flex items-start gap-2.5 rounded-md px-2 py-1.5 hover:bg-hover">
              <input
                type="checkbox"
                aria-label={name}
                checked={names.has(name)}
                onChange={() => setNames((chosen) => toggled({ chosen, anchor: null }, name).chosen)}
                className="mt-0.75 size-3.5 shrink-0 accent-accent"
              />
              <span className="flex min-w-0 flex-col">
                <span className="break-words font-medium">{name}</span>
                {description && <span className="line-clamp-1 text-sm text-muted">{description}</span>}
              </span>
            </label>
          </li>
        ))}
      </ul>
    </FormDialog>
  );
};
